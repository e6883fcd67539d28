package audit

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// candidates are columns that may be the outputs: no name says which columns are, and the
// options name the target and the sensitive attributes. All that remain are read, and the
// file decides (see chosen).
type candidates struct {
	text  []bool  // [column], a value is neither a number nor missing
	wrong []error // [column], the first value that is no score
	count []bool  // [column], all values so far count the rows
	first []float32
	rows  int
}

// considerRemaining makes every column with a name that is no label a candidate.
func (r *roles) considerRemaining() bool {
	for k, h := range r.header {
		if h != "" && !r.taken(k) {
			r.scores = append(r.scores, k)
		}
	}
	if n := len(r.scores); n > 0 {
		r.open = &candidates{text: make([]bool, n), wrong: make([]error, n), count: make([]bool, n), first: make([]float32, n)}
	}
	return r.open != nil
}

// add takes note of a value of column j, which is no score if err is not nil; placed returns
// that error with its place.
func (c *candidates) add(j int, text string, v float32, err error, placed func() error) {
	if c.text[j] {
		return
	}
	if err != nil && c.wrong[j] == nil {
		c.wrong[j] = placed()
	}
	if _, syntax := strconv.ParseFloat(strings.TrimSpace(text), 64); errors.Is(syntax, strconv.ErrSyntax) && !missing(strings.TrimSpace(text)) {
		c.text[j] = true
	}
	if c.rows == 0 {
		c.first[j], c.count[j] = v, v == 0 || v == 1
	}
	c.count[j] = c.count[j] && err == nil && v == c.first[j]+float32(c.rows)
}

// numeric returns the columns of numbers, without those that only count the rows.
func (c *candidates) numeric() []int {
	var list []int
	for j, text := range c.text {
		if !text && !(c.count[j] && c.rows > 2) {
			list = append(list, j)
		}
	}
	return list
}

// stem returns what a column's name has in common with those of its neighbours, as p_ of p_0
// and out. of out.cat, and the rest; "" if it has no such beginning.
func stem(name string) (beginning, rest string) {
	if b := strings.TrimRight(name, "0123456789"); b != name {
		return b, name[len(b):]
	}
	if i := strings.LastIndexAny(name, "_-.: "); i >= 0 && i+1 < len(name) {
		return name[:i+1], name[i+1:]
	}
	return "", name
}

// stems groups columns of two or more by the beginning of their names.
func stems(names []string, columns []int) (list []string, of map[string][]int) {
	of = map[string][]int{}
	for _, j := range columns {
		if b, _ := stem(names[j]); b != "" {
			if of[b] = append(of[b], j); len(of[b]) == 2 {
				list = append(list, b)
			}
		}
	}
	return list, of
}

// chosen returns the candidates that are taken for the outputs, and their classes: the
// columns with a common beginning, if they match the classes of the target, else all that
// are numbers, if there are as many as classes. It returns an error that names the
// flag to give if neither is so, or several are.
func (c *candidates) chosen(names []string, target *column, classes int) (columns []int, of []string, err error) {
	numbers := c.numeric()
	list, groups := stems(names, numbers)
	list = slices.DeleteFunc(list, func(b string) bool {
		_, ok := columnClasses(target, classes, restsOf(names, groups[b]))
		return !ok
	})
	switch {
	case len(list) == 1:
		columns = groups[list[0]]
		of, _ = columnClasses(target, classes, restsOf(names, columns))
	case len(list) == 0 && len(numbers) > 0 && (len(numbers) == classes || len(numbers) == 1 && classes == 2):
		columns = numbers
		of = namedClasses(target, pick(names, columns))
	default:
		return nil, nil, c.undecided(names, target, classes, list)
	}
	for _, j := range columns {
		if c.wrong[j] != nil {
			return nil, nil, c.wrong[j]
		}
	}
	return columns, of, nil
}

// restsOf returns what follows the common beginning of the columns' names.
func restsOf(names []string, columns []int) []string {
	rests := make([]string, len(columns))
	for i, j := range columns {
		_, rests[i] = stem(names[j])
	}
	return rests
}

// columnClasses reports whether columns of these classes can be the outputs for a target. A
// rule makes the number of classes given, and its classes go by their order.
func columnClasses(target *column, classes int, names []string) ([]string, bool) {
	if target == nil || len(names) != classes {
		return make([]string, len(names)), len(names) == classes
	}
	if len(slices.Compact(slices.Sorted(slices.Values(names)))) != len(names) {
		return nil, false
	}
	_, err := classesOf(target, names)
	return names, err == nil
}

// namedClasses returns the columns' names if the target's values are among them, "" for each
// otherwise.
func namedClasses(target *column, names []string) []string {
	if target != nil && len(names) > 1 {
		if _, ok := byName(target.values, names, strings.ToLower); ok {
			return names
		}
	}
	return make([]string, len(names))
}

// undecided says which columns there are, and the flag to give.
func (c *candidates) undecided(names []string, target *column, classes int, fitting []string) error {
	numbers := pick(names, c.numeric())
	what := "the target"
	if target != nil {
		what = showName(target.name)
	}
	if len(numbers) == 0 {
		return fmt.Errorf("has no columns of outputs: no column of numbers remains beside the target and the sensitive attributes; name them with --scores; there are %s", showNames(names))
	}
	const most = 8
	flag := "--scores " + showName(strings.Join(numbers[:min(len(numbers), most)], ","))
	if len(numbers) > most {
		flag += " and so on"
	}
	text := fmt.Sprintf("they are %d, and %s has %s", len(numbers), what, plural(float64(classes), "value"))
	if len(fitting) == 0 {
		fitting, _ = stems(names, c.numeric())
	} else {
		text = fmt.Sprintf("those that begin with %s all match the classes of %s", showNames(fitting), what)
	}
	if len(fitting) > 0 {
		flag = fmt.Sprintf("--scores '%s*'", showName(fitting[0]))
	}
	return fmt.Errorf("has no columns called outputs, and it is not clear which of the remaining columns of numbers (%s) are: %s; name one for each class, in their order, also for classes without examples, as in %s", showNames(numbers), text, flag)
}
