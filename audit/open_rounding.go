package audit

import (
	"fmt"
	"math"
)

const (
	// maxDecimals is the most decimals that outputs are taken to be rounded to: one
	// float32 in twenty falls on a grid so fine by chance, and files have thousands.
	maxDecimals = 6
	// roundingSlack is what float32 adds to a probability's rounding.
	roundingSlack = 1e-7
	// widestGuess is the largest change by rounding of the sum of rows that are not known to
	// be probabilities; the sums of sigmoids of many labels differ by more.
	widestGuess = .25
)

// decimals returns with how many decimals all outputs can be written, −1 for more
// than maxDecimals.
func decimals(outputs []float32) int {
	d, unit := 0, 1.
	for _, v := range outputs {
		for float32(math.RoundToEven(float64(v)*unit)/unit) != v {
			if d++; d > maxDecimals {
				return -1
			}
			unit *= 10
		}
	}
	return d
}

// rounding is what rounding to decimals did to rows of probabilities.
type rounding struct {
	decimals     int
	least, most  float64 // sums of rows
	zeros, width int     // rows of nothing but zeros; outputs of a row
}

// explain reports whether rounding to a few decimals explains that rows of width
// outputs do not sum to 1: each output is half a unit of the last decimal from a
// probability, and one of 0 can only have lost.
func explain(outputs []float32, width int) (rounding, bool) {
	r := rounding{decimals: decimals(outputs), least: math.Inf(1), width: width}
	if r.decimals < 1 {
		return r, false
	}
	for i := 0; i < len(outputs); i += width {
		if !r.explains(outputs[i:][:width]) {
			return r, false
		}
	}
	return r, true
}

// half is half a unit of the last decimal, the most that rounding changes.
func (r *rounding) half() float64 { return .5*math.Pow10(-r.decimals) + roundingSlack }

// explains adds one row.
func (r *rounding) explains(row []float32) bool {
	sum, positive := 0., 0.
	for _, v := range row {
		if v < 0 || v > 1 {
			return false
		}
		sum += float64(v)
		if v > 0 {
			positive++
		}
	}
	if positive == 0 {
		r.zeros++
	}
	r.least, r.most = min(r.least, sum), max(r.most, sum)
	return sum <= 1+positive*r.half() && sum >= 1-float64(len(row))*r.half()
}

// note says what was done.
func (r *rounding) note() string {
	text := fmt.Sprintf("the probabilities are rounded to %d decimals, so that those of an example sum to between %.6g and %.6g: attacks on digits see them as they are, the others divided by their sum", r.decimals, r.least, r.most)
	if r.zeros > 0 {
		text += fmt.Sprintf("; %d examples have nothing but zeros, for which all classes were taken to be as probable", r.zeros)
	}
	return text
}
