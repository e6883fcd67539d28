package dataset

import (
	"fmt"
	"slices"
	"strings"

	"tattle/internal/file"
)

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
				if err != nil || !strings.EqualFold(asked.Column(), name) || asked.Number {
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
