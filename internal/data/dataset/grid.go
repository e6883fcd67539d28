package dataset

import (
	"math"
	"slices"
)

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
	channels, plane := s.channels(), s.plane()
	lists := make([]Column, channels)
	for c := range lists {
		lists[c] = Column{Width: 1, Values: ascending(s.levels(c)[:])}
	}
	grid := make([]Column, 0, s.size())
	for i := range s.size() {
		c := i / plane
		if s.ChannelsLast {
			c = i % channels
		}
		grid = append(grid, lists[c])
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
// of numbers, nil if some number is no integer or there are too many. Numbers that
// are missing do not count.
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
	list := e.stored()
	for i := range list {
		list[i].Name = e.name
	}
	if e.numbers != nil {
		list[0].Unit = e.std
	}
	return list
}

// stored says what values the inputs of the column can have.
func (e *encoder) stored() []Column {
	switch {
	case e.numbers == nil:
		return []Column{{Width: e.width, Values: e.rows()}}
	case e.plain:
		return []Column{{Width: 1, Values: integerValues(e.numbers, e.standard)}}
	case e.std == 0:
		return []Column{{Width: 1, Values: []float32{0, 1}}}
	}
	list := integerValues(e.numbers, e.standard)
	some := slices.ContainsFunc(e.numbers, math.IsNaN)
	switch {
	case !e.missing && list == nil:
		return []Column{{Width: 1}}
	case !e.missing && some: // a missing number is encoded as the mean
		return []Column{{Width: 1, Values: ascending(append(list, 0))}}
	case !e.missing:
		return []Column{{Width: 1, Values: list}}
	case list == nil:
		return []Column{{Width: 1}, {Width: 1, Values: []float32{0, 1}}}
	}
	rows := []float32{0, 1}
	for _, x := range list {
		rows = append(rows, x, 0)
	}
	return []Column{{Width: 2, Values: rows}}
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
