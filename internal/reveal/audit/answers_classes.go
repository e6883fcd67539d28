package audit

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"tattle/internal/data/dataset"
	"tattle/internal/file"
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
func matchColumns(y *Attribute, columns []string, width int, how listing) (classed, error) {
	switch {
	case how == asListed:
		return matchListed(y, columns, max(width, 2))
	case width == 1:
		return matchOne(y, columns[0], how)
	}
	values, name := y.Values, file.Shown(y.Name)
	for _, names := range [][]string{columns, afterBeginning(columns)} {
		if of, ok := byName(values, names); ok {
			return classed{names: names, of: of}, nil
		}
	}
	columns = afterBeginning(columns)
	unnamed, indices := columns[0] == "", indexNames(width)
	if of, ok := byIndex(values, width); ok && how == asSorted {
		switch {
		case unnamed:
			return classed{names: indices, of: of}, nil
		case slices.Equal(columns, indices):
			return classed{names: columns, of: of}, nil
		}
		return classed{columns, of, fmt.Sprintf("%s is taken for the place of its column of outputs, from 0 (%s) on", name, file.Shown(columns[0]))}, nil
	}
	// Where the values are words, the numbers of the columns do not name them.
	unnamed = unnamed || slices.Equal(columns, indices) && !slices.ContainsFunc(values, isNumber)
	if (unnamed || how == asRuled) && len(values) == width {
		return classed{slices.Clone(values), span(0, width), fmt.Sprintf("the columns of outputs are taken for the values of %s in their order: %s", name, file.ShownNames(values))}, nil
	}
	if unnamed {
		return classed{}, fmt.Errorf("%s has %s (%s) and there are %d columns of outputs: number the labels from 0, or name the columns score:CLASS", name, plural(float64(len(values)), "value"), file.ShownNames(values), width)
	}
	return classed{}, fmt.Errorf("%s has the values %s, the columns of outputs are of %s: give them the same names, or number the labels from 0", name, file.ShownNames(values), file.ShownNames(columns))
}

// matchListed is matchColumns where the values are listed in the order of the model's classes, which may have names of
// their own, and more classes.
func matchListed(y *Attribute, columns []string, width int) (classed, error) {
	values, name := y.Values, file.Shown(y.Name)
	if len(values) > width {
		return classed{}, fmt.Errorf("the model has %d outputs and %s of the data %d classes: name the target that it was trained on", width, name, len(values))
	}
	got := classed{names: slices.Clone(values), of: span(0, len(values))}
	for i := len(values); i < width; i++ {
		other := fmt.Sprintf("output %d", i)
		for slices.Contains(got.names, other) {
			other += "'"
		}
		got.names = append(got.names, other)
	}
	if len(columns) == 0 || columns[0] == "" {
		if len(values) < width {
			got.note = fmt.Sprintf("there are %d outputs, and the data have %d classes of %s: the other outputs are of classes without examples here", width, len(values), name)
		}
		return got, nil
	}
	if of, ok := byName(values, columns); ok && len(columns) == width {
		if !slices.Equal(of, got.of) {
			got.note = fmt.Sprintf("the model has its classes in the order %s, the data in the order %s: labels go by their names", file.ShownNames(columns), file.ShownNames(values))
		}
		got.names, got.of = columns, of
		return got, nil
	}
	got.note = fmt.Sprintf("the model says that its classes are %s, the data's are %s: ", file.ShownNames(columns), file.ShownNames(values))
	for k, column := range columns {
		if i := slices.Index(values, column); i >= 0 && i != k { // the model's accuracy would be that of chance
			return got, errors.New(got.note + "name the target that it was trained on, or a rule that makes its classes")
		}
	}
	got.note += "unless these are the same, name the target that it was trained on"
	return got, nil
}

// matchOne is matchColumns for one column of outputs, which is of the class positive, or of the second.
func matchOne(y *Attribute, positive string, how listing) (got classed, err error) {
	values, name := y.Values, file.Shown(y.Name)
	small := strings.ToLower(positive)
	first := slices.Contains([]string{"0", "neg", "negative", "no", "false"}, small)
	switch of, indices := byIndex(values, 2); {
	case indices && how == asSorted:
		got = classed{names: indexNames(2), of: of}
	case len(values) == 2:
		got = classed{names: slices.Clone(values), of: []int{0, 1}}
		first = strings.EqualFold(values[0], positive) || positive == "0"
		if how == asSorted && !first && !strings.EqualFold(values[1], positive) && !slices.Contains([]string{"", "1", "pos", "positive"}, small) {
			return got, fmt.Errorf("%s has the values %s, the column of outputs is of %s: name it after one of them", name, file.ShownNames(values), file.Shown(positive))
		}
	default:
		number := ""
		if dataset.Numeric(values) {
			number = fmt.Sprintf("; if it is a number that the output predicts: --target %s:number", name)
		}
		return got, fmt.Errorf("%s has %d values (%s) beside one column of outputs: want two, or a column for each class%s", name, len(values), file.ShownNames(values), number)
	}
	if first {
		slices.Reverse(got.names)
		for i := range got.of {
			got.of[i] = 1 - got.of[i]
		}
	}
	return got, nil
}

// beginning returns what a column's name has in common with those of its neighbours, as q of q0 and out. of out.cat; "" if
// it has no such beginning.
func beginning(name string) string {
	if b := strings.TrimRight(name, "0123456789"); b != name {
		return b
	}
	return name[:strings.LastIndexAny(name[:max(len(name)-1, 0)], "_-.: ")+1]
}

// afterBeginning returns what follows the beginning of the names, if all have the same, and the names otherwise.
func afterBeginning(names []string) []string {
	var rests []string
	for _, name := range names {
		if b := beginning(name); b == "" || b != beginning(names[0]) {
			return names
		}
		rests = append(rests, name[len(beginning(name)):])
	}
	return rests
}

// byName finds every value among the names, be it written with other capitals.
func byName(values, names []string) ([]int, bool) {
	for _, as := range []func(string) string{strings.Clone, strings.ToLower} {
		place := make(map[string]int, len(names))
		for i, name := range names {
			place[as(name)] = i
		}
		found := len(place) == len(names)
		of := make([]int, len(values))
		for i, v := range values {
			k, ok := place[as(v)]
			of[i], found = k, found && ok
		}
		if found {
			return of, true
		}
	}
	return nil, false
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
