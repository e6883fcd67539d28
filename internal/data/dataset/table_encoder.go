package dataset

import (
	"cmp"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"
)

// missingValues are what numeric columns write where they know no number,
// folded; what is infinite is as unknown.
var missingValues = []string{"", "?", "na", "n/a", "nan", "null", "none"}

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

// newEncoder learns an encoder from the training rows; its width is 0 if the
// column is constant there.
func newEncoder(col column, training []int) (e encoder) {
	e.column = col
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
	list := slices.Collect(maps.Keys(count))
	slices.SortFunc(list, func(a, b string) int { return cmp.Or(count[b]-count[a], strings.Compare(a, b)) })
	e.rest = len(list) > maxCategories
	list = list[:min(len(list), maxCategories)]
	slices.Sort(list)
	e.categories, e.width = placesOf(list), len(list)
	if e.rest {
		e.width++
	}
	return e
}

// parseNumbers returns a column's numbers, NaN if one is missing; nil if
// some value is none, or all are missing.
func parseNumbers(values []string) []float64 {
	numbers, known := make([]float64, len(values)), false
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

// slipShare is the least number of numbers in a column per value that is not a number. Such
// values are then noted, as they are probably slips.
const slipShare = 20

// slip returns the first value of a column that is probably a slip among numbers, or "".
func slip(values []string) (first string) {
	numbers, others := 0, 0
	for _, v := range values {
		if _, ok := number(v); ok {
			numbers++
		} else if !isMissing(v) {
			first, others = cmp.Or(first, v), others+1
		}
	}
	if numbers < slipShare*others {
		return ""
	}
	return first
}

// isMissing reports whether a value stands for no number, or for an infinite one.
func isMissing(v string) bool {
	x, _ := strconv.ParseFloat(v, 64)
	return math.IsInf(x, 0) || slices.Contains(missingValues, strings.ToLower(v))
}

// learn learns mean and standard deviation (of the population) from
// the training rows that have a number.
func (e *encoder) learn(numbers []float64, training []int) {
	known := slices.DeleteFunc(Pick(numbers, 1, training), math.IsNaN)
	if e.missing = len(known) < len(training); len(known) == 0 {
		return
	}
	e.numbers = numbers
	scale := math.SmallestNonzeroFloat64 // squares neither overflow nor vanish
	for _, x := range known {
		scale = max(scale, math.Abs(x))
	}
	n, mean, square := float64(len(known)), 0., 0.
	for _, x := range known {
		mean += x / scale / n
	}
	for _, x := range known {
		square += (x/scale - mean) * (x/scale - mean) / n
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

// encode writes the inputs of row i.
func (e *encoder) encode(dst []float32, i int) {
	if e.numbers == nil {
		if k, ok := e.categories[e.values[i]]; ok {
			dst[k] = 1
		} else if e.rest { // of a value that is rare in the training part, or not there
			dst[e.width-1] = 1
		}
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
	x = (x - e.mean) / e.std
	if !e.plain {
		x = min(max(x, -mostDeviations), mostDeviations)
	}
	return float32(x)
}

// mostDeviations keeps a standardised value within what a net can use: a value of a hundred
// thousand standard deviations is a typing error.
const mostDeviations = 1e5

// Column says what one input, or a group of inputs side by side, can be stored as.
type Column struct {
	Width  int       // how many inputs
	Values []float32 // [·, Width] in the model's units, ascending where Width is 1; nil: any float32 number

	Name string  // of the table's column; empty if there is none
	Unit float64 // of a column of numbers: one unit of the first input in the column's own; 0 for categories
}

// maxIntegers is the most values of a column of integers that are listed. A column of
// more, such as of identifiers, is taken to hold any number.
const maxIntegers = 1 << 20

// Grid says what the inputs can be stored as, from the first to the last, and whether
// that is known of any of them: pictures are bytes, and a table's columns may be of
// integers or categories. What it lists went the way that [Set.Examples] goes.
func (s *Set) Grid() (grid []Column, known bool) {
	switch {
	case s.Values == nil:
		return s.byteGrid(), true
	case s.Columns == nil:
		return slices.Repeat([]Column{{Width: 1}}, s.size()), false
	}
	return s.Columns, slices.ContainsFunc(s.Columns, func(c Column) bool { return c.Values != nil })
}

// byteGrid lists the values of the 256 bytes for each pixel.
func (s *Set) byteGrid() []Column {
	grid := make([]Column, s.size())
	pixel, channel := s.strides()
	for c := range s.channels() {
		l := s.levels(c)
		list := Column{Width: 1, Values: ascending(l[:])}
		for i := range s.plane() {
			grid[c*channel+i*pixel] = list
		}
	}
	return grid
}

// ascending sorts a copy of values and leaves repetitions out.
func ascending(values []float32) []float32 {
	values = slices.Clone(values)
	slices.Sort(values)
	return slices.Compact(values)
}

// integerValues lists what encode makes of the integers from the least to the largest
// of the numbers. It returns nil if one of them is not an integer, or if there are too many. Missing
// numbers do not count.
func integerValues(numbers []float64, encode func(x float64) float32) []float32 {
	low, high := math.Inf(1), math.Inf(-1)
	for _, x := range numbers {
		if math.IsNaN(x) {
			continue
		}
		if x != math.Trunc(x) {
			return nil
		}
		low, high = min(low, x), max(high, x)
	}
	if !(high-low < maxIntegers) || math.Abs(low)+math.Abs(high) > 1<<52 {
		return nil
	}
	var list []float32
	for x := low; x <= high; x++ {
		list = append(list, encode(x))
	}
	return ascending(list)
}

// columns says what the inputs of the column can be stored as.
func (e *encoder) columns() []Column {
	if e.numbers == nil {
		return []Column{{Width: e.width, Values: e.rows(), Name: e.name}}
	}
	number, known := Column{Width: 1, Name: e.name, Unit: e.std}, Column{Width: 1, Name: e.name, Values: []float32{0, 1}}
	if e.std == 0 {
		return []Column{known}
	}
	switch number.Values = integerValues(e.numbers, e.standard); {
	case e.missing && number.Values == nil:
		return []Column{number, known}
	case e.missing:
		rows := known.Values
		for _, x := range number.Values {
			rows = append(rows, x, 0)
		}
		number.Width, number.Values = 2, rows
	case number.Values != nil && !e.plain && slices.ContainsFunc(e.numbers, math.IsNaN): // a missing number is encoded as the mean
		number.Values = ascending(append(number.Values, 0))
	}
	return []Column{number}
}

// rows lists what a category can be encoded as: one input is 1, or none, where some
// value has no input.
func (e *encoder) rows() []float32 {
	unknown := func(v string) bool { _, ok := e.categories[v]; return !ok }
	count := e.width
	if !e.rest && slices.ContainsFunc(e.values, unknown) {
		count++ // a row of zeros
	}
	rows := make([]float32, count*e.width)
	for i := range e.width {
		rows[i*e.width+i] = 1
	}
	return rows
}
