package release

import (
	"math"
	"math/rand/v2"
	"slices"
)

// None adds nothing. It is what a defence by rounding or by the label alone is
// examined with; no bound can be made of it (Spec.Holds), so ParseNoise does not read
// it.
type None struct{}

var _ Noise = None{}

// Sample overwrites dst with zeros.
func (None) Sample(dst []float64, r *rand.Rand) { clear(dst) }

// String returns "none".
func (None) String() string { return "none" }

// Std returns 0.
func (None) Std() float64 { return 0 }

// Fisher returns +Inf.
func (None) Fisher() float64 { return math.Inf(1) }

// Bound returns +Inf unless z and e are 0: without noise, two different releases are distinguished
// with certainty.
func (None) Bound(z, e []float64) float64 {
	if slices.ContainsFunc(slices.Concat(z, e), func(v float64) bool { return v != 0 }) {
		return math.Inf(1)
	}
	return 0
}

// Certain returns true.
func (None) Certain() bool { return true }
