package file

import (
	"fmt"
	"strconv"
	"strings"
	"unicode"
)

// Name returns a name from outside, quoted where it would not print as part of
// a line.
func Name(s string) string {
	if quoted := strconv.Quote(s); len(quoted) != len(s)+2 {
		return quoted
	}
	return s
}

// Shown is Name of at most 200 bytes, for names that may be of any length.
func Shown(s string) string {
	const most = 200
	if len(s) > most {
		s = s[:most] + "…"
	}
	return Name(s)
}

// In returns an error about a file with the name of the file in front, unless it begins with that; nil of nil.
func In(path string, err error) error {
	if err == nil || strings.HasPrefix(err.Error(), Shown(path)) {
		return err
	}
	return fmt.Errorf("%s: %w", Shown(path), err)
}

// ShownNames lists names from outside as Shown prints them, a dozen of them. It leaves out those that are empty.
func ShownNames(names []string) string {
	const most = 12
	var list []string
	more := 0
	for _, n := range names {
		switch {
		case n == "":
		case len(list) < most:
			list = append(list, Shown(n))
		default:
			more++
		}
	}
	text := strings.Join(list, ", ")
	if more > 0 {
		text += fmt.Sprintf(" and %d more", more)
	}
	return text
}

// Line returns a text from outside as one line, with escapes for what does not print.
func Line(s string) string {
	s = strings.Join(strings.Fields(s), " ")
	if strings.IndexFunc(s, hides) < 0 {
		return s
	}
	var b strings.Builder
	for _, r := range s {
		if hides(r) {
			b.WriteString(strings.Trim(strconv.QuoteRune(r), "'"))
		} else {
			b.WriteRune(r)
		}
	}
	return b.String()
}

// Short returns the text as one line, as Line does, with at most the given number of characters.
func Short(s string, most int) string {
	runes := []rune(Line(s[:min(len(s), 8*most)]))
	if len(runes) > most {
		return string(runes[:most]) + "…"
	}
	return string(runes)
}

// hides reports whether a character does not print.
func hides(r rune) bool { return !unicode.IsPrint(r) }
