package infer

import (
	"strings"
	"unicode"
)

// maxText bounds what is quoted of the other side's words, in runes: a sentence or two.
const maxText = 300

// oneLine returns words from outside as one line that prints.
func oneLine(s string) string {
	if len(s) > 8*maxText {
		s = s[:8*maxText]
	}
	s = strings.Join(strings.FieldsFunc(s, unicode.IsSpace), " ")
	s = strings.Map(func(r rune) rune {
		if !unicode.IsPrint(r) {
			return unicode.ReplacementChar
		}
		return r
	}, s)
	if r := []rune(s); len(r) > maxText {
		s = string(r[:maxText]) + " …"
	}
	return s
}
