package release

import (
	"math"

	"tattle/internal/protect/lattice"
)

// AffinityLow returns at most the Hellinger affinity ρ = ∫√(f(y)·f(y−z*)) dy of the noise and
// its shift, for every z* with |z* − z| ≤ e elementwise. It falls as a feature's change
// grows, and is a product over features where these are independent.
//
// Where no closed form is at hand it follows from χ²: by Hölder's inequality 1 = E[r] ≤ E[√r]^⅔·E[r²]^⅓
// for the ratio r of the densities, so that ρ ≥ (1 + χ²)^−½. It is a proof where the noise is Certain.
func AffinityLow(noise Noise, z, e []float64) float64 {
	var s float64 // −ln ρ
	switch f := noise.(type) {
	case Gaussian: // e^(−t²/8σ²)
		for j, v := range z {
			t := (math.Abs(v) + e[j]) / f.Sigma
			s += t * t / 8
		}
	case Lattice: // Σ√(p(k)p(k−t)) = e^(−t²/8s²), times κ where t is odd
		κ := -math.Log(lattice.Half(f.Ratio()))
		for j, v := range z {
			t := math.Abs(v) + e[j]
			if t /= f.Sigma; t > 0 {
				s += t*t/8 + κ
			}
		}
	case Laplace: // (1 + τ/2)e^(−τ/2), τ = t/b
		for j, v := range z {
			τ := (math.Abs(v) + e[j]) / f.Scale
			s += excessLog(τ / 2)
		}
	default:
		s = math.Log1p(noise.Bound(z, e)) / 2
	}
	// Each term is right to 40u relatively, the sum of n to (n+40)u, the exponential to
	// 2u and its condition number s.
	n := float64(len(z))
	return math.Exp(-s*(1+(n+64)*unit)) * (1 - 8*unit)
}

// excessLog returns x − ln(1+x) for x ≥ 0, without cancellation.
func excessLog(x float64) float64 {
	if x > .1 {
		return x - math.Log1p(x)
	}
	// Σ (−1)^k x^k/k from k = 2: 20 terms leave less than 10⁻²¹ of the first.
	var s float64
	for k := 21; k >= 2; k-- {
		s = 1/float64(k) - x*s
	}
	return x * x * s
}
