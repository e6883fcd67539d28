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

// tableReader makes the inputs of rows of a table.
type tableReader struct {
	*origin
	Options
	hidden []int // columns that are no inputs
}

// encoder turns a column into inputs: a number into one, standardised by the
// training part, and a second one that is 1 if it is missing; a category into
// one input for each of its values in the training part.
type encoder struct {
	column
	numbers    []float64 // of every row, NaN if missing; nil for categories
	mean, std  float64
	plain      bool // the numbers are taken as they are, and by the mean and std that were asked for
	missing    bool // some of the training part are
	categories map[string]int
	rest       bool // the last input is of rarer values
	width      int
}

// encoded encodes all columns but those of target and sensitive attributes,
// those derived from them, and the hidden. Where the preprocessing says what values
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

// plainEncoders takes the numbers of all columns but the target's, the sensitive ones and those that are no inputs.
func (t *tableReader) plainEncoders(c *chosen) ([]encoder, error) {
	var list []encoder
	for k, col := range t.columns {
		if slices.Contains(t.hidden, k) || slices.Contains(c.columns, k) || col.name == "" {
			continue
		}
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

// Standardised says what numbers of a table are divided by, and how to leave them as they are.
func Standardised(rows int) string {
	return fmt.Sprintf("numbers are standardised by the %d rows of the training part; the preprocessing mean=0 std=1 leaves them as they are", rows)
}

// encoders learns what the columns become from the training rows.
func (t *tableReader) encoders(training []int, c *chosen) ([]encoder, error) {
	if t.single {
		t.note("%s", Standardised(len(training)))
	}
	if len(training) == 0 {
		return nil, fmt.Errorf("%s: the column split names no training rows, by which numbers are standardised: add some, or give the preprocessing mean=0 std=1, which leaves numbers as they are", t.source)
	}
	asked := c.columns
	if own := t.trained; own != nil {
		c, training = own.chosen, own.division.rows[trainPart]
	}
	var all, encoders []encoder
	var both, constant []string
	width := 0
	for _, k := range t.inputColumns(c, t.hidden) {
		col := t.columns[k]
		if slices.Contains(asked, k) {
			both = append(both, col.name)
		}
		if v := slip(col.values); v != "" {
			t.note("column %s is read as categories, not numbers: it has the value %q", col.name, v)
		}
		e := newEncoder(col, training)
		if all = append(all, e); e.width == 0 {
			constant = append(constant, col.name)
		}
		width += e.width
	}
	if both != nil {
		t.note("columns that are asked for, and are inputs of the model: %s", few(both))
	}
	keep := len(constant) > 0 && width+len(constant) == t.ModelInputs
	for _, e := range all {
		if keep && e.width == 0 {
			e.keepConstant(training[0])
		}
		if e.width > 0 {
			encoders = append(encoders, e)
		}
	}
	switch {
	case keep:
		t.note("constant in the training part: %s; the model takes as many inputs as there are with them", few(constant))
	case len(constant) > 0:
		t.note("constant in the training part, and therefore no inputs: %s", few(constant))
	}
	if len(encoders) == 0 {
		return nil, fmt.Errorf("%s: no column is left for the inputs: want one that varies besides target and sensitive attributes", t.source)
	}
	return encoders, nil
}

// inputColumns lists the columns that are inputs, and notes those that are not
// because target or sensitive attributes give them away.
func (src *origin) inputColumns(c *chosen, hidden []int) []int {
	asked := src.asked(c)
	var inputs []int
	for k, col := range src.columns {
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
		list = append(list, src.columns[k])
	}
	for _, a := range c.all() {
		if a.Labels == nil {
			continue // there is no target
		}
		classes := column{name: a.Name, values: make([]string, len(a.Labels))}
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
	for _, from := range asked {
		if derivedFrom(col.values, from.values) {
			src.note("column %s is not an input: %s determines it", col.name, from.name)
			return true
		}
	}
	for _, to := range asked {
		if derivedFrom(to.values, col.values) {
			src.note("column %s is an input and determines %s: take the column out if that is not meant", col.name, to.name)
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
func newEncoder(col column, training []int) encoder {
	e := encoder{column: col}
	if numbers := parseNumbers(col.values); numbers != nil {
		e.learn(numbers, training)
		return e
	}
	count := map[string]int{}
	for _, i := range training {
		count[col.values[i]]++
	}
	if len(count) < 2 {
		return e
	}
	list := make([]string, 0, len(count))
	for v := range count {
		list = append(list, v)
	}
	slices.SortFunc(list, func(a, b string) int { return cmp.Or(count[b]-count[a], strings.Compare(a, b)) })
	e.categories, e.rest = map[string]int{}, len(list) > maxCategories
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

// learn learns mean and standard deviation (of the population) from
// the training rows that have a number.
func (e *encoder) learn(numbers []float64, training []int) {
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
		return
	}
	e.numbers = numbers
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
}

// keepConstant gives a column that is constant in the training rows an input: the number's
// difference from that constant, or 1 for the category.
func (e *encoder) keepConstant(row int) {
	e.width = 1
	if e.numbers != nil {
		e.mean, e.std = e.numbers[row], 1
		return
	}
	e.categories = map[string]int{e.values[row]: 0}
}

// encode writes the inputs of row i.
func (e *encoder) encode(dst []float32, i int) {
	if e.numbers == nil {
		e.category(dst, e.values[i])
		return
	}
	x := e.numbers[i]
	switch unknown := math.IsNaN(x); {
	case e.std > 0 && !unknown:
		dst[0] = e.standard(x)
	case e.missing && unknown:
		dst[e.width-1] = 1
	}
}

// standard standardises a number.
func (e *encoder) standard(x float64) float32 {
	if e.plain {
		return float32((x - e.mean) / e.std)
	}
	return clip((x - e.mean) / e.std)
}

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
