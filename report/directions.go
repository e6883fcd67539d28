package report

import (
	"fmt"
	"math"
)

// directions says how many directions are resolved to within the i-th threshold: a
// number, or an estimate with its standard error and interval.
func (r *Resolvable) directions(i int) string {
	s := number(r.DirectionsMedian[i])
	if !r.Estimated || i >= len(r.DirectionsError) || r.exact(i) {
		return s
	}
	return fmt.Sprintf("%s ± %s (%s to %s)", counted(r.DirectionsMedian[i]), counted(r.DirectionsError[i]), counted(r.DirectionsLow[i]), counted(r.DirectionsHigh[i]))
}

// exact reports whether an estimate has no room for error.
func (r *Resolvable) exact(i int) bool {
	return r.DirectionsError[i] == 0 && r.DirectionsLow[i] == r.DirectionsHigh[i]
}

// counted prints a count to three digits, and none smaller than a tenth.
func counted(x float64) string {
	if math.Abs(x) < 10 {
		return number(math.Round(10*x) / 10)
	}
	return number(math.Round(x))
}

// said says what the spectrum of the Jacobian is known to be.
func (r *Resolvable) said() string {
	if !r.Estimated {
		return fmt.Sprintf("numerical rank of the Jacobian, median %s (%d to %d) of %d", number(r.RankMedian), r.RankMin, r.RankMax, r.Inputs)
	}
	s := fmt.Sprintf("the Jacobian was not decomposed; by Lanczos from %s an example, its largest singular value is %s", Count(r.Probes, "random vector"), number(float64(r.Largest)))
	if r.Smallest > 0 {
		s += fmt.Sprintf(" and the smallest that is distinguished from zero %s", number(float64(r.Smallest)))
	}
	return s + " (medians)"
}
