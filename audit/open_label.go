package audit

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"tattle/dataset"
	"tattle/internal/sheet"
)

const maxSensitiveValues = 100 // classes of an attribute

// absent are the words for a label that is not known, in small letters.
var absent = []string{"", "na", "n/a", "<na>", "nan", "null", "?"}

// label is a target or a sensitive attribute as the options or the header describe it.
type label struct {
	dataset.Asked
	at   int    // its column
	name string // of the column, then of the attribute
}

// labelOf reads NAME, NAME:number or NAME:class of a header.
func labelOf(text string) label {
	asked, err := dataset.ParseAsked(text)
	if err != nil || asked.Grouped() { // a name like any other
		return label{name: text}
	}
	return label{Asked: asked, name: asked.Column()}
}

// attribute makes the attribute of all examples, of at most a number of classes; those without a value have the
// label −1, or NaN. named are values that are classes even if they mean a missing one elsewhere.
func (w *label) attribute(c *sheet.Labels, most int, named []string) (a Attribute, err error) {
	values := slices.Clone(c.Values) // "" for those that mean a missing value
	for i, v := range values {
		if slices.Contains(absent, strings.ToLower(v)) && !slices.Contains(named, v) {
			values[i] = ""
		}
	}
	if w.Listed != nil {
		if values, err = w.described(c); err != nil {
			return a, err
		}
	}
	if a, err = w.Of(w.name, values, most); err != nil {
		return a, err
	}
	a.Labels, a.Numbers = spread(c, a.Labels), spread(c, a.Numbers)
	return a, nil
}

// described returns the classes that a file lists for the integers of an array: "" for −1.
func (w *label) described(c *sheet.Labels) ([]string, error) {
	if slices.Contains(w.Listed, "") || len(slices.Compact(slices.Sorted(slices.Values(w.Listed)))) < len(w.Listed) {
		return nil, fmt.Errorf("%s is described with a class twice, or one without a name: rename it", showName(w.name))
	}
	values := make([]string, len(c.Values))
	for i, v := range c.Values {
		class, err := strconv.Atoi(v)
		if err != nil || class < -1 || class >= len(w.Listed) {
			return nil, fmt.Errorf("%s, row %d (from 0): class %s does not exist: it is described with %d classes, from 0", showName(w.name), slices.Index(c.Codes, int32(i)), showName(v), len(w.Listed))
		}
		if class >= 0 {
			values[i] = w.Listed[class]
		}
	}
	return values, nil
}

// spread gives every example what its value has.
func spread[T any](c *sheet.Labels, of []T) []T {
	if of == nil {
		return nil
	}
	dst := make([]T, len(c.Codes))
	for i, code := range c.Codes {
		dst[i] = of[code]
	}
	return dst
}

// finite reads a finite decimal number.
func finite(text string) (float64, bool) {
	x, err := strconv.ParseFloat(text, 64)
	return x, err == nil && !strings.ContainsAny(text, sheet.NotDecimal) && !math.IsInf(x, 0) && !math.IsNaN(x)
}

func isNumber(text string) bool {
	_, ok := finite(text)
	return ok
}

// inOrder gives the values the places of names.
func inOrder(values, names []string) []int {
	place := make(map[string]int, len(names))
	for i, name := range names {
		place[name] = i
	}
	of := make([]int, len(values))
	for i, v := range values {
		of[i] = place[v]
	}
	return of
}
