package release

import (
	"math"
	"math/rand/v2"
)

// Noise is the noise Z that is added to the features a_θ, so that X = a_θ + Z is released (A eq.
// 7). It is safe for concurrent use.
//
// Sample is made for measurements. Its generator is seeded and not secret, and has 32 to 53
// random bits for a number, so Z has the density f only to that precision. No bound here takes
// into account what the low-order bits of released numbers reveal (I. Mironov, CCS 2012). A device
// must draw from a secret generator, as package guard does on a lattice.
type Noise interface {
	// Sample overwrites dst with one draw of Z.
	Sample(dst []float64, r *rand.Rand)
	// String returns the family with its settings, without the strength, such as "gaussian"
	// or "table:noise.csv". ParseNoise reads it.
	String() string
	// Std is the standard deviation of the noise on each feature.
	Std() float64
	// Fisher is the Fisher information of one feature about its own mean,
	// E[(f'(Z)/f(Z))²]: 1/σ² for Gaussian noise, and at least that for other noise with the
	// same standard deviation.
	Fisher() float64
	// Bound returns an upper bound on χ² = E[(f(Z−z*)/f(Z) − 1)²], the denominator of the
	// Hammersley-Chapman-Robbins bound (A eq. 11), over all z* with |z* − z| ≤ e elementwise,
	// including its own rounding errors; +Inf if that overflows or an argument is NaN. It is
	// proved if Certain returns true; otherwise it is an estimate from above.
	Bound(z, e []float64) float64
	// Certain reports whether Bound is proved, and not estimated by Monte Carlo.
	Certain() bool
}

// Overlapper is a Noise for which several witnesses can be combined into one bound (Barankin),
// because E[(f(Z−a)/f(Z) − 1)(f(Z−b)/f(Z) − 1)] can be computed.
type Overlapper interface {
	Noise
	// Overlap returns that expectation and a bound on its error for all a* and b* with
	// |a* − a| ≤ ea and |b* − b| ≤ eb elementwise.
	Overlap(a, ea, b, eb []float64) (value, err float64)
}

var _ Noise = Gaussian{}

// String returns "gaussian".
func (g Gaussian) String() string { return "gaussian" }

// Std returns Sigma.
func (g Gaussian) Std() float64 { return g.Sigma }

// Fisher returns 1/Sigma².
func (g Gaussian) Fisher() float64 { return 1 / (g.Sigma * g.Sigma) }

// Certain returns true: the bound is a closed form (A eq. 12).
func (g Gaussian) Certain() bool { return true }

// Bound returns at least expm1(‖z*‖²/σ²) (A eq. 12). Each |z_j|+e_j is right to
// 2u, their sum of n squares to (n+4)u, the quotient to 4u more; math.Expm1 errs by
// 2u, and its condition number at q is at most 1+q.
func (g Gaussian) Bound(z, e []float64) float64 {
	var s float64
	for j, v := range z {
		t := math.Abs(v) + e[j]
		s += t * t
	}
	n := float64(len(z))
	q := (s + n*0x1p-1074) * (1 + (n+16)*unit) / g.Sigma / g.Sigma
	if math.IsNaN(q) {
		return math.Inf(1)
	}
	return max(math.Expm1(q), 0x1p-1000) * (1 + (8+4*q)*unit)
}
