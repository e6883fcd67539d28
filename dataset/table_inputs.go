package dataset

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
)

const (
	// maxCategories is the most values of a column that have an input each; rarer
	// values share one. Otherwise codes and names, which differ in nearly every row,
	// would be most of the inputs.
	maxCategories = 64

	// derivedShare is the least number of rows per value of a column from which another
	// may be derived. A column whose values nearly all differ determines everything.
	derivedShare = 10
)

// missingValues are what numeric columns write where they know no number,
// folded; what is infinite is as unknown.
var missingValues = []string{"", "?", "na", "n/a", "nan", "null", "none"}

// slipShare is the least number of numbers in a column per value that is not a number. Such
// values are then noted, as they are probably slips.
const slipShare = 20

// encoder turns a column into inputs: a number into one, standardised by the
// training part, and a second one that is 1 if it is missing; a category into
// one input for each of its values in the training part.
type encoder struct {
	numbers    []float64 // of every row, NaN if missing; nil for categories
	mean, std  float64
	missing    bool // some of the training part are
	categories map[string]int
	rest       bool // the last input is of rarer values
	width      int
}

// tableSets encodes all columns but those of target and sensitive attributes,
// those derived from them, and the hidden.
func (src *origin) tableSets(d *division, c *chosen, hidden []int, files []string) ([3]*Set, error) {
	var sets [3]*Set
	asked, training := c.columns, d.rows[trainPart]
	if t := src.trained; t != nil {
		c, training = t.chosen, t.division.rows[trainPart]
	}
	inputs := src.inputColumns(c, hidden)
	var both []string
	for _, k := range inputs {
		if slices.Contains(asked, k) {
			both = append(both, src.labels.columns[k].name)
		}
	}
	if both != nil {
		src.notes = append(src.notes, "columns that are asked for, and are inputs of the model: "+few(both))
	}
	var all, encoders []encoder
	var columns []column
	var constant []string
	width := 0
	for _, k := range inputs {
		col := src.labels.columns[k]
		if v := slip(col.values); v != "" {
			src.notes = append(src.notes, fmt.Sprintf("column %s is read as categories, not numbers: it has the value %q", col.name, v))
		}
		e := newEncoder(col.values, training)
		if all = append(all, e); e.width == 0 {
			constant = append(constant, col.name)
		}
		width += e.width
	}
	keep := len(constant) > 0 && width+len(constant) == src.modelInputs
	for i, k := range inputs {
		e, col := all[i], src.labels.columns[k]
		if keep && e.width == 0 {
			e.keepConstant(col.values, training[0])
			width++
		}
		if e.width > 0 {
			encoders, columns = append(encoders, e), append(columns, col)
		}
	}
	switch {
	case keep:
		src.notes = append(src.notes, fmt.Sprintf("constant in the training part: %s; the model takes as many inputs as there are with them", few(constant)))
	case len(constant) > 0:
		src.notes = append(src.notes, fmt.Sprintf("constant in the training part, and therefore no inputs: %s", few(constant)))
	}
	if width == 0 {
		return sets, fmt.Errorf("%s: no column is left for the inputs: want one that varies besides target and sensitive attributes", src.labels.source)
	}
	if n := d.total(); width > maxArray/4/n {
		return sets, fmt.Errorf("%s: %d inputs for each of %d rows are too many: leave columns out", src.labels.source, width, n)
	}
	var grid []Column
	for k, e := range encoders {
		grid = append(grid, e.columns(columns[k].name, columns[k].values)...)
	}
	for part, rows := range d.rows {
		s := &Set{Shape: []int{width}, Values: make([]float32, len(rows)*width), Source: files}
		at := 0
		for k, e := range encoders {
			if len(rows) > 0 {
				e.encode(s.Values[at:], width, columns[k].values, rows)
			}
			at += e.width
		}
		s.Columns = grid
		sets[part] = s
	}
	return sets, nil
}

// inputColumns lists the columns that are inputs, and notes those that are not
// because target or sensitive attributes give them away.
func (src *origin) inputColumns(c *chosen, hidden []int) []int {
	asked := src.asked(c)
	var inputs []int
	for k, col := range src.labels.columns {
		if slices.Contains(hidden, k) || slices.Contains(c.columns, k) || src.givenAway(col, asked) {
			continue
		}
		inputs = append(inputs, k)
	}
	return inputs
}

// asked lists the columns of target and sensitive attributes, and their classes
// as columns.
func (src *origin) asked(c *chosen) []column {
	var list []column
	for _, k := range c.columns {
		list = append(list, src.labels.columns[k])
	}
	for _, a := range c.all() {
		if a.Labels == nil {
			continue // there is no target
		}
		classes := column{a.Name, make([]string, len(a.Labels))}
		for i, class := range a.Labels {
			classes.values[i] = strconv.Itoa(class)
		}
		list = append(list, classes)
	}
	return list
}

// givenAway reports whether a column follows from one that is asked for, and
// notes it. Of one that such a column follows from it only makes a note: that may
// be what is to be learned.
func (src *origin) givenAway(col column, asked []column) bool {
	note := func(format string, args ...any) { src.notes = append(src.notes, fmt.Sprintf(format, args...)) }
	for _, from := range asked {
		if derivedFrom(col.values, from.values) {
			note("column %s is not an input: %s determines it", col.name, from.name)
			return true
		}
	}
	for _, to := range asked {
		if derivedFrom(to.values, col.values) {
			note("column %s is an input and determines %s: take the column out if that is not meant", col.name, to.name)
			break
		}
	}
	return false
}

