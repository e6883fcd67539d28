package audit

import (
	"errors"
	"fmt"
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

// matchClasses returns the classes of width outputs, and which of them each value of the target means: by the names of
// the outputs' classes, columns, if these have names; else by its number; else by its place. ordered says that the
// values are in the order of the outputs, as a rule, the data or the file lists them; else they are sorted.
func matchClasses(y *Attribute, columns []string, width int, ordered bool) (classed, error) {
	if width == 1 && len(columns) == 1 {
		return matchOne(y, columns[0], ordered)
	}
	width = max(width, 2) // a model that names its classes may have one output for two
	values, name, short, indices := y.Values, file.Shown(y.Name), afterBeginning(columns), dataset.ClassNumbers(width)
	named := len(columns) > 0 && columns[0] != ""
	for _, names := range [][]string{columns, short} {
		if of, ok := placesOf(values, names); ok && len(names) == width {
			got := classed{names: names, of: of}
			if ordered && !slices.Equal(of, span(0, len(of))) {
				got.note = fmt.Sprintf("the model has its classes in the order %s, the data in the order %s: labels go by their names", file.ShownNames(names), file.ShownNames(values))
			}
			return got, nil
		}
	}
	if of, ok := placesOf(values, indices); ok && !ordered {
		if !named {
			return classed{names: indices, of: of}, nil
		}
		return classed{short, of, fmt.Sprintf("%s is taken for the place of its column of outputs, from 0 (%s) on", name, file.Shown(short[0]))}, nil
	}
	if _, word := strconv.ParseFloat(values[0], 64); word != nil && slices.Equal(short, indices) {
		named = false // numbers of columns do not name words
	}
	if len(values) > width || !ordered && (named || len(values) < width) {
		are := ""
		if named {
			are = " of the classes " + file.ShownNames(short)
		}
		return classed{}, fmt.Errorf("%s has the values %s, and there are %d outputs%s: name the target that the model was trained on, give both the same names (score:CLASS), number the labels from 0, or give the values in the order of the outputs, as --target '%s: %s'", name, file.ShownNames(values), width, are, name, file.ShownNames(values))
	}
	got := classed{names: slices.Clone(values), of: span(0, len(values))}
	for k := len(values); k < width; k++ {
		got.names = append(got.names, fmt.Sprintf("output %d", k))
	}
	switch {
	case named:
		got.note = fmt.Sprintf("the model says that its classes are %s, the data's are %s: ", file.ShownNames(columns), file.ShownNames(values))
		for k, column := range columns {
			if i := slices.Index(values, column); i >= 0 && i != k { // the model's accuracy would be that of chance
				return got, errors.New(got.note + "name the target that it was trained on, or a rule that makes its classes")
			}
		}
		got.note += "unless these are the same, name the target that it was trained on"
	case len(values) < width:
		got.note = fmt.Sprintf("there are %d outputs, and the data have %d classes of %s: the other outputs are of classes without examples here", width, len(values), name)
	case !ordered:
		got.note = fmt.Sprintf("the columns of outputs are taken for the values of %s in their order: %s", name, file.ShownNames(values))
	}
	return got, nil
}

// matchOne is matchClasses for one column of outputs, which is of the class positive, or of the second.
func matchOne(y *Attribute, positive string, ordered bool) (classed, error) {
	values, name := y.Values, file.Shown(y.Name)
	got := classed{names: dataset.ClassNumbers(2)}
	numbered := false
	if got.of, numbered = placesOf(values, got.names); !numbered || ordered {
		got, numbered = classed{names: slices.Clone(values), of: span(0, len(values))}, false
	}
	if len(got.names) != 2 {
		return got, fmt.Errorf("%s has %d values (%s) beside one column of outputs: want two, or a column for each class; if it is a number that the output predicts: --target %s:number", name, len(values), file.ShownNames(values), name)
	}
	switch is := strings.ToLower(positive); {
	case is == strings.ToLower(got.names[0]) || is == "0" || numbered && slices.Contains([]string{"neg", "negative", "no", "false"}, is):
		slices.Reverse(got.names)
		for i := range got.of {
			got.of[i] = 1 - got.of[i]
		}
	case !numbered && !ordered && !slices.Contains([]string{strings.ToLower(got.names[1]), "", "1", "pos", "positive"}, is):
		return got, fmt.Errorf("%s has the values %s, the column of outputs is of %s: name it after one of them, or give the values with that of the column last, as --target '%s: %s'", name, file.ShownNames(values), file.Shown(positive), name, file.ShownNames(values))
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

// placesOf finds every value among the names, be it written with other capitals, or as 3.0 for 3, as pandas writes it.
func placesOf(values, names []string) ([]int, bool) {
	for _, as := range []func(string) string{strings.Clone, strings.ToLower, func(v string) string { return strings.TrimSuffix(v, ".0") }} {
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
