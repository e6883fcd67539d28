package audit

import (
	"cmp"
	"errors"
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
	if len(names) == 1 {
		return twoClasses(c, names[0])
	}
	if names[0] != "" {
		if got, ok := byName(c.values, names, asWritten); ok {
			return got, nil
		}
		if got, ok := byName(c.values, names, strings.ToLower); ok {
			return got, nil
		}
	}
	values := c.known()
	if of, ok := byIndex(values, len(names)); ok {
		got := classed{names: names, of: of}
		if names[0] == "" {
			got.names = indexNames(len(names))
		} else if !slices.Equal(names, indexNames(len(names))) {
			got.note = fmt.Sprintf("%s is taken for the place of its column of outputs, from 0 (%s) on", showName(c.name), showName(names[0]))
		}
		return got, nil
	}
	distinct := sorted(values)
	if slices.Equal(names, indexNames(len(names))) && !slices.ContainsFunc(distinct, isNumber) {
		names = make([]string, len(names)) // the classes are words, so the numbers of the columns do not name them
	}
	if names[0] == "" && len(distinct) == len(names) {
		return inOrder(values, distinct, fmt.Sprintf("the columns of outputs are taken for the values of %s in their order: %s", showName(c.name), showNames(distinct))), nil
	}
	if names[0] != "" {
		if rests, ok := commonRests(names); ok {
			if got, err := classesOf(c, rests); err == nil {
				return got, nil
			}
		}
		return classed{}, fmt.Errorf("%s has the values %s, the columns of outputs are of %s: give them the same names, or number the labels from 0", showName(c.name), showNames(distinct), showNames(names))
	}
	return classed{}, fmt.Errorf("%s has %s (%s) and there are %d columns of outputs: number the labels from 0, or name the columns score:CLASS", showName(c.name), plural(float64(len(distinct)), "value"), showNames(distinct), len(names))
}

// commonRests returns what follows the common beginning of names, as 0 and 1 of q0 and q1, and
// whether they have one.
func commonRests(names []string) ([]string, bool) {
	rests := make([]string, len(names))
	common, _ := stem(names[0])
	for i, name := range names {
		var b string
		if b, rests[i] = stem(name); b == "" || b != common {
			return nil, false
		}
	}
	return rests, true
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
		if !ok {
			k = -1
		}
		if !ok && !missing(v) {
			return got, false
		}
		got.of[i] = k
	}
	return got, true
}

func isNumber(text string) bool {
	_, ok := finite(text)
	return ok
}

func asWritten(name string) string { return name }

// byIndex reads every value as an index below n; 3.0 is one, as pandas writes it.
func byIndex(values []string, n int) ([]int, bool) {
	of := make([]int, len(values))
	for i, v := range values {
		if v == "" {
			of[i] = -1
			continue
		}
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

// twoClasses reads the values of y for one column of outputs, which is of the class
// positive, or of the second.
func twoClasses(c *column, positive string) (classed, error) {
	values := c.known()
	if of, ok := byIndex(values, 2); ok {
		return classed{names: indexNames(2), of: of}, nil
	}
	distinct := sorted(values)
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
	return inOrder(values, distinct, ""), nil
}

// inOrder gives the values the places of names.
func inOrder(values, names []string, note string) classed {
	place := map[string]int{"": -1}
	for i, name := range names {
		place[name] = i
	}
	got := classed{names: names, of: make([]int, len(values)), note: note}
	for i, v := range values {
		got.of[i] = place[v]
	}
	return got
}

// sorted returns the distinct values that are known, in the order of numbers if all are numbers,
// else alphabetically.
func sorted(values []string) []string {
	list := slices.Clone(values)
	slices.Sort(list)
	list = slices.Compact(list)
	list = slices.DeleteFunc(list, func(v string) bool { return v == "" })
	for _, v := range list {
		if _, ok := finite(v); !ok {
			return list
		}
	}
	slices.SortStableFunc(list, func(a, b string) int {
		x, _ := finite(a)
		y, _ := finite(b)
		return cmp.Compare(x, y)
	})
	return list
}

// targets returns y of all examples, and which of them have none.
func (src *source) targets() (classes []string, y []int, unknown []bool, err error) {
	if len(src.target.values) > maxColumns {
		return nil, nil, nil, fmt.Errorf("%s has %d values: want classes", showName(src.target.name), len(src.target.values))
	}
	got, err := src.classed()
	if err != nil {
		return nil, nil, nil, err
	}
	if got.note != "" {
		src.note("%s", got.note)
	}
	none := make([]bool, len(got.of))
	for i, class := range got.of {
		none[i] = class < 0
	}
	return got.names, spread(src.target, got.of), spread(src.target, none), nil
}

// classed applies the target's rule, if it has one, before the classes are found.
func (src *source) classed() (classed, error) {
	if len(src.classes) == 0 {
		return classed{}, errors.New("has no columns of outputs: name them")
	}
	if src.rule == nil {
		return classesOf(src.target, src.classes)
	}
	a, err := src.rule.Apply(src.target.name, src.target.known())
	if err != nil {
		return classed{}, err
	}
	if want := max(len(src.classes), 2); len(a.Values) != want {
		return classed{}, fmt.Errorf("the rule of %s makes %d classes of %d columns of outputs: want as many", showName(src.target.name), len(a.Values), want)
	}
	if got, ok := byName(a.Values, src.classes, strings.ToLower); ok && src.classes[0] != "" && len(src.classes) > 1 {
		return src.through(a.Labels, got), nil
	}
	return classed{names: a.Values, of: a.Labels, note: fmt.Sprintf("the columns of outputs are taken for the classes of the rule in their order: %s", showNames(a.Values))}, nil
}

// through maps labels of a rule to the columns that their classes name.
func (src *source) through(labels []int, named classed) classed {
	of := make([]int, len(labels))
	for i, label := range labels {
		if of[i] = -1; label >= 0 {
			of[i] = named.of[label]
		}
	}
	return classed{names: named.names, of: of}
}