// derivedFrom reports whether a column varies and is a function of another,
// which has few values.
func derivedFrom(values, from []string) bool {
	image := map[string]string{}
	varies := false
	for i, v := range from {
		if was, ok := image[v]; ok && was != values[i] {
			return false
		}
		image[v] = values[i]
		varies = varies || values[i] != values[0]
		if len(image) > len(from)/derivedShare {
			return false
		}
	}
	return varies
}

// newEncoder learns an encoder from the training rows; its width is 0 if the
// column is constant there.
func newEncoder(values []string, training []int) encoder {
	if numbers := parseNumbers(values); numbers != nil {
		return numericEncoder(numbers, training)
	}
	count := map[string]int{}
	for _, i := range training {
		count[values[i]]++
	}
	if len(count) < 2 {
		return encoder{}
	}
	list := make([]string, 0, len(count))
	for v := range count {
		list = append(list, v)
	}
	slices.SortFunc(list, func(a, b string) int { return cmp.Or(count[b]-count[a], strings.Compare(a, b)) })
	e := encoder{categories: map[string]int{}, rest: len(list) > maxCategories}
	list = list[:min(len(list), maxCategories)]
	slices.Sort(list)
	for i, v := range list {
		e.categories[v] = i
	}
	e.width = len(list)
	if e.rest {
		e.width++
	}
	return e
}

// parseNumbers returns a column's numbers, NaN if one is missing; nil if
// some value is none, or all are missing.
func parseNumbers(values []string) []float64 {
	numbers := make([]float64, len(values))
	known := false
	for i, v := range values {
		x, ok := number(v)
		switch {
		case ok:
			numbers[i], known = x, true
		case isMissing(v):
			numbers[i] = math.NaN()
		default:
			return nil
		}
	}
	if !known {
		return nil
	}
	return numbers
}

// isMissing reports whether a value stands for no number, or for an infinite one.
func isMissing(v string) bool {
	x, _ := strconv.ParseFloat(v, 64)
	return math.IsInf(x, 0) || slices.Contains(missingValues, strings.ToLower(v))
}

// slip returns the first value that is no number in a column that has slipShare
// numbers or more for each of them; "" if it is no such column.
func slip(values []string) string {
	first, numbers, others := "", 0, 0
	for _, v := range values {
		if _, ok := number(v); ok {
			numbers++
		} else if !isMissing(v) {
			first = cmp.Or(first, v)
			others++
		}
	}
	if numbers < slipShare*others {
		return ""
	}
	return first
}

// numericEncoder learns mean and standard deviation (of the population) from
// the training rows that have a number.
func numericEncoder(numbers []float64, training []int) encoder {
	e := encoder{numbers: numbers}
	n, largest := 0., 0.
	for _, i := range training {
		if x := numbers[i]; !math.IsNaN(x) {
			n++
			largest = max(largest, math.Abs(x))
		} else {
			e.missing = true
		}
	}
	if n == 0 {
		return encoder{}
	}
	scale := max(largest, math.SmallestNonzeroFloat64) // squares neither overflow nor vanish
	mean, square := 0., 0.
	for _, i := range training {
		if x := numbers[i]; !math.IsNaN(x) {
			mean += x / scale / n
		}
	}
	for _, i := range training {
		if x := numbers[i]; !math.IsNaN(x) {
			square += (x/scale - mean) * (x/scale - mean) / n
		}
	}
	e.mean, e.std = mean*scale, math.Sqrt(square)*scale
	if math.Sqrt(square) > 1e-12 {
		e.width = 1
	} else {
		e.std = 0 // only whether it is missing varies
	}
	if e.missing {
		e.width++
	}
	return e
}

// keepConstant gives a column that is constant in the training rows an input: the number's
// difference from that constant, or 1 for the category.
func (e *encoder) keepConstant(values []string, row int) {
	e.width = 1
	if e.numbers != nil {
		e.mean, e.std = e.numbers[row], 1
		return
	}
	e.categories = map[string]int{values[row]: 0}
}

// encode writes the inputs of the given rows to dst, whose rows are stride apart.
func (e *encoder) encode(dst []float32, stride int, values []string, rows []int) {
	for k, i := range rows {
		row := dst[k*stride:]
		if e.numbers == nil {
			e.category(row, values[i])
			continue
		}
		at := 0
		if e.std > 0 {
			if x := e.numbers[i]; !math.IsNaN(x) {
				row[0] = e.standard(x)
			}
			at = 1
		}
		if e.missing && math.IsNaN(e.numbers[i]) {
			row[at] = 1
		}
	}
}

// standard standardises a number.
func (e *encoder) standard(x float64) float32 { return clip((x - e.mean) / e.std) }

// category sets the input of a value. A value that the training part does not
// have sets that of the rarer ones, or none.
func (e *encoder) category(row []float32, value string) {
	if k, ok := e.categories[value]; ok {
		row[k] = 1
	} else if e.rest {
		row[e.width-1] = 1
	}
}

// clip keeps a standardised value within what a net can use: a value of a hundred
// thousand standard deviations is a typing error.
func clip(x float64) float32 {
	const most = 1e5
	return float32(min(max(x, -most), most))
}
