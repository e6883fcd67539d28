package audit

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
)

// maxValues is the largest number of distinct values of a column of numbers that is read as
// classes if the options do not say how.
const maxValues = 20

// column is a column of text; each distinct value is kept once.
type column struct {
	values []string // distinct, in the order in which they come
	codes  []int32  // of each example, the place in values
	seen   map[string]int32
	listed []string // the classes in their order, if the file lists them
	named  []string // values that are classes even if they mean a missing one elsewhere
}

func newColumn() *column { return &column{seen: map[string]int32{}} }

// add appends one value.
func (c *column) add(text string) error {
	text = strings.TrimSpace(text)
	code, ok := c.seen[text]
	if !ok {
		if len(text) > maxName {
			return fmt.Errorf("a label of %d bytes: want at most %d", len(text), maxName)
		}
		text = strings.Clone(text) // a piece of a row would keep the row
		code = int32(len(c.values))
		c.values = append(c.values, text)
		c.seen[text] = code
	}
	c.codes = append(c.codes, code)
	return nil
}

// absent are the words for a label that is not known, in small letters.
var absent = []string{"", "na", "n/a", "<na>", "nan", "null", "?"}

// known returns the values, with "" for those that mean a missing value.
func (c *column) known() []string {
	values := slices.Clone(c.values)
	for i, v := range values {
		if slices.Contains(absent, strings.ToLower(v)) && !slices.Contains(c.listed, v) && !slices.Contains(c.named, v) {
			values[i] = ""
		}
	}
	return values
}

// spread gives every example what its value has.
func spread[T any](c *column, of []T) []T {
	dst := make([]T, len(c.codes))
	for i, code := range c.codes {
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

// notDecimal are the letters of numbers that only programs write, as 0x1p-2 and 1_000;
// of labels they are rather names.
const notDecimal = "_xX"

// finite reads a finite decimal number.
func finite(text string) (float64, bool) {
	x, err := strconv.ParseFloat(text, 64)
	return x, err == nil && !strings.ContainsAny(text, notDecimal) && !math.IsInf(x, 0) && !math.IsNaN(x)
}

func isNumber(text string) bool {
	_, ok := finite(text)
	return ok
}

// attribute makes the attribute of all examples, of at most a number of classes; those without a value have the
// label −1, or NaN.
func (c *column) attribute(w label, most int) (a Attribute, err error) {
	a.Name = w.name
	values := c.known()
	distinct := sorted(values)
	if len(distinct) == 0 {
		return a, fmt.Errorf("%s has no value in any row: fill it in, or leave the column out", showName(w.name))
	}
	if w.manner == asNumber || w.manner == guessed && !w.rule.Grouped() && c.listed == nil && numeric(values) {
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
	var class []int // of each distinct value
	if w.rule.Grouped() {
		made, err := w.rule.Apply(w.name, values)
		if err != nil {
			return a, err
		}
		a.Values, class = made.Values, made.Labels
	} else {
		if a.Values = distinct; c.listed != nil {
			a.Values = c.listed
		}
		class = inOrder(values, a.Values)
	}
	if len(a.Values) > most {
		return a, fmt.Errorf("%s has %d values: want at most %d classes, or a rule that makes some, as \"%s: <0; >=0\"", showName(w.name), len(a.Values), most, w.name)
	}
	a.Labels = spread(c, class)
	return a, nil
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
