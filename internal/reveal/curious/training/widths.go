package training

import (
	"fmt"
	"strconv"
	"strings"
)

// mostWidth is the largest width of a layer.
const mostWidth = 4096

// ParseWidths reads the widths of the layers of paper B's classifier, as A-B-C-D-E; an empty text
// gives zeros, which are the default. Its errors begin after the name of what was read.
func ParseWidths(s string) (w [5]int, err error) {
	if s == "" {
		return w, nil
	}
	words := strings.Split(s, "-")
	if len(words) != len(w) {
		return w, fmt.Errorf(" %q: must be five numbers", s)
	}
	for i, word := range words {
		if w[i], err = strconv.Atoi(word); err != nil || w[i] < 1 || w[i] > mostWidth {
			return w, fmt.Errorf(": %q must be a number from 1 to %d", word, mostWidth)
		}
	}
	return w, nil
}

// WidthsText writes widths as A-B-C-D-E.
func WidthsText(w [5]int) string {
	return strings.ReplaceAll(strings.Trim(fmt.Sprint(w), "[]"), " ", "-")
}
