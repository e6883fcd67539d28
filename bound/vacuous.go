package bound

import (
	"math"
	"strconv"
)

// vacuous returns the reason why a summary's bound is vacuous, nil if it is not: the noise has
// no finite divergence, the witnesses prove nothing, there are fewer features than inputs, or
// most coordinates are not identifiable.
func (e Experiment) vacuous(s Summary) *Note {
	p, n := 0, e.Features
	if e.Coordinates != nil {
		p = e.Coordinates.Inputs()
	}
	switch {
	case s.Values == 0:
		return nil
	case s.Quantile(topLevel) == 0 && !s.Pair() && e.divergent():
		return &Note{Kind: VacuousDivergence, Noise: noiseName(e.Noise)}
	case s.Quantile(topLevel) == 0:
		return &Note{Kind: VacuousZero, Fraction: topLevel}
	case s.Method == MethodCramerRaoAxis, s.Pair():
		return nil // about one unknown only, or about all estimators
	case n > 0 && n < p:
		return &Note{Kind: VacuousFewer, Features: n, Inputs: p}
	case s.Method == MethodCramerRao && s.UnboundedFraction >= .5:
		return &Note{Kind: VacuousUnidentifiable, Fraction: s.UnboundedFraction}
	}
	return nil
}

// topLevel is the highest quantile of a summary.
const topLevel = 0.95

// divergent reports whether the divergence of the noise is infinite even for a small change.
func (e Experiment) divergent() bool {
	n := max(1, e.Features)
	z := make([]float64, n)
	z[0] = e.Noise.Std() / 1024
	return math.IsInf(e.Noise.Bound(z, make([]float64, n)), 1)
}

// thousands prints a number with commas.
func thousands(n int) string {
	s := strconv.Itoa(n)
	for i := len(s) - 3; i > 0; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return s
}
