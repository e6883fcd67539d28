package audit

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"tattle/dataset"
)

// classed is the values of a target as classes of outputs: the class of each.
type classed struct {
	names []string
	of    []int
	note  string
}

// listing says what the order of a target's values means.
type listing int

const (
	asSorted listing = iota // nothing: they were sorted
	asRuled                 // a rule has them in it
	asListed                // it is that of the columns, as the file or the data list the classes
)

// matchColumns returns the column of width outputs that each value of the target means; columns are the columns' classes,
// "" if they have none. One column of outputs has two classes.
func matchColumns(y *Attribute, columns []string, width int, how listing) (got classed, err error) {
	values, name, listed := y.Values, showName(y.Name), how == asListed
	if width == 1 && !listed {
		return twoClasses(name, values, columns[0], how)
	}
	width = max(width, 2)
	unnamed, indices := len(columns) == 0 || columns[0] == "", indexNames(width)
	if listed && len(values) > width {
		return got, fmt.Errorf("the model has %d outputs and %s of the data %d classes: name the target that it was trained on", width, name, len(values))
	}
	inTurn := classed{names: slices.Clone(values), of: inOrder(values, values)}
	for i := len(values); listed && i < width; i++ {
		other := fmt.Sprintf("output %d", i)
		for slices.Contains(inTurn.names, other) {
			other += "'"
		}
		inTurn.names = append(inTurn.names, other)
	}
	if unnamed && listed {
		if len(values) < width {
			inTurn.note = fmt.Sprintf("there are %d outputs, and the data have %d classes of %s: the other outputs are of classes without examples here", width, len(values), name)
		}
		return inTurn, nil
	}
	for _, as := range []func(string) string{strings.Clone, strings.ToLower} {
		if of, ok := byName(values, columns, as); ok && len(columns) == width {
			got := classed{names: columns, of: of}
			if listed && !slices.Equal(of, inTurn.of) {
				got.note = fmt.Sprintf("the model has its classes in the order %s, the data in the order %s: labels go by their names", showNames(columns), showNames(values))
			}
			return got, nil
		}
	}
	if listed {
		says := fmt.Sprintf("the model says that its classes are %s, the data's are %s: ", showNames(columns), showNames(values))
		for k, column := range columns {
			if i := slices.Index(values, column); i >= 0 && i != k { // the model's accuracy would be that of chance
				return got, errors.New(says + "name the target that it was trained on, or a rule that makes its classes")
			}
		}
		inTurn.note = says + "unless these are the same, name the target that it was trained on"
		return inTurn, nil
	}
	if of, ok := byIndex(values, width); ok && how == asSorted {
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
	if (unnamed || how == asRuled) && len(values) == width {
		inTurn.note = fmt.Sprintf("the columns of outputs are taken for the values of %s in their order: %s", name, showNames(values))
		return inTurn, nil
	}
	if unnamed {
		return got, fmt.Errorf("%s has %s (%s) and there are %d columns of outputs: number the labels from 0, or name the columns score:CLASS", name, plural(float64(len(values)), "value"), showNames(values), width)
	}
	rests := make([]string, width) // what follows the common beginning, as 0 and 1 of q0 and q1
	common, _ := stem(columns[0])
	for i, column := range columns {
		var b string
		if b, rests[i] = stem(column); b != common {
			common = ""
		}
	}
	if common != "" {
		if got, err := matchColumns(y, rests, width, how); err == nil {
			return got, nil
		}
	}
	return got, fmt.Errorf("%s has the values %s, the columns of outputs are of %s: give them the same names, or number the labels from 0", name, showNames(values), showNames(columns))
}

// twoClasses reads the values of the target for one column of outputs, which is of the class
// positive, or of the second.
func twoClasses(name string, values []string, positive string, how listing) (classed, error) {
	if of, ok := byIndex(values, 2); ok && how == asSorted {
		if !slices.Contains([]string{"0", "neg", "negative", "no", "false"}, strings.ToLower(positive)) {
			return classed{names: indexNames(2), of: of}, nil
		}
		for i := range of {
			of[i] = 1 - of[i]
		}
		return classed{names: []string{"1", "0"}, of: of}, nil
	}
	if len(values) != 2 {
		number := ""
		if dataset.Numeric(values) {
			number = fmt.Sprintf("; if it is a number that the output predicts: --target %s:number", name)
		}
		return classed{}, fmt.Errorf("%s has %d values (%s) beside one column of outputs: want two, or a column for each class%s", name, len(values), showNames(values), number)
	}
	names := slices.Clone(values)
	switch {
	case strings.EqualFold(names[0], positive) || positive == "0":
		slices.Reverse(names)
	case how == asSorted && !strings.EqualFold(names[1], positive) && !slices.Contains([]string{"", "1", "pos", "positive"}, strings.ToLower(positive)):
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
