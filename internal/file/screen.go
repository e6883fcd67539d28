package file

import (
	"bytes"
	"fmt"
	"io"
	"sync"
	"unicode"
	"unicode/utf8"
)

// Screen writes text to W for people to read: characters that could move a cursor, change
// colours or turn the direction of writing, as names in files from outside may contain,
// become escapes such as \u001b, which JSON reads as the same character. Line feeds and
// tabs stay. It is safe for concurrent use where W is.
type Screen struct {
	W    io.Writer
	mu   sync.Mutex
	rest []byte // the first bytes of a character whose others follow
}

// Write implements io.Writer. It returns len(p) where all of p was taken.
func (s *Screen) Write(p []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	text := p
	if len(s.rest) > 0 {
		text = append(s.rest, p...)
		s.rest = nil
	}
	if n := incomplete(text); n > 0 {
		s.rest = bytes.Clone(text[len(text)-n:])
		text = text[:len(text)-n]
	}
	if bytes.ContainsFunc(text, commands) {
		text = escape(text)
	}
	if _, err := s.W.Write(text); err != nil {
		return 0, err
	}
	return len(p), nil
}

// incomplete returns how many bytes at the end of text begin a character and do not end it.
func incomplete(text []byte) int {
	for n := 1; n < utf8.UTFMax && n <= len(text); n++ {
		if tail := text[len(text)-n:]; utf8.RuneStart(tail[0]) {
			if utf8.FullRune(tail) {
				return 0
			}
			return n
		}
	}
	return 0
}

// commands reports whether a terminal may obey a character instead of showing it: control
// characters, bytes that are not UTF-8, and marks of the direction of writing.
func commands(r rune) bool {
	return r != '\n' && r != '\t' && (unicode.IsControl(r) || r == utf8.RuneError || unicode.Is(unicode.Bidi_Control, r))
}

// escape replaces what a terminal may obey.
func escape(text []byte) []byte {
	var b bytes.Buffer
	for len(text) > 0 {
		r, n := utf8.DecodeRune(text)
		switch {
		case r == utf8.RuneError && n == 1:
			fmt.Fprintf(&b, `\x%02x`, text[0])
		case r != utf8.RuneError && commands(r):
			fmt.Fprintf(&b, `\u%04x`, r)
		default:
			b.Write(text[:n])
		}
		text = text[n:]
	}
	return b.Bytes()
}
