package bound

import (
	"math"
	"strconv"
)

// vacuous says why a summary's bound says nothing, nil if it says something: of
// features fewer than inputs, of noise without a divergence, of witnesses that prove
// nothing, of coordinates that are mostly not identifiable.
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

// divergent reports whether the noise has no finite divergence even of a small change.
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
