package dataset

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
)

// chosen is the target and the sensitive attributes of every row, −1 if a
// row falls in none.
type chosen struct {
	target    Attribute
	sensitive []Attribute
	plain     []bool // of each of sensitive: its classes are its values, not those of a rule
	columns   []int  // that they are made of
}

// all lists the target, if there is one, and the sensitive attributes.
func (c *chosen) all() []Attribute {
	if c.target.Labels == nil {
		return c.sensitive
	}
	return append([]Attribute{c.target}, c.sensitive...)
}

// choose applies the rules.
func (src *origin) choose(o LabelledOptions) (*chosen, error) {
	target, sensitive := o.Target, o.Sensitive
	if target == "" {
		target = src.target
	}
	if target == "" {
		return nil, fmt.Errorf("which column is the target? it has %s", few(src.labels.names()))
	}
	c := new(chosen)
	var err error
	if target == NoTarget {
		c.hideTarget(src)
	} else if c.target, err = src.targetOf(target, o.Numbers, c); err != nil {
		return nil, fmt.Errorf("the target: %w", err)
	}
	if len(sensitive) == 0 { // the kind's own, but for what is the target already
		sensitive = slices.DeleteFunc(slices.Clone(src.sensitive), func(name string) bool {
			k, err := src.labels.find(name)
			return err == nil && slices.Contains(c.columns, k)
		})
	}
	taken := map[string]bool{}
	for _, text := range sensitive {
		a, err := src.sensitiveAttribute(text, o.Numbers, c)
		if err != nil {
			return nil, fmt.Errorf("the sensitive attribute: %w", err)
		}
		for k, name := 2, a.Name; taken[a.Name]; k++ {
			a.Name = fmt.Sprintf("%s-%d", name, k)
		}
		taken[a.Name] = true
		r, _ := ParseRule(strings.TrimSuffix(text, NumberSuffix))
		c.sensitive, c.plain = append(c.sensitive, a), append(c.plain, len(r.classes) == 0 && src.shortcuts[folded(r.column)] == "")
	}
	return c, nil
}

// targetOf is attribute or, where numbers are allowed, the numbers of a column.
func (src *origin) targetOf(text string, numeric bool, c *chosen) (Attribute, error) {
	if !strings.HasSuffix(strings.TrimSpace(text), NumberSuffix) {
		return src.attribute(text, c)
	}
	return src.sensitiveAttribute(text, numeric, c)
}

// hideTarget keeps the kind's own target from being an input, where there is to be no target.
func (c *chosen) hideTarget(src *origin) {
	if k, err := src.labels.find(src.target); err == nil {
		c.columns = append(c.columns, k)
	}
}

// sensitiveAttribute is attribute or, where numbers are allowed, the numbers of a column.
func (src *origin) sensitiveAttribute(text string, numeric bool, c *chosen) (Attribute, error) {
	name, ok := strings.CutSuffix(strings.TrimSpace(text), NumberSuffix)
	if !ok {
		return src.attribute(text, c)
	}
	k, err := src.labels.find(strings.TrimSpace(name))
	if err != nil {
		return Attribute{}, err
	}
	if !numeric {
		return Attribute{}, fmt.Errorf("%s: numbers are neither target nor attribute here: make classes of them, as in \"%s: <0, >=0\"", text, strings.TrimSpace(name))
	}
	c.columns = append(c.columns, k)
	return numbers(src.labels.columns[k])
}

// numbers makes a numeric attribute of a column. Rows without a value have the label −1 until the
// rows are chosen (see Attribute.of).
func numbers(c column) (Attribute, error) {
	a := Attribute{Name: c.name, Labels: make([]int, len(c.values)), Numbers: make([]float64, len(c.values))}
	for i, v := range c.values {
		if v == "" {
			a.Labels[i] = -1
			continue
		}
		x, err := strconv.ParseFloat(v, 64)
		if err != nil || !(math.Abs(x) <= largestNumber) {
			return a, fmt.Errorf("%s has the value %q: want numbers up to %g in magnitude, or classes without %s", c.name, v, largestNumber, NumberSuffix)
		}
		a.Numbers[i] = x
	}
	return a, nil
}

// of returns the attribute of the rows, which all have a value.
func (a Attribute) of(rows []int) Attribute {
	a.Labels, a.Numbers = pick(a.Labels, 1, rows), pick(a.Numbers, 1, rows)
	if a.Numbers != nil {
		a.Labels = nil
	}
	return a
}

// classWords says what a row must have not to be left out.
func (a *Attribute) classWords() string {
	if a.Numeric() {
		return "has no number"
	}
	return "falls in none of the classes " + strings.Join(a.Values, "; ")
}

// attribute applies one rule, or the one that a shortcut stands for.
func (src *origin) attribute(text string, c *chosen) (Attribute, error) {
	r, err := ParseRule(text)
	if err != nil {
		return Attribute{}, err
	}
	if long := src.shortcuts[folded(r.column)]; len(r.classes) == 0 && long != "" {
		name := folded(r.column)
		if r, err = ParseRule(long); err != nil {
			return Attribute{}, err
		}
		r.name = name
	}
	k, err := src.labels.find(r.column)
	if hint := src.elsewhere[folded(r.column)]; err != nil && hint != "" {
		err = fmt.Errorf("%w; %s", err, hint)
	}
	if err != nil {
		return Attribute{}, err
	}
	c.columns = append(c.columns, k)
	a, err := r.apply(src.labels.columns[k])
	if err != nil {
		return a, err
	}
	if len(a.Values) < 2 {
		return a, fmt.Errorf("%s is constant (%s): want an attribute of two classes or more", a.Name, strings.Join(a.Values, ""))
	}
	if class := absent(a, complete(nil, len(a.Labels))); class >= 0 {
		return a, fmt.Errorf("class %q of %s has no example: correct the rule, or leave the class out", a.Values[class], a.Name)
	}
	return a, nil
}

// fill gives a set the labels of its rows.
func (c *chosen) fill(s *Set, rows []int) {
	s.YName, s.YNames = c.target.Name, c.target.Values
	s.Y, s.YNumbers = pick(c.target.Labels, 1, rows), pick(c.target.Numbers, 1, rows)
	for _, a := range c.sensitive {
		s.Sensitive = append(s.Sensitive, a.of(rows))
	}
}
