package audit

import (
	"fmt"
	"math"
	"slices"

	"tattle/internal/file"
	"tattle/internal/reveal/curious"
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
	s.note("one column of outputs is taken for "+is, file.Shown(s.Classes[1]))
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

// kindOf reports whether outputs [n, width] are soft: whether all rows are distributions, or are such up to
// rounding, which it says in a note. It returns an error if stated is soft and a row is not a distribution, or if
// no kind is stated and only most rows are.
func kindOf(outputs []float32, width int, stated curious.Outputs, place func(i int) string) (kind curious.Outputs, note string, err error) {
	if stated == curious.Raw {
		return stated, "", nil
	}
	slack := sumSlack(outputs, width)
	if stated == "" && slack > widestGuess {
		slack = sumTolerance
	}
	n := len(outputs) / width
	soft, bad, badSum, rounded := 0, -1, 0., false
	for i := range n {
		switch sum, ok := distribution(outputs[i*width:][:width], slack); {
		case ok:
			soft++
			rounded = rounded || math.Abs(sum-1) > sumTolerance
		case bad < 0:
			bad, badSum = i, sum
		}
	}
	switch {
	case bad < 0 && rounded:
		return curious.Soft, fmt.Sprintf("the probabilities are rounded to %d decimals: attacks on digits see them as they are, the others divided by their sum", decimals(outputs)), nil
	case bad < 0:
		return curious.Soft, "", nil
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

// sumSlack returns by how much the sum of a row of probabilities may differ from 1: each is half a unit of the last
// decimal from what it was before it was rounded.
func sumSlack(outputs []float32, width int) float64 {
	d := decimals(outputs)
	if d < 1 {
		return sumTolerance
	}
	return max(sumTolerance, float64(width)*(.5*math.Pow10(-d)+roundingSlack))
}
