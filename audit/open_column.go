package audit

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"tattle/dataset"
)

// maxValues is the largest number of distinct values of a column of numbers that is read as
// classes if the options do not say how.
const maxValues = 20

// column is a column of text; each distinct value is kept once.
type column struct {
	name   string
	values []string // distinct, in the order in which they come
	codes  []int32  // of each example, the place in values
	seen   map[string]int32
	listed []string // the classes in their order, if the file lists them
}

// manner is how a column becomes an attribute.
type manner int

const (
	guessed  manner = iota // numbers if there are more than maxValues, classes otherwise
	asNumber               // NAME:number
	asClass                // NAME:class
)

// wanted is a sensitive attribute as the options or the header describe it.
type wanted struct {
	at     int    // its column
	name   string // of the column, then of the attribute
	manner manner
	rule   dataset.Rule // with classes, or none
}

func newColumn(name string) *column { return &column{name: name, seen: map[string]int32{}} }

// add appends one value.
func (c *column) add(text string) error {
	text = strings.TrimSpace(text)
	code, ok := c.seen[text]
	if !ok {
		if len(text) > maxName {
			return fmt.Errorf("%s: a label of %d bytes: want at most %d", showName(c.name), len(text), maxName)
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

func missing(text string) bool { return slices.Contains(absent, strings.ToLower(text)) }

// known returns the values, with "" for those that mean a missing value.
func (c *column) known() []string {
	values := slices.Clone(c.values)
	for i, v := range values {
		if missing(v) {
			values[i] = ""
		}
	}
	return values
}

// ruled returns the column of the classes that a rule makes, c itself if there is none.
func (c *column) ruled(rule *dataset.Rule) (*column, error) {
	if rule == nil {
		return c, nil
	}
	a, err := rule.Apply(c.name, c.known())
	if err != nil {
		return nil, err
	}
	r := &column{name: c.name, values: append(slices.Clone(a.Values), ""), listed: a.Values}
	for _, code := range c.codes {
		k := a.Labels[code]
		if k < 0 {
			k = len(a.Values)
		}
		r.codes = append(r.codes, int32(k))
	}
	return r, nil
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
	n := 0
	for _, v := range values {
		if v != "" && !isNumber(v) {
			return false
		}
		if v != "" {
			n++
		}
	}
	return n > maxValues
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

// attribute makes the attribute of all examples; unknown marks those without a value.
func (c *column) attribute(w wanted) (a Attribute, unknown []bool, err error) {
	values := c.known()
	if !slices.ContainsFunc(values, func(v string) bool { return v != "" }) {
		return a, nil, fmt.Errorf("%s has no value in any row: fill it in, or leave the column out", showName(w.name))
	}
	a.Name, unknown = w.name, make([]bool, len(values))
	if w.manner == asNumber || w.manner == guessed && !w.rule.Grouped() && c.listed == nil && numeric(values) {
		x := make([]float64, len(values))
		for i, v := range values {
			var ok bool
			switch x[i], ok = finite(v); {
			case v == "":
				unknown[i] = true
			case !ok:
				return a, nil, fmt.Errorf("%s has the value %s: want finite numbers, or classes by \"%s:class\"", showName(w.name), showName(v), w.name)
			case math.Abs(x[i]) > largestNumber:
				return a, nil, fmt.Errorf("%s has the value %s: want at most %g in magnitude; scale it", showName(w.name), showName(v), largestNumber)
			}
		}
		a.Numbers = spread(c, x)
		return a, spread(c, unknown), nil
	}
	var class []int // of each distinct value
	if a.Values = c.listed; a.Values != nil && w.manner == guessed && !w.rule.Grouped() {
		class = inOrder(c.values, a.Values).of
	} else {
		labelled, err := w.rule.Apply(w.name, values)
		if err != nil {
			return a, nil, err
		}
		a.Values, class = labelled.Values, labelled.Labels
	}
	for i, k := range class {
		unknown[i] = k < 0
	}
	a.Labels = spread(c, class)
	return a, spread(c, unknown), nil
}

// typed reads NAME, NAME:number or NAME:class.
func typed(text string) wanted {
	text = strings.TrimSpace(text)
	if name, ok := strings.CutSuffix(text, dataset.NumberSuffix); ok {
		return wanted{name: strings.TrimSpace(name), manner: asNumber}
	}
	if name, ok := strings.CutSuffix(text, ":class"); ok {
		return wanted{name: strings.TrimSpace(name), manner: asClass}
	}
	return wanted{name: text}
}
