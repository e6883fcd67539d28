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
	asListed                 // the classes that an archive lists, in this order
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
	if w := typed(text); w.manner != guessed {
		return w, nil
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

// typed reads NAME, NAME:number or NAME:class.
func typed(text string) wanted {
	for suffix, m := range map[string]manner{dataset.NumberSuffix: asNumber, ":class": asClass} {
		if name, ok := strings.CutSuffix(strings.TrimSpace(text), suffix); ok {
			return wanted{name: strings.TrimSpace(name), manner: m}
		}
	}
	return wanted{name: text}
}

// attribute makes the attribute of all examples; unknown marks those without a value.
func (c *attributeColumn) attribute() (a Attribute, unknown []bool, err error) {
	values := c.known()
	if c.wanted.manner == asNumber || c.wanted.manner == guessed && numeric(values) {
		return c.numbers(values)
	}
	a.Name = c.name
	var class []int // of each distinct value
	if a.Values = c.wanted.listed; c.wanted.manner == asListed {
		class = inOrder(c.values, a.Values, "").of
	} else {
		labelled, err := c.wanted.rule.Apply(c.name, values)
		if err != nil {
			return a, nil, err
		}
		a.Values, class = labelled.Values, labelled.Labels
	}
	if len(a.Values) == 0 {
		return a, nil, fmt.Errorf("%s has no value in any row: fill it in, or leave the column out", showName(c.name))
	}
	none := make([]bool, len(class))
	for i, k := range class {
		none[i] = k < 0
	}
	a.Labels = spread(c.column, class)
	return a, spread(c.column, none), nil
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
