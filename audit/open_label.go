package audit

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"tattle/internal/sheet"
)

const (
	// maxValues is the largest number of distinct values of a column of numbers that is read as
	// classes if the options do not say how.
	maxValues = 20

	maxSensitiveValues = 100 // classes of an attribute
)

// absent are the words for a label that is not known, in small letters.
var absent = []string{"", "na", "n/a", "<na>", "nan", "null", "?"}

// attribute makes the attribute of all examples, of at most a number of classes; those without a value have the
// label −1, or NaN. named are values that are classes even if they mean a missing one elsewhere.
func (w *label) attribute(c *sheet.Labels, most int, named []string) (a Attribute, err error) {
	a.Name = w.name
	values := slices.Clone(c.Values) // "" for those that mean a missing value
	for i, v := range values {
		if slices.Contains(absent, strings.ToLower(v)) && !slices.Contains(named, v) {
			values[i] = ""
		}
	}
	if w.listed != nil {
		if values, err = w.described(c); err != nil {
			return a, err
		}
	}
	distinct := sorted(values)
	if len(distinct) == 0 {
		return a, fmt.Errorf("%s has no value in any row: fill it in, or leave the column out", showName(w.name))
	}
	if w.manner == asNumber || w.manner == guessed && !w.rule.Grouped() && w.listed == nil && numeric(values) {
		x := make([]float64, len(values))
		for i, v := range values {
			var ok bool
			switch x[i], ok = finite(v); {
			case v == "":
				x[i] = math.NaN()
			case !ok:
				return a, fmt.Errorf("%s has the value %s: want finite numbers, or classes by \"%s:class\"", showName(w.name), showName(v), w.name)
			case math.Abs(x[i]) > largestNumber:
				return a, fmt.Errorf("%s has the value %s: want at most %g in magnitude; scale it", showName(w.name), showName(v), largestNumber)
			}
		}
		a.Numbers = spread(c, x)
		return a, nil
	}
	if a.Values = distinct; w.listed != nil {
		a.Values = w.listed
	}
	class := inOrder(values, a.Values) // of each distinct value
	if w.rule.Grouped() {
		made, err := w.rule.Apply(w.name, values)
		if err != nil {
			return a, err
		}
		a.Values, class = made.Values, made.Labels
	}
	if len(a.Values) > most {
		return a, fmt.Errorf("%s has %d values: want at most %d classes, or a rule that makes some, as \"%s: <0; >=0\"", showName(w.name), len(a.Values), most, w.name)
	}
	a.Labels = spread(c, class)
	return a, nil
}

// described returns the classes that a file lists for the integers of an array: "" for −1.
func (w *label) described(c *sheet.Labels) ([]string, error) {
	if slices.Contains(w.listed, "") || len(slices.Compact(slices.Sorted(slices.Values(w.listed)))) < len(w.listed) {
		return nil, fmt.Errorf("%s is described with a class twice, or one without a name: rename it", showName(w.name))
	}
	values := make([]string, len(c.Values))
	for i, v := range c.Values {
		class, err := strconv.Atoi(v)
		if err != nil || class < -1 || class >= len(w.listed) {
			return nil, fmt.Errorf("%s, row %d (from 0): class %s does not exist: it is described with %d classes, from 0", showName(w.name), slices.Index(c.Codes, int32(i)), showName(v), len(w.listed))
		}
		if class >= 0 {
			values[i] = w.listed[class]
		}
	}
	return values, nil
}

// spread gives every example what its value has.
func spread[T any](c *sheet.Labels, of []T) []T {
	dst := make([]T, len(c.Codes))
	for i, code := range c.Codes {
		dst[i] = of[code]
	}
	return dst
}

// numeric reports whether a column is taken for numbers unasked: more than maxValues
// values that are all numbers.
func numeric(values []string) bool {
	known := sorted(values)
	return len(known) > maxValues && !slices.ContainsFunc(known, func(v string) bool { return !isNumber(v) })
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

// inOrder gives the values the places of names, and −1 to missing ones.
func inOrder(values, names []string) []int {
	place := map[string]int{"": -1}
	for i, name := range names {
		place[name] = i
	}
	of := make([]int, len(values))
	for i, v := range values {
		of[i] = place[v]
	}
	return of
}

// sorted returns the distinct values that are known, in the order of numbers if all are numbers,
// else alphabetically.
func sorted(values []string) []string {
	list := slices.DeleteFunc(slices.Compact(slices.Sorted(slices.Values(values))), func(v string) bool { return v == "" })
	if !slices.ContainsFunc(list, func(v string) bool { return !isNumber(v) }) {
		slices.SortStableFunc(list, func(a, b string) int {
			x, _ := finite(a)
			y, _ := finite(b)
			return cmp.Compare(x, y)
		})
	}
	return list
}
