package dataset

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"tattle/internal/engine/nn"
	"tattle/internal/file"
)

// maxCategories is the most values of a column that have an input each; rarer
// values share one. Otherwise codes and names, which differ in nearly every row,
// would be most of the inputs.
const maxCategories = 64

// derivedShare is the least number of rows per value of a column from which another
// may be derived. A column whose values nearly all differ determines everything.
const derivedShare = 10

// tableReader makes the inputs of rows of a table.
type tableReader struct {
	*origin
	Options
	hidden []int // columns that are not inputs
}

// encoded encodes the input columns. Where the preprocessing says what values
// become, the columns are numbers that are taken as they are.
func (t *tableReader) encoded(rows, training []int, c *chosen) (*Set, error) {
	var encoders []encoder
	var err error
	if t.Preprocess.Normalises() {
		encoders, err = t.plainEncoders(c)
	} else {
		encoders, err = t.encoders(training, c)
	}
	if err != nil {
		return nil, err
	}
	set := &Set{}
	width := 0
	for _, e := range encoders {
		set.Columns = append(set.Columns, e.columns()...)
		width += e.width
	}
	if width > maxArray/4/max(len(rows), 1) {
		return nil, fmt.Errorf("%s: %d inputs for each of %d rows are too many: leave columns out", t.source, width, len(rows))
	}
	set.Shape, set.Values = []int{width}, make([]float32, len(rows)*width)
	at := 0
	for _, e := range encoders {
		for k, i := range rows {
			if e.plain && math.IsNaN(e.numbers[i]) {
				return nil, malformed(t.source, "row %d, column %s: %q is not a finite number: correct it, or leave the preprocessing out, so that categories and missing values are encoded", i+1, e.name, e.values[i])
			}
			e.encode(set.Values[k*width+at:][:e.width], i)
		}
		at += e.width
	}
	return set, nil
}

// plainEncoders takes the numbers of all columns except the target, the sensitive ones and the hidden ones.
func (t *tableReader) plainEncoders(c *chosen) ([]encoder, error) {
	var list []encoder
	for _, k := range t.inputColumns(c) {
		col := t.columns[k]
		e := encoder{column: col, numbers: make([]float64, len(col.values)), plain: true, width: 1}
		for i, v := range col.values {
			x, ok := number(v)
			if e.numbers[i] = x; !ok || math.Abs(x) > math.MaxFloat32 {
				e.numbers[i] = math.NaN()
			}
		}
		list = append(list, e)
	}
	if len(list) == 0 {
		return nil, fmt.Errorf("%s: no column is left for the inputs: want one besides the target", t.source)
	}
	mean, std, err := t.Preprocess.ofValues(len(list))
	if err != nil {
		return nil, fmt.Errorf("%s: %w", t.source, err)
	}
	for k := range list {
		list[k].mean, list[k].std = mean[k], std[k]
	}
	return list, nil
}

// encoders learns what the columns become from the training rows.
func (t *tableReader) encoders(training []int, c *chosen) ([]encoder, error) {
	if len(training) == 0 {
		return nil, fmt.Errorf("%s: the column split names no training rows, by which numbers are standardised: add some, or give the preprocessing mean=0 std=1, which leaves numbers as they are", t.source)
	}
	asked := c.columns
	if t.trainedAs != nil {
		c, training = t.trainedAs, t.trainedOn
	}
	if t.single || t.Alone {
		t.note("numbers are standardised by the %d rows of the training part; the preprocessing mean=0 std=1 leaves them as they are", len(training))
	}
	var encoders []encoder
	var both, constant []string
	answers := t.answers(c)
	for _, k := range t.inputColumns(c) {
		col := t.columns[k]
		if t.givenAway(col, answers) {
			continue
		}
		if slices.Contains(asked, k) {
			both = append(both, col.name)
		}
		if v := slip(col.values); v != "" {
			t.note("column %s is read as categories, not numbers: it has the value %q", col.name, v)
		}
		if e := newEncoder(col, training); e.width > 0 {
			encoders = append(encoders, e)
		} else {
			constant = append(constant, col.name)
		}
	}
	if both != nil {
		t.note("columns that are asked for, and are inputs of the model: %s", file.ShownNames(both))
	}
	if constant != nil {
		t.note("constant in the training part, and therefore no inputs: %s", file.ShownNames(constant))
	}
	if len(encoders) == 0 {
		return nil, fmt.Errorf("%s: no column is left for the inputs: want one that varies besides target and sensitive attributes", t.source)
	}
	return encoders, nil
}

// inputColumns lists the columns that are inputs: all but the hidden ones, and those of the target and the sensitive attributes.
func (t *tableReader) inputColumns(c *chosen) []int {
	return slices.DeleteFunc(nn.Indices(len(t.columns)), func(k int) bool { return slices.Contains(t.hidden, k) || slices.Contains(c.columns, k) })
}

// answers lists what is asked for as columns: those of the target and the sensitive attributes, and their classes.
func (t *tableReader) answers(c *chosen) (list []column) {
	list = Pick(t.columns, 1, c.columns)
	for _, a := range c.all() {
		if a.Numeric() {
			continue
		}
		classes := column{name: a.Name}
		for _, class := range a.Labels {
			classes.values = append(classes.values, strconv.Itoa(class))
		}
		list = append(list, classes)
	}
	return list
}

// givenAway reports whether an answer determines a column, and notes it. Of a column that determines an answer it
// only makes a note: that may be what is to be learned.
func (t *tableReader) givenAway(col column, answers []column) bool {
	for _, a := range answers {
		if derivedFrom(col.values, a.values) {
			t.note("column %s is not an input: %s determines it", col.name, a.name)
			return true
		}
	}
	if i := slices.IndexFunc(answers, func(a column) bool { return derivedFrom(a.values, col.values) }); i >= 0 {
		t.note("column %s is an input and determines %s: take the column out if that is not meant", col.name, answers[i].name)
	}
	return false
}

