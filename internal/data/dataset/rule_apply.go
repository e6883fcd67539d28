package dataset

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"
)

// distinctValues returns the values there are, sorted.
func distinctValues(values []string) []string {
	seen := map[string]bool{}
	for _, v := range values {
		seen[v] = true
	}
	return slices.Sorted(maps.Keys(seen))
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
		return cmp.Or(cmp.Compare(at[a].lo, at[b].lo), cmp.Compare(at[a].hi, at[b].hi))
	})
}

// ranged is a comparison or range of values, and the class that it is an entry of.
type ranged struct {
	interval
	class int
}

// group gives every value the class that it falls in, or −1: the one that names it, or the one whose ranges hold it
// wholly, or the one of all others. Entries are values where there are such, and otherwise comparisons and ranges.
func (r Rule) group(name string, distinct []string) ([]string, map[string]int, error) {
	var titles []string
	var ranges []ranged
	classes, rest := map[string]int{}, -1
	for i, c := range r.classes {
		titles = append(titles, c.title())
		for _, e := range c.entries {
			found := named(e.text, distinct)
			v, isRange := parseInterval(e.text)
			for _, value := range found {
				if other, taken := classes[value]; taken && other != i {
					return nil, nil, fmt.Errorf("%s %q is named in two classes: leave it in one", name, value)
				}
				classes[value] = i
			}
			switch {
			case len(found) > 0:
			case e.all():
				rest = i
			case isRange && !e.quoted:
				ranges = append(ranges, ranged{v, i})
			default:
				return nil, nil, fmt.Errorf("%s has no value %q: it has %s", name, e.text, some(distinct))
			}
		}
	}
	for _, value := range distinct {
		if _, taken := classes[value]; taken {
			continue
		}
		class := -1
		v, isNumber := parseInterval(value)
		for _, w := range ranges {
			switch {
			case !isNumber || !v.meets(w.interval):
			case !v.within(w.interval):
				return nil, nil, fmt.Errorf("%s %q falls into %q only in part: draw the classes' limits along the values", name, value, titles[w.class])
			case class >= 0 && class != w.class:
				return nil, nil, fmt.Errorf("%s %q falls into both %q and %q: keep the classes apart", name, value, titles[class], titles[w.class])
			default:
				class = w.class
			}
		}
		if class < 0 && value != "" {
			class = rest
		}
		classes[value] = class
	}
	return titles, classes, nil
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
