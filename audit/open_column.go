package audit

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"tattle/internal/file"
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
		if v == "" {
			continue
		}
		if _, ok := finite(v); !ok {
			return false
		}
		n++
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

// showName prints a name from outside in one line of bounded length.
func showName(name string) string {
	const most = 200
	if len(name) > most {
		name = name[:most] + "…"
	}
	return file.Name(name)
}

// showNames lists names from outside for an error, a dozen of them.
func showNames(names []string) string {
	const most = 12
	var list []string
	names = slices.DeleteFunc(slices.Clone(names), func(n string) bool { return n == "" })
	for _, n := range names[:min(most, len(names))] {
		list = append(list, showName(n))
	}
	text := strings.Join(list, ", ")
	if n := len(names) - most; n > 0 {
		text += fmt.Sprintf(" and %d more", n)
	}
	return text
}