// derivedFrom reports whether a column follows from another one: it varies, and equal values of the other always stand beside
// equal values of it. The other must have few different values, or it would determine every column.
func derivedFrom(values, others []string) bool {
	image := map[string]string{}
	for i, v := range others {
		if was, ok := image[v]; ok && was != values[i] {
			return false
		}
		if image[v] = values[i]; len(image) > len(others)/derivedShare {
			return false
		}
	}
	return slices.ContainsFunc(values, func(v string) bool { return v != values[0] })
}

// maxExact is the largest integer up to which float32 holds all of them.
const maxExact = 1 << 24

// modelColumns makes inputs of the columns of a model, by their names and as
// they are: nothing is scaled or encoded.
func (t *tableReader) modelColumns(rows []int, c *chosen) (*Set, error) {
	columns, err := t.taken(t.Options.Columns, slices.Concat(t.hidden, c.columns[:c.answers]), c.columns[c.answers:])
	if err != nil {
		return nil, fmt.Errorf("%s: %w", t.source, err)
	}
	words, width := placesOf(t.Words), len(columns)
	if width > maxArray/4/max(len(rows), 1) {
		return nil, fmt.Errorf("%s: %d inputs for each of %d rows are too many: leave rows out", t.source, width, len(rows))
	}
	set := &Set{Shape: []int{width}, Values: make([]float32, len(rows)*width)}
	for j, col := range columns {
		missing, unknown, example := 0, 0, ""
		for k, i := range rows {
			x, err := col.value(words, i)
			if err != nil {
				return nil, malformed(t.source, "row %d, column %s: %v", i+1, col.name, err)
			}
			if x != x {
				missing++
			}
			if x < 0 && col.kind == nn.ColumnText {
				unknown++
				example = col.values[i]
			}
			set.Values[k*width+j] = x
		}
		if missing > 0 && !t.Missing {
			return nil, fmt.Errorf("%s: column %s has %s without a number: fill them in", t.source, col.name, plural(missing, "row"))
		}
		if missing > 0 {
			t.note("%s of column %s have no number: the model is given NaN", plural(missing, "row"), col.name)
		}
		if unknown > 0 {
			t.note("%s of column %s have text that the model does not know, such as %q", plural(unknown, "row"), col.name, example)
		}
	}
	return set, nil
}

// modelColumn is a column of a table that a model takes.
type modelColumn struct {
	column
	kind string // as in nn.Column
}

// value returns what the model is given of row i: NaN where a number is missing.
func (c *modelColumn) value(words map[string]int, i int) (float32, error) {
	text := c.values[i]
	if c.kind == nn.ColumnText {
		if k, ok := words[text]; ok {
			return float32(k), nil
		}
		return -1, nil
	}
	x, err := strconv.ParseFloat(text, 64)
	whole := c.kind == nn.ColumnInteger
	switch {
	case whole && strings.EqualFold(text, "true"):
		return 1, nil
	case whole && strings.EqualFold(text, "false"):
		return 0, nil
	case whole && (err != nil || x != math.Trunc(x) || math.Abs(x) > maxExact):
		return 0, fmt.Errorf("%q is not an integer of at most %d, which the model takes", text, maxExact)
	case err == nil && math.Abs(x) <= math.MaxFloat32:
		return float32(x), nil
	case isMissing(text):
		return float32(math.NaN()), nil
	}
	return 0, fmt.Errorf("%q is not a number, which the model takes", text)
}

// taken finds the columns of a table that a model takes: by name where the table has
// all names, and else all of numbers, or of text, but the hidden ones, in their order, with
// the sensitive ones if they are as many then. A note says what was taken where names do not.
func (l *labels) taken(want []nn.Column, hidden, sensitive []int) (list []modelColumn, err error) {
	var lacking []string
	for _, w := range want {
		k, err := l.find(w.Name)
		if w.Width != 1 || err != nil {
			lacking = append(lacking, w.Name)
			continue
		}
		list = append(list, modelColumn{l.columns[k], w.Type})
	}
	if len(lacking) == 0 {
		return list, nil
	}
	if len(want) > 1 {
		return nil, fmt.Errorf("the model takes columns by name, and the file lacks these: %s; it has %s", file.ShownNames(lacking), file.ShownNames(l.names()))
	}
	all := slices.DeleteFunc(nn.Indices(len(l.columns)), func(k int) bool {
		c := l.columns[k]
		return slices.Contains(hidden, k) || c.name == "" || want[0].Type != nn.ColumnText && parseNumbers(c.values) == nil
	})
	others := slices.DeleteFunc(slices.Clone(all), func(k int) bool { return slices.Contains(sensitive, k) })
	taken, what := others, "all of the type but the target and the sensitive ones"
	if len(taken) != want[0].Width {
		taken, what = all, "all of the type but the target"
	}
	if len(taken) != want[0].Width {
		return nil, fmt.Errorf("the model takes %d columns; the file has %d, and %d without the sensitive ones (target and split are not counted): remove those that are not inputs; it has %s", want[0].Width, len(all), len(others), file.ShownNames(l.names()))
	}
	list = list[:0]
	var names []string
	for _, k := range taken {
		list = append(list, modelColumn{l.columns[k], want[0].Type})
		names = append(names, l.columns[k].name)
	}
	l.note("the model was given these columns in this order, %s: %s", what, file.ShownNames(names))
	return list, nil
}
