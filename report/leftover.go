package report

import (
	"fmt"
	"strings"
)

// readable makes sentences fit to be shown, and leaves out the empty ones.
func readable(sentences []string) []string {
	var out []string
	for _, s := range sentences {
		if s = strings.TrimSpace(printable(s)); s != "" {
			out = append(out, s)
		}
	}
	return out
}

// briefP prints a p-value for a sentence.
func briefP(p float64) string {
	switch {
	case p != p:
		return "–"
	case p < .0001:
		return "< 0.0001"
	}
	return fmt.Sprintf("%.3f", p)
}

// equalP prints a p-value behind "p ".
func equalP(p float64) string {
	if p < .0001 {
		return briefP(p)
	}
	return "= " + briefP(p)
}
