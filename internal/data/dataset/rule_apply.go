package dataset

import (
	"fmt"
	"slices"
	"strings"
)

// matcher is a class made ready for one column.
type matcher struct {
	values map[string]bool
	ranges []interval
	all    bool
}

// distinctValues returns the values there are, sorted.
func distinctValues(values []string) []string {
	seen := map[string]bool{}
	for _, v := range values {
		seen[v] = true
	}
	list := make([]string, 0, len(seen))
	for v := range seen {
		list = append(list, v)
	}
	slices.Sort(list)
	return list
}

// sortValues sorts by number where all are numbers or intervals of them.
func sortValues(values []string) {
	at := map[string]interval{}
	for _, v := range values {
		x, ok := parseInterval(v)
		if !ok {
			return // sorted by letters already
		}
		at[v] = x
	}
	slices.SortStableFunc(values, func(a, b string) int {
		x, y := at[a], at[b]
		if x.lo != y.lo {
			return sign(x.lo < y.lo)
		}
		if x.hi != y.hi {
			return sign(x.hi < y.hi)
		}
		return 0
	})
}

func sign(less bool) int {
	if less {
		return -1
	}
	return 1
}

// group gives every value the class that it falls in, or −1.
func (r Rule) group(name string, distinct []string) ([]string, map[string]int, error) {
	var titles []string
	var matchers []matcher
	for _, c := range r.classes {
		m, err := c.matcher(name, distinct)
		if err != nil {
			return nil, nil, err
		}
		titles, matchers = append(titles, c.title()), append(matchers, m)
	}
	classes := map[string]int{}
	for _, v := range distinct {
		class, err := classify(name, v, titles, matchers)
		if err != nil {
			return nil, nil, err
		}
		classes[v] = class
	}
	return titles, classes, nil
}

// matcher reads the entries of a class: values where there are such, and
// otherwise comparisons and ranges.
func (c class) matcher(name string, distinct []string) (matcher, error) {
	m := matcher{values: map[string]bool{}}
	for _, e := range c.entries {
		found := named(e.text, distinct)
		v, isRange := parseInterval(e.text)
		switch {
		case len(found) > 0:
			for _, value := range found {
				m.values[value] = true
			}
		case e.all():
			m.all = true
		case isRange && !e.quoted:
			m.ranges = append(m.ranges, v)
		default:
			return m, fmt.Errorf("%s has no value %q: it has %s", name, e.text, some(distinct))
		}
	}
	return m, nil
}

// named returns the values that a text names: the one that is written so, or
// those that differ in case alone.
func named(text string, distinct []string) []string {
	if _, ok := slices.BinarySearch(distinct, text); ok {
		return []string{text}
	}
	var found []string
	for _, v := range distinct {
		if strings.EqualFold(v, text) {
			found = append(found, v)
		}
	}
	return found
}

// classify returns the class of a value, or −1: the one that names it, or the
// one whose ranges hold it wholly, or the one of all others.
func classify(name, value string, titles []string, matchers []matcher) (int, error) {
	if class, err := naming(name, value, matchers); class >= 0 || err != nil || value == "" {
		return class, err
	}
	rest, class := -1, -1
	v, isNumber := parseInterval(value)
	for i, m := range matchers {
		if m.all {
			rest = i
		}
		for _, w := range m.ranges {
			if !isNumber || !v.meets(w) {
				continue
			}
			if !v.within(w) {
				return -1, fmt.Errorf("%s %q falls into %q only in part: draw the classes' limits along the values", name, value, titles[i])
			}
			if class >= 0 && class != i {
				return -1, fmt.Errorf("%s %q falls into both %q and %q: keep the classes apart", name, value, titles[class], titles[i])
			}
			class = i
		}
	}
	if class >= 0 {
		return class, nil
	}
	return rest, nil
}

// naming returns the class that names a value, or −1.
func naming(name, value string, matchers []matcher) (int, error) {
	class := -1
	for i, m := range matchers {
		if m.values[value] && class >= 0 {
			return -1, fmt.Errorf("%s %q is named in two classes: leave it in one", name, value)
		}
		if m.values[value] {
			class = i
		}
	}
	return class, nil
}

// some lists values for an error in their order, a dozen of them.
func some(values []string) string {
	const most = 12
	values = slices.Clone(values)
	sortValues(values)
	quoted := make([]string, 0, most)
	for _, v := range values[:min(most, len(values))] {
		quoted = append(quoted, fmt.Sprintf("%q", v))
	}
	list := strings.Join(quoted, ", ")
	if n := len(values) - most; n > 0 {
		list += fmt.Sprintf(" and %d more", n)
	}
	return list
}

// Column returns the name of the column that the rule is applied to.
func (r Rule) Column() string { return r.column }

// Grouped reports whether the rule says which classes there are; otherwise they
// are the column's distinct values.
func (r Rule) Grouped() bool { return len(r.classes) > 0 }
