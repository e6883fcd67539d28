package audit

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
)

// classed is the values of a target as classes of outputs: the class of each.
type classed struct {
	names []string
	of    []int
	note  string
}

// matchColumns returns the column of outputs that each value of the target means; columns are the columns' classes, ""
// if they have none. One column of outputs has two classes. listed says that the file lists the values in the
// order of the columns.
func matchColumns(w *label, y *Attribute, columns []string, listed bool) (got classed, err error) {
	values, name, ruled := y.Values, showName(w.name), w.rule.Grouped()
	if len(columns) == 1 {
		return twoClasses(name, values, columns[0], ruled)
	}
	unnamed, indices := columns[0] == "", indexNames(len(columns))
	inTurn := classed{names: values, of: inOrder(values, values)}
	if unnamed && listed && len(values) == len(columns) {
		return inTurn, nil
	}
	for _, as := range []func(string) string{strings.Clone, strings.ToLower} {
		if of, ok := byName(values, columns, as); ok {
			return classed{names: columns, of: of}, nil
		}
	}
	if of, ok := byIndex(values, len(columns)); ok && !ruled {
		got := classed{names: columns, of: of}
		if unnamed {
			got.names = indices
		} else if !slices.Equal(columns, indices) {
			got.note = fmt.Sprintf("%s is taken for the place of its column of outputs, from 0 (%s) on", name, showName(columns[0]))
		}
		return got, nil
	}
	// Where the values are words, the numbers of the columns do not name them.
	unnamed = unnamed || slices.Equal(columns, indices) && !slices.ContainsFunc(values, isNumber)
	if (unnamed || ruled) && len(values) == len(columns) {
		inTurn.note = fmt.Sprintf("the columns of outputs are taken for the values of %s in their order: %s", name, showNames(values))
		return inTurn, nil
	}
	if unnamed {
		return got, fmt.Errorf("%s has %s (%s) and there are %d columns of outputs: number the labels from 0, or name the columns score:CLASS", name, plural(float64(len(values)), "value"), showNames(values), len(columns))
	}
	rests := make([]string, len(columns)) // what follows the common beginning, as 0 and 1 of q0 and q1
	common, _ := stem(columns[0])
	for i, column := range columns {
		var b string
		if b, rests[i] = stem(column); b != common {
			common = ""
		}
	}
	if common != "" {
		if got, err := matchColumns(w, y, rests, listed); err == nil {
			return got, nil
		}
	}
	return got, fmt.Errorf("%s has the values %s, the columns of outputs are of %s: give them the same names, or number the labels from 0", name, showNames(values), showNames(columns))
}

// twoClasses reads the values of the target for one column of outputs, which is of the class
// positive, or of the second.
func twoClasses(name string, values []string, positive string, ruled bool) (classed, error) {
	if of, ok := byIndex(values, 2); ok && !ruled {
		if positive != "0" {
			return classed{names: indexNames(2), of: of}, nil
		}
		for i := range of {
			of[i] = 1 - of[i]
		}
		return classed{names: []string{"1", "0"}, of: of}, nil
	}
	if len(values) != 2 {
		number := ""
		if numeric(values) {
			number = fmt.Sprintf("; if it is a number that the output predicts: --target %s:number", name)
		}
		return classed{}, fmt.Errorf("%s has %d values (%s) beside one column of outputs: want two, or a column for each class%s", name, len(values), showNames(values), number)
	}
	names := slices.Clone(values)
	switch {
	case strings.EqualFold(names[0], positive) || positive == "0":
		slices.Reverse(names)
	case !ruled && !strings.EqualFold(names[1], positive) && !slices.Contains([]string{"", "1", "pos", "positive"}, strings.ToLower(positive)):
		return classed{}, fmt.Errorf("%s has the values %s, the column of outputs is of %s: name it after one of them", name, showNames(values), showName(positive))
	}
	return classed{names: names, of: inOrder(values, names)}, nil
}

// byName finds every value among the names; as returns the spelling in which they are compared, which must keep the
// names distinct.
func byName(values, names []string, as func(string) string) ([]int, bool) {
	place := make(map[string]int, len(names))
	for i, name := range names {
		place[as(name)] = i
	}
	of := make([]int, len(values))
	for i, v := range values {
		k, ok := place[as(v)]
		if !ok || len(place) < len(names) {
			return nil, false
		}
		of[i] = k
	}
	return of, true
}

// byIndex reads every value as an index below n; 3.0 is one, as pandas writes it.
func byIndex(values []string, n int) ([]int, bool) {
	of := make([]int, len(values))
	for i, v := range values {
		x, ok := finite(v)
		if !ok || x != math.Trunc(x) || x < 0 || x >= float64(n) {
			return nil, false
		}
		of[i] = int(x)
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
