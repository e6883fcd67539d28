package bound

import (
	"fmt"
	"math"

	"tattle/internal/report"
)

// vacuous returns the reason why a summary's bound is vacuous, "" if it is not: the noise has
// no finite divergence, the witnesses prove nothing, there are fewer features than inputs, or
// most coordinates are not identifiable.
func (e Experiment) vacuous(s Summary) string {
	p, n := 0, e.Features
	if e.Coordinates != nil {
		p = e.Coordinates.Inputs()
	}
	switch {
	case s.Values == 0:
		return ""
	case s.Quantile(topLevel) == 0 && !s.Pair() && e.divergent():
		return fmt.Sprintf("zero: under %s noise the χ² of every change of the features is infinite, so no bound of this kind can say anything", noiseName(e.Noise))
	case s.Quantile(topLevel) == 0:
		return fmt.Sprintf("zero for %g %% of the values and more: the witnesses prove nothing, where rounding to the domain leaves no other input, inputs lie outside it, or the features overflow or may err by too much", 100*topLevel)
	case s.Method == MethodCramerRaoAxis, s.Pair():
		return "" // about one unknown only, or about all estimators
	case n > 0 && n < p:
		return fmt.Sprintf("%s features cannot determine %s inputs: in real arithmetic, among any real inputs, no estimator of w outside the row space is unbiased; says nothing about adversaries with a prior", report.Grouped(n), report.Grouped(p))
	case s.Method == MethodCramerRao && s.UnboundedFraction >= .5:
		return fmt.Sprintf("not identifiable: %.4g %% of the coordinates have a part that does not change the features, so no estimator of them is unbiased, in real arithmetic and among any real inputs; this does not limit adversaries with a prior", math.Floor(1000*s.UnboundedFraction+1e-9)/10)
	}
	return ""
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
