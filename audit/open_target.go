package audit

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
)

// classed is a column's distinct values as classes of y: the class of each, −1 for none.
type classed struct {
	names []string
	of    []int
	note  string
}

// classesOf returns the column of outputs that each value of y means; names are the columns'
// classes, "" if they have none. One column of outputs has two classes.
func classesOf(c *column, names []string) (classed, error) {
	values := c.known()
	distinct := sorted(values)
	if len(names) == 1 {
		return twoClasses(c, values, distinct, names[0])
	}
	if names[0] != "" {
		for _, as := range []func(string) string{strings.Clone, strings.ToLower} {
			if got, ok := byName(c.values, names, as); ok {
				return got, nil
			}
		}
	}
	indices := indexNames(len(names))
	if of, ok := byIndex(values, len(names)); ok {
		got := classed{names: names, of: of}
		if names[0] == "" {
			got.names = indices
		} else if !slices.Equal(names, indices) {
			got.note = fmt.Sprintf("%s is taken for the place of its column of outputs, from 0 (%s) on", showName(c.name), showName(names[0]))
		}
		return got, nil
	}
	if slices.Equal(names, indices) && !slices.ContainsFunc(distinct, isNumber) {
		names = make([]string, len(names)) // the classes are words, so the numbers of the columns do not name them
	}
	if names[0] == "" && len(distinct) == len(names) {
		got := inOrder(values, distinct)
		got.note = fmt.Sprintf("the columns of outputs are taken for the values of %s in their order: %s", showName(c.name), showNames(distinct))
		return got, nil
	}
	if names[0] == "" {
		return classed{}, fmt.Errorf("%s has %s (%s) and there are %d columns of outputs: number the labels from 0, or name the columns score:CLASS", showName(c.name), plural(float64(len(distinct)), "value"), showNames(distinct), len(names))
	}
	rests := make([]string, len(names)) // what follows the common beginning of names, as 0 and 1 of q0 and q1
	common, _ := stem(names[0])
	for i, name := range names {
		var b string
		if b, rests[i] = stem(name); b != common {
			common = ""
		}
	}
	if common != "" {
		if got, err := classesOf(c, rests); err == nil {
			return got, nil
		}
	}
	return classed{}, fmt.Errorf("%s has the values %s, the columns of outputs are of %s: give them the same names, or number the labels from 0", showName(c.name), showNames(distinct), showNames(names))
}

// twoClasses reads the values of y for one column of outputs, which is of the class
// positive, or of the second.
func twoClasses(c *column, values, distinct []string, positive string) (classed, error) {
	if of, ok := byIndex(values, 2); ok {
		return classed{names: indexNames(2), of: of}, nil
	}
	if len(distinct) != 2 {
		number := ""
		if numeric(values) {
			number = fmt.Sprintf("; if it is a number that the output predicts: --target %s:number", showName(c.name))
		}
		return classed{}, fmt.Errorf("%s has %d values (%s) beside one column of outputs: want two, or a column for each class%s", showName(c.name), len(distinct), showNames(distinct), number)
	}
	if strings.EqualFold(distinct[0], positive) {
		slices.Reverse(distinct)
	}
	return inOrder(values, distinct), nil
}

// byName finds every value among the names, except missing ones; as returns the spelling in
// which they are compared, which must keep the names distinct.
func byName(values, names []string, as func(string) string) (classed, bool) {
	place := make(map[string]int, len(names))
	for i, name := range names {
		place[as(name)] = i
	}
	got := classed{names: names, of: make([]int, len(values))}
	if len(place) < len(names) {
		return got, false
	}
	for i, v := range values {
		k, ok := place[as(v)]
		if !ok && !missing(v) {
			return got, false
		}
		if got.of[i] = k; !ok {
			got.of[i] = -1
		}
	}
	return got, true
}

// byIndex reads every value as an index below n; 3.0 is one, as pandas writes it.
func byIndex(values []string, n int) ([]int, bool) {
	of := make([]int, len(values))
	for i, v := range values {
		x, ok := finite(v)
		switch {
		case v == "":
			of[i] = -1
		case !ok || x != math.Trunc(x) || x < 0 || x >= float64(n):
			return nil, false
		default:
			of[i] = int(x)
		}
	}
	return of, true
}

// indexNames names classes by their numbers.
func indexNames(n int) []string {
	names := make([]string, n)
	for i := range names {
		names[i] = strconv.Itoa(i)
	}
	return names
}

// inOrder gives the values the places of names.
func inOrder(values, names []string) classed {
	place := map[string]int{"": -1}
	for i, name := range names {
		place[name] = i
	}
	got := classed{names: names, of: make([]int, len(values))}
	for i, v := range values {
		got.of[i] = place[v]
	}
	return got
}

// sorted returns the distinct values that are known, in the order of numbers if all are numbers,
// else alphabetically.
func sorted(values []string) []string {
	list := slices.DeleteFunc(slices.Compact(slices.Sorted(slices.Values(values))), func(v string) bool { return v == "" })
	if !slices.ContainsFunc(list, func(v string) bool { return !isNumber(v) }) {
		slices.SortStableFunc(list, func(a, b string) int {
			x, _ := finite(a)
			y, _ := finite(b)
			return cmp.Compare(x, y)
		})
	}
	return list
}
