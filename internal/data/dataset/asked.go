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
			return Asked{Rule: Rule{Column: name}, Number: number, Class: !number}, nil
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
	case a.Number || !a.Class && !a.Grouped() && a.Listed == nil && manyNumbers(known):
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
		place = placesOf(x.Values)
	}
	x.Labels = labelled(values, place)
	return x, nil
}

// placesOf returns the place of each of some values in their list.
func placesOf(list []string) map[string]int {
	place := make(map[string]int, len(list))
	for i, v := range list {
		place[v] = i
	}
	return place
}

// labelled returns the place of each value, −1 of one that has none.
func labelled(values []string, place map[string]int) []int {
	labels := make([]int, len(values))
	for i, v := range values {
		k, known := place[v]
		if labels[i] = k; !known {
			labels[i] = -1
		}
	}
	return labels
}

// manyNumbers reports whether a column with these values is taken for numbers: more than 20 values, all of them numbers.
func manyNumbers(known []string) bool {
	return len(known) > mostPlain && !slices.ContainsFunc(known, func(v string) bool { _, ok := number(v); return !ok })
}

// maxCombinations is the largest number of classes of an intersection.
const maxCombinations = 100

// intersection is a sensitive attribute made of several: a class for each combination of theirs.
type intersection struct {
	text    string
	names   []string // of the factors
	factors []int    // in the list of what is read
}

// Sensitive are the sensitive attributes that are asked for: what is read, and what is made of
// it.
type Sensitive struct {
	Read  []string // columns and rules, as ParseAsked reads them
	own   int      // of these, the first that are attributes by themselves
	cross []intersection
}

// ParseSensitive finds the intersections, such as race*sex, among the sensitive attributes that
// are asked for. A factor is the column of an attribute that is asked for by itself, with its
// rule, or another column. has reports whether there is a column of that name.
func ParseSensitive(asked []string, has func(name string) bool) (c Sensitive, err error) {
	var crossed []string
	for _, text := range asked {
		before, _, rule := strings.Cut(text, ":")
		if strings.Contains(before, "*") && !has(text) {
			if rule {
				return c, fmt.Errorf("sensitive %s: an intersection names attributes only; give a rule by itself, as in --sensitive 'age: <40, >=40' --sensitive 'age*sex'", file.Shown(text))
			}
			crossed = append(crossed, text)
			continue
		}
		c.Read = append(c.Read, text)
	}
	c.own = len(c.Read)
	for _, text := range crossed {
		x := intersection{text: text}
		for name := range strings.SplitSeq(text, "*") {
			name = strings.TrimSpace(name)
			if name == "" {
				return c, fmt.Errorf("sensitive %s: an attribute of the intersection has no name", file.Shown(text))
			}
			k := -1
			for i, r := range c.Read {
				asked, err := ParseAsked(r)
				if err != nil || !strings.EqualFold(asked.Column, name) || asked.Number {
					continue
				}
				if k >= 0 {
					return c, fmt.Errorf("sensitive %s: %s is asked for twice, as %s and as %s: leave one out", file.Shown(text), file.Shown(name), file.Shown(c.Read[k]), file.Shown(r))
				}
				k = i
			}
			if k < 0 {
				k = len(c.Read)
				c.Read = append(c.Read, name)
			}
			x.names = append(x.names, name)
			if slices.Contains(x.factors, k) {
				return c, fmt.Errorf("sensitive %s: %s is in it twice", file.Shown(text), file.Shown(name))
			}
			x.factors = append(x.factors, k)
		}
		c.cross = append(c.cross, x)
	}
	return c, nil
}

// Make returns the attributes that are asked for, of those that were read.
func (c *Sensitive) Make(read []Attribute) ([]Attribute, error) {
	if len(c.cross) == 0 {
		return read, nil
	}
	all := slices.Clone(read[:c.own])
	for _, x := range c.cross {
		a, err := x.of(read)
		if err != nil {
			return nil, err
		}
		all = append(all, a)
	}
	return all, nil
}

// of returns the intersection of its factors among the attributes. All combinations are classes,
// so that two files have the same, whether or not there are examples.
func (x *intersection) of(read []Attribute) (Attribute, error) {
	a := Attribute{Name: strings.Join(x.names, "*"), Values: []string{""}, Labels: make([]int, len(read[x.factors[0]].Labels))}
	for i, k := range x.factors {
		f := &read[k]
		if f.Numeric() {
			return a, fmt.Errorf("sensitive %s: %s is numeric; make classes of it, as in --sensitive '%s: <40, >=40'", file.Shown(x.text), file.Shown(f.Name), f.Name)
		}
		if n := len(a.Values) * len(f.Values); n > maxCombinations {
			return a, fmt.Errorf("sensitive %s: it has %d combinations, more than %d: group values by a rule, as in --sensitive '%s: %s; *'", file.Shown(x.text), n, maxCombinations, f.Name, f.Values[0])
		}
		between := " "
		if i == 0 {
			between = ""
		}
		var values []string
		for _, v := range a.Values {
			for _, w := range f.Values {
				values = append(values, v+between+w)
			}
		}
		a.Values = values
		for e, l := range f.Labels { // −1, of a row without a value, stays
			if a.Labels[e] >= 0 {
				a.Labels[e] = a.Labels[e]*len(f.Values) + l
			}
			if l < 0 {
				a.Labels[e] = -1
			}
		}
	}
	if seen := slices.Compact(slices.Sorted(slices.Values(a.Values))); len(seen) < len(a.Values) {
		return a, fmt.Errorf("sensitive %s: two combinations have one name: rename values", file.Shown(x.text))
	}
	return a, nil
}
