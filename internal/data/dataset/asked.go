package dataset

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"tattle/internal/file"
)

// mostPlain is the largest number of distinct values of a column of numbers that is read as
// classes if nobody says how.
const mostPlain = 20

// largestNumber is the largest magnitude of a number of an attribute: its square is finite.
const largestNumber = 1e100

// classSuffix follows the name of a column whose values are classes, be they many numbers or not.
const classSuffix = ":class"

// Asked is an attribute as it is asked for: NAME, NAME:number, NAME:class, or a rule.
type Asked struct {
	Rule            // of a column, with classes or without
	Number bool     // its numbers
	Class  bool     // its values
	Listed []string // its values in their order, if the data list them; as ParseAsked returns it, none
}

// ParseAsked reads an attribute that is asked for.
func ParseAsked(text string) (a Asked, err error) {
	text = strings.TrimSpace(text)
	if i := strings.LastIndexByte(text, ':'); i >= 0 {
		name, word := strings.TrimSpace(text[:i]), ":"+strings.TrimSpace(text[i+1:])
		if number := word == NumberSuffix; number || word == classSuffix {
			return Asked{Rule: Rule{column: name}, Number: number, Class: !number}, nil
		}
	}
	a.Rule, err = ParseRule(text)
	return a, err
}

// Of returns the attribute with that name. values has the value of each example; "" is a missing value, which gets
// the label −1 or the number NaN. If a says neither Number nor Class nor classes, a column with more than 20 values,
// all of them numbers, is numeric. It returns an error if there are more than most classes.
func (a Asked) Of(name string, values []string, most int) (Attribute, error) {
	x := Attribute{Name: name, Values: a.Listed}
	distinct := distinctValues(values)
	known := slices.DeleteFunc(slices.Clone(distinct), func(v string) bool { return v == "" })
	var place map[string]int // of each value in the classes
	switch {
	case len(known) == 0:
		return x, fmt.Errorf("%s has no value in any row: fill it in, or leave the column out", file.Shown(name))
	case a.Number || !a.Class && !a.Grouped() && a.Listed == nil && Numeric(known):
		x.Numbers = make([]float64, len(values))
		for i, v := range values {
			var ok bool
			switch x.Numbers[i], ok = number(v); {
			case v == "":
				x.Numbers[i] = math.NaN()
			case !ok:
				return x, fmt.Errorf("%s has the value %s: want finite numbers, or classes by \"%s%s\"", file.Shown(name), file.Shown(v), name, classSuffix)
			case math.Abs(x.Numbers[i]) > largestNumber:
				return x, fmt.Errorf("%s has the value %s: want at most %g in magnitude; scale it", file.Shown(name), file.Shown(v), largestNumber)
			}
		}
		return x, nil
	case a.Grouped():
		var err error
		if x.Values, place, err = a.group(name, distinct); err != nil {
			return x, err
		}
	case a.Listed == nil:
		sortValues(known)
		x.Values = known
	}
	if len(x.Values) > most {
		return x, fmt.Errorf("%s has %d values: want at most %d classes, or a rule that makes some, as \"%s: <0; >=0\"", file.Shown(name), len(x.Values), most, name)
	}
	if place == nil {
		place = map[string]int{"": -1}
		for i, v := range x.Values {
			place[v] = i
		}
	}
	x.Labels = make([]int, len(values))
	for i, v := range values {
		x.Labels[i] = place[v]
	}
	return x, nil
}

// Numeric reports whether a column with these values is taken for numbers: more than 20 values, all of them numbers.
func Numeric(known []string) bool {
	return len(known) > mostPlain && areNumbers(known)
}
