package audit

import (
	"fmt"
	"math"
	"slices"

	"tattle/curious"
)

const (
	mostlySoft = .5 // share of distributions from which the other rows are taken for slips

	// maxDecimals is the most decimals that outputs are taken to be rounded to: one
	// float32 in twenty falls on a grid so fine by chance, and files have thousands.
	maxDecimals = 6
	// roundingSlack is what float32 adds to a probability's rounding.
	roundingSlack = 1e-7
	// widestGuess is the largest change by rounding of the sum of rows that are not known to
	// be probabilities; the sums of sigmoids of many labels differ by more.
	widestGuess = .25
)

// settle takes over outputs of width columns: it makes two of single ones, finds out whether they are
// probabilities, and says so in a note. place says where an example is. stated is the kind that the user
// gives, "" for none.
func (s *Sample) settle(outputs []float32, width int, stated curious.Outputs, place func(i int) string) (err error) {
	if width > 1 {
		note := ""
		if s.Kind, note, err = kindOf(outputs, width, stated, place); note != "" {
			s.note("%s", note)
		}
		return err
	}
	bad := slices.IndexFunc(outputs, func(p float32) bool { return float64(p) < -negativeTolerance || float64(p) > 1+negativeTolerance })
	if stated == curious.Soft && bad >= 0 {
		return fmt.Errorf("%s: %g is not a probability: correct it, or set the kind of outputs to raw", place(bad), outputs[bad])
	}
	is := "the probability p of class %s: the outputs are 1 − p and p"
	switch s.Kind = curious.Soft; {
	case stated == curious.Raw || bad >= 0:
		s.Kind, is = curious.Raw, "a score z of class %s: the outputs are 0 and z"
	case zeroOne(outputs):
		is = "the hard label: 1 is class %s, 0 the other class"
	}
	s.note("one column of outputs is taken for "+is, showName(s.Classes[1]))
	s.Outputs = make([]float32, 2*len(outputs))
	for i, v := range outputs {
		if s.Kind == curious.Soft {
			v = min(max(v, 0), 1)
			s.Outputs[2*i] = 1 - v
		}
		s.Outputs[2*i+1] = v
	}
	return nil
}

// kindOf reports whether outputs [n, width] are soft: whether all rows are distributions,
// or are distributions up to rounding, which it says in a note. It returns an error if stated
// is soft and a row is not a distribution, or if no kind is stated and only most rows are.
func kindOf(outputs []float32, width int, stated curious.Outputs, place func(i int) string) (kind curious.Outputs, note string, err error) {
	if stated == curious.Raw {
		return stated, "", nil
	}
	n := len(outputs) / width
	soft, bad, badSum := 0, -1, 0.
	for i := range n {
		sum, ok := distribution(outputs[i*width:][:width])
		if ok {
			soft++
		} else if bad < 0 {
			bad, badSum = i, sum
		}
	}
	if bad < 0 {
		return curious.Soft, "", nil
	}
	if r, ok := explain(outputs, width); ok && (stated == curious.Soft || float64(width)*r.half() <= widestGuess) {
		return curious.Soft, r.note(), nil
	}
	switch {
	case stated == curious.Soft:
		return "", "", fmt.Errorf("%s: the outputs are not probabilities (they sum to %.6g, which rounding does not explain, or one is negative): make them sum to 1 within %g, or set the kind of outputs to raw", place(bad), badSum, sumTolerance)
	case float64(soft) > mostlySoft*float64(n):
		return "", "", fmt.Errorf("%s: the outputs are not probabilities (they sum to %.6g, or one is negative), but those of %d of %d rows are: correct the others, or set the kind of outputs to raw", place(bad), badSum, soft, n)
	}
	return curious.Raw, "", nil
}

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
	decimals    int
	least, most float64 // sums of rows
	zeros       int     // rows of nothing but zeros
}

// half is half a unit of the last decimal, the most that rounding changes.
func (r *rounding) half() float64 { return .5*math.Pow10(-r.decimals) + roundingSlack }

// explain reports whether rounding to a few decimals explains that rows of width
// outputs do not sum to 1: each output is half a unit of the last decimal from a
// probability, and one of 0 can only have lost.
func explain(outputs []float32, width int) (r rounding, ok bool) {
	if r = (rounding{decimals: decimals(outputs), least: math.Inf(1)}); r.decimals < 1 {
		return r, false
	}
	for i := 0; i < len(outputs); i += width {
		sum, positive := 0., 0.
		for _, v := range outputs[i:][:width] {
			if v < 0 || v > 1 {
				return r, false
			}
			if sum += float64(v); v > 0 {
				positive++
			}
		}
		if positive == 0 {
			r.zeros++
		}
		r.least, r.most = min(r.least, sum), max(r.most, sum)
		if sum > 1+positive*r.half() || sum < 1-float64(width)*r.half() {
			return r, false
		}
	}
	return r, true
}

// note says what was done.
func (r *rounding) note() string {
	text := fmt.Sprintf("the probabilities are rounded to %d decimals, so that those of an example sum to between %.6g and %.6g: attacks on digits see them as they are, the others divided by their sum", r.decimals, r.least, r.most)
	if r.zeros > 0 {
		text += fmt.Sprintf("; %d examples have nothing but zeros, for which all classes were taken to be as probable", r.zeros)
	}
	return text
}
