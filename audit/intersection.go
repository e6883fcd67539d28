package audit

import (
	"fmt"
	"slices"
	"strings"

	"tattle/dataset"
)

// maxCombinations is the largest number of classes of an intersection.
const maxCombinations = 100

// intersection is a sensitive attribute made of several: a class for each combination of theirs.
type intersection struct {
	text    string
	factors []int // in the list of what is read
}

// sensitiveColumns are the sensitive attributes that are asked for: what is read, and what is made of
// it.
type sensitiveColumns struct {
	read  []string // columns and rules, as dataset.ParseRule reads them
	own   int      // of these, the first that are attributes by themselves
	cross []intersection
}

// splitSensitive finds the intersections, such as race*sex, among the sensitive attributes that
// are asked for. A factor is the column of an attribute that is asked for by itself, with its
// rule, or another column. has reports whether there is a column of exactly that name; nil: there is none.
func splitSensitive(asked []string, has func(name string) bool) (c sensitiveColumns, err error) {
	var crossed []string
	for _, text := range asked {
		before, _, rule := strings.Cut(text, ":")
		if strings.Contains(before, "*") && !(has != nil && has(text)) {
			if rule {
				return c, fmt.Errorf("sensitive %s: an intersection names attributes only; give a rule by itself, as in --sensitive 'age: <40, >=40' --sensitive 'age*sex'", showName(text))
			}
			crossed = append(crossed, text)
			continue
		}
		c.read = append(c.read, text)
	}
	c.own = len(c.read)
	for _, text := range crossed {
		x := intersection{text: text}
		for name := range strings.SplitSeq(text, "*") {
			name = strings.TrimSpace(name)
			if name == "" {
				return c, fmt.Errorf("sensitive %s: an attribute of the intersection has no name", showName(text))
			}
			k := slices.IndexFunc(c.read, func(r string) bool {
				return strings.EqualFold(columnOf(r), name) && !strings.HasSuffix(r, dataset.NumberSuffix)
			})
			if k < 0 {
				k = len(c.read)
				c.read = append(c.read, name)
			}
			if slices.Contains(x.factors, k) {
				return c, fmt.Errorf("sensitive %s: %s is in it twice", showName(text), showName(name))
			}
			x.factors = append(x.factors, k)
		}
		c.cross = append(c.cross, x)
	}
	return c, nil
}

// columnOf returns the column that a sensitive attribute is made of.
func columnOf(text string) string {
	if r, err := dataset.ParseRule(strings.TrimSuffix(strings.TrimSuffix(strings.TrimSpace(text), ":class"), dataset.NumberSuffix)); err == nil {
		return r.Column()
	}
	return text
}

// make returns the attributes that are asked for, of those that were read.
func (c *sensitiveColumns) make(read []Attribute) ([]Attribute, error) {
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
	a := Attribute{Values: []string{""}, Labels: make([]int, len(read[x.factors[0]].Labels))}
	for i, k := range x.factors {
		f := &read[k]
		if f.Numeric() {
			return a, fmt.Errorf("sensitive %s: %s is numeric; make classes of it, as in --sensitive '%s: <40, >=40'", showName(x.text), showName(f.Name), f.Name)
		}
		if n := len(a.Values) * len(f.Values); n > maxCombinations {
			return a, fmt.Errorf("sensitive %s: it has %d combinations, more than %d: group values by a rule, as in --sensitive '%s: %s; *'", showName(x.text), n, maxCombinations, f.Name, f.Values[0])
		}
		between, names := "*", " "
		if i == 0 {
			between, names = "", ""
		}
		a.Name += between + f.Name
		var values []string
		for _, v := range a.Values {
			for _, w := range f.Values {
				values = append(values, v+names+w)
			}
		}
		a.Values = values
		for e, l := range f.Labels {
			a.Labels[e] = a.Labels[e]*len(f.Values) + l
		}
	}
	if seen := slices.Compact(slices.Sorted(slices.Values(a.Values))); len(seen) < len(a.Values) {
		return a, fmt.Errorf("sensitive %s: two combinations have one name: rename values", showName(x.text))
	}
	return a, nil
}

// makeIn replaces the attributes of a set, as they were read, by those that are asked for. The
// set may be nil.
func (c *sensitiveColumns) makeIn(set *dataset.Set) error {
	if set == nil || len(c.cross) == 0 {
		return nil
	}
	all, err := c.make(set.Sensitive)
	if err != nil {
		return err
	}
	set.Sensitive = all
	set.SHA256 = set.Sum()
	return nil
}

// trainable returns the parts without numeric attributes, which classifiers are not trained with.
func trainable(p *dataset.Parts) *dataset.Parts {
	return &dataset.Parts{Train: classesOnly(p.Train), Validation: classesOnly(p.Validation), Test: classesOnly(p.Test), Notes: p.Notes}
}

// classesOnly returns the set, which may be nil, without its numeric attributes.
func classesOnly(set *dataset.Set) *dataset.Set {
	if set == nil || !slices.ContainsFunc(set.Sensitive, func(a dataset.Attribute) bool { return a.Numeric() }) {
		return set
	}
	s := *set
	s.Sensitive = slices.DeleteFunc(slices.Clone(s.Sensitive), func(a dataset.Attribute) bool { return a.Numeric() })
	s.SHA256 = s.Sum()
	return &s
}
