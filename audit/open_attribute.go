package audit

import (
	"fmt"
	"math"
	"strings"

	"tattle/dataset"
)

// The ways in which a column becomes an attribute.
type manner int

const (
	guessed    manner = iota // numbers if there are more than maxValues, classes otherwise
	asNumber                 // NAME:number
	asClass                  // NAME:class
	asListed                 // s:NAME=A|B: these classes, in this order
	asRuleSays               // a dataset.Rule with classes
)

// wanted is a sensitive attribute as the options describe it.
type wanted struct {
	name   string // of the column, then of the attribute
	manner manner
	listed []string
	rule   dataset.Rule
}

// attributeColumn is a column and the attribute to be made from it.
type attributeColumn struct {
	*column
	wanted wanted
}

// parseWanted reads "NAME", "NAME:number", "NAME:class" or a rule. A text that is the name of a
// column means that column.
func parseWanted(text string, has func(name string) bool) (wanted, error) {
	if has(text) {
		return wanted{name: text}, nil
	}
	for suffix, m := range map[string]manner{":number": asNumber, ":class": asClass} {
		if name, ok := strings.CutSuffix(strings.TrimSpace(text), suffix); ok {
			return wanted{name: strings.TrimSpace(name), manner: m}, nil
		}
	}
	r, err := dataset.ParseRule(text)
	if err != nil {
		return wanted{}, err
	}
	w := wanted{name: r.Column(), rule: r}
	if r.Grouped() {
		w.manner = asRuleSays
	}
	return w, nil
}

// attribute makes the attribute of all examples; unknown marks those without a value.
func (c *attributeColumn) attribute() (a Attribute, unknown []bool, err error) {
	values := c.known()
	if c.wanted.manner == asNumber || c.wanted.manner == guessed && numeric(values) {
		return c.numbers(values)
	}
	a.Name = c.name
	of := map[string]int{}
	switch c.wanted.manner {
	case asListed:
		a.Values = c.wanted.listed
		err = c.list(of)
	default:
		var labelled dataset.Attribute
		labelled, err = c.wanted.rule.Apply(c.name, values)
		a.Values = labelled.Values
		for i, label := range labelled.Labels {
			of[c.values[i]] = label
		}
	}
	if err != nil {
		return a, nil, err
	}
	if len(a.Values) == 0 {
		return a, nil, fmt.Errorf("%s has no value in any row: fill it in, or leave the column out", showName(c.name))
	}
	class, none := make([]int, len(c.values)), make([]bool, len(c.values))
	for i, v := range c.values {
		class[i] = of[v]
		none[i] = class[i] < 0
	}
	a.Labels = spread(c.column, class)
	return a, spread(c.column, none), nil
}

// list returns the index of every value among the listed ones.
func (c *attributeColumn) list(of map[string]int) error {
	for i, v := range c.wanted.listed {
		of[v] = i
	}
	for _, v := range c.values {
		if _, ok := of[v]; ok {
			continue
		}
		if !missing(v) {
			return fmt.Errorf("%s has the value %s, which its header does not list: correct the header", showName(c.name), showName(v))
		}
		of[v] = -1
	}
	return nil
}

// numbers makes a numeric attribute.
func (c *attributeColumn) numbers(values []string) (a Attribute, unknown []bool, err error) {
	x, none := make([]float64, len(values)), make([]bool, len(values))
	some := false
	for i, v := range values {
		if v == "" {
			none[i] = true
			continue
		}
		var ok bool
		if x[i], ok = finite(v); !ok {
			return a, nil, fmt.Errorf("%s has the value %s: want finite numbers, or classes by \"%s:class\"", showName(c.name), showName(v), c.name)
		}
		if math.Abs(x[i]) > largestNumber {
			return a, nil, fmt.Errorf("%s has the value %s: want at most %g in magnitude; scale it", showName(c.name), showName(v), largestNumber)
		}
		some = true
	}
	if !some {
		return a, nil, fmt.Errorf("%s has no value in any row: fill it in, or leave the column out", showName(c.name))
	}
	return Attribute{Name: c.name, Numbers: spread(c.column, x)}, spread(c.column, none), nil
}
