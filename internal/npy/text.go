package npy

import (
	"encoding/binary"
	"io"
	"math"
	"strings"
	"unicode/utf8"
)

// runeSize is what one character of a NumPy string (kind U) takes: UTF-32.
const runeSize = 4

// maxText is the largest size of one string in bytes. Names of classes and people are shorter.
const maxText = 1 << 16

// text reports whether the elements are strings.
func (d dtype) text() bool { return d.kind == 'U' || d.kind == 'S' }

// strings reads n strings; equal ones share their bytes.
func (h header) strings(r io.Reader, n int, sure bool) (any, error) {
	size := h.dtype.size
	if n > math.MaxInt/size {
		return nil, malformed("shape %v has more elements than can be counted", h.shape)
	}
	plain := h
	plain.fortran = false
	b, err := elements[uint8](plain, r, n*size, sure)
	if err != nil {
		return nil, err
	}
	seen := map[string]string{}
	x := make([]string, n)
	for i := range x {
		raw := b[i*size:][:size]
		s, ok := seen[string(raw)]
		if !ok {
			if s, err = h.dtype.decodeText(raw); err != nil {
				return nil, err
			}
			seen[string(raw)] = s
		}
		x[i] = s
	}
	return rowMajor(h, x), nil
}

// decodeText reads one string, which ends before the zeros that fill it up.
func (d dtype) decodeText(raw []byte) (string, error) {
	if d.kind == 'S' {
		s := strings.TrimRight(string(raw), "\x00")
		if !utf8.ValidString(s) {
			return "", malformed("the text %q is not UTF-8: save it as numpy.str_", s)
		}
		return s, nil
	}
	var order binary.ByteOrder = binary.LittleEndian
	if d.big {
		order = binary.BigEndian
	}
	var s strings.Builder
	for ; len(raw) > 0; raw = raw[runeSize:] {
		c := order.Uint32(raw)
		if c > utf8.MaxRune || !utf8.ValidRune(rune(c)) {
			return "", malformed("%#x is not a Unicode character: save the text again", c)
		}
		s.WriteRune(rune(c))
	}
	return strings.TrimRight(s.String(), "\x00"), nil
}

// storedText is what stored returns of strings: kind U, as long as the longest.
func storedText(x []string) (dtype, int, []byte, error) {
	longest := 1
	for _, s := range x {
		if !utf8.ValidString(s) || strings.HasSuffix(s, "\x00") {
			return dtype{}, 0, nil, malformed("%q would not be read back: want UTF-8 that does not end in a zero", s)
		}
		longest = max(longest, utf8.RuneCountInString(s))
	}
	if longest > maxText/runeSize {
		return dtype{}, 0, nil, malformed("a text of %d characters: want at most %d", longest, maxText/runeSize)
	}
	d := dtype{kind: 'U', size: longest * runeSize}
	b := make([]byte, len(x)*d.size)
	for i, s := range x {
		at := b[i*d.size:]
		for _, c := range s {
			binary.LittleEndian.PutUint32(at, uint32(c))
			at = at[runeSize:]
		}
	}
	return d, len(x), b, nil
}
