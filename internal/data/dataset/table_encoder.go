package dataset

import (
	"cmp"
	"math"
	"slices"
	"strconv"
	"strings"
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

// slip returns the first value of a column that is not a number, if the column has at least slipShare numbers for
// each such value; otherwise "".
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
