package audit

import (
	"fmt"
	"math"
	"slices"

	"tattle/curious"
)

// What is said of single outputs, and when rows that are no distributions are slips.
const (
	mostlySoft    = .5 // share of distributions from which the other rows are taken for slips
	oneOutput     = "one column of outputs is taken for"
	asProbability = oneOutput + " the probability p of class %s: the outputs are 1 − p and p"
	asLabel       = oneOutput + " the hard label: 1 is class %s, 0 the other class"
	asScore       = oneOutput + " a score z of class %s: the outputs are 0 and z"
)

// distribution reports whether a row is one, and its sum.
func distribution(row []float32) (sum float64, ok bool) {
	ok = true
	for _, v := range row {
		sum += float64(v)
		ok = ok && float64(v) >= -negativeTolerance
	}
	return sum, ok && math.Abs(sum-1) <= sumTolerance
}

// widen makes two outputs of each one.
func widen(scores []float32, kind curious.Outputs) []float32 {
	wide := make([]float32, 2*len(scores))
	for i, v := range scores {
		if kind == curious.Soft {
			v = min(max(v, 0), 1)
			wide[2*i] = 1 - v
		}
		wide[2*i+1] = v
	}
	return wide
}

// zeroOne reports whether every output is 0 or 1.
func zeroOne(outputs []float32) bool {
	return !slices.ContainsFunc(outputs, func(v float32) bool { return v != 0 && v != 1 })
}

// kindOfOne reports whether single outputs are probabilities; stated is the kind given by the user,
// "" for none.
func kindOfOne(scores []float32, stated curious.Outputs, place func(i int) string) (curious.Outputs, error) {
	if stated == curious.Raw {
		return stated, nil
	}
	for i, p := range scores {
		if float64(p) >= -negativeTolerance && float64(p) <= 1+negativeTolerance {
			continue
		}
		if stated == curious.Soft {
			return "", fmt.Errorf("%s: %g is not a probability: correct it, or set the kind of outputs to raw", place(i), p)
		}
		return curious.Raw, nil
	}
	return curious.Soft, nil
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
