package release

import "math"

// PairShare returns at most
//
//	h = ½∫ f0·f1/(f0 + f1),
//
// for every |z* − z| ≤ e elementwise. f0 and f1 are the densities of k releases at θ and at θ+ε,
// whose features differ by z*. h limits every estimator, biased or not (Le Cam's two-point Bayes
// risk): for any direction w, the mean of its mean square errors of wᵀθ at θ and at θ+ε is at
// least (wᵀε)²·h, and that of the whole input at least ‖ε‖²·h. h is ¼ if the features are equal,
// and falls to 0 as their distance grows. The value is proved if the noise is Certain.
//
// For Gaussian noise it is exact up to rounding, and nearly so for Lattice noise; for another it is ρ²/4, from Cauchy's inequality
// ρ² = (∫√(f0·f1))² ≤ ∫ f0·f1/(f0+f1)·∫(f0 + f1) = 4h.
func PairShare(noise Noise, z, e []float64, queries int) float64 {
	k := float64(max(queries, 1))
	if g, ok := noise.(Gaussian); ok {
		var s float64
		for j, v := range z {
			t := math.Abs(v) + e[j]
			s += t * t
		}
		return GaussianPairShare(math.Sqrt(s*k) / g.Sigma * (1 + (float64(len(z))+16)*unit))
	}
	if l, ok := noise.(Lattice); ok {
		return l.pairShare(z, e, k)
	}
	ρ := AffinityLow(noise, z, e)
	return math.Pow(ρ, 2*k) / 4 * (1 - 1e-12)
}

// GaussianPairShare returns at most the h of PairShare for Gaussian noise of standard deviation σ and
// features that differ by a norm of at most dσ,
//
//	h = ¼e^(−d²/8)·E[sech(dZ/2)], Z ~ N(0, 1):
//
// with the means at ±d/2 the densities multiply to φ(t)²e^(−d²/4), and add to 2φ(t)e^(−d²/8)cosh(td/2).
//
// The mean is a trapezoidal sum. The integrand is analytic up to |Im t| = π/d; on the lines Im t =
// ±a, a = min(π/2d, 2), it is at most φ(t)·e^(a²/2)·√2 in modulus, so that the sum of steps s errs
// by at most 2√2·e^(a²/2)/(e^(2πa/s) − 1) (Trefethen and Weideman, SIAM Review 56, 2014, Theorem
// 5.1), which is below 10⁻¹⁵ for s = a/6. The mean is at least E[e^(−d|Z|/2)] ≥ 1/(1 + d), so a
// margin of 10⁻¹² is more than that. The terms beyond 9 that are left out are positive. Far apart
// h ≥ ¼(1 − TV) = ½Φ(−d/2) serves.
func GaussianPairShare(d float64) float64 {
	far := math.Erfc(d/2/math.Sqrt2) / 4 * (1 - 1e-12)
	if !(d < 60) {
		return far
	}
	a := min(math.Pi/2/max(d, 1e-300), 2)
	s := a / 6
	var sum float64
	for k := int(9 / s); k >= 1; k-- {
		t := float64(k) * s
		sum += 2 * math.Exp(-t*t/2) / math.Cosh(d*t/2)
	}
	mean := (sum + 1) * s / math.Sqrt(2*math.Pi)
	return max(far, math.Exp(-d*d/8)/4*mean*(1-1e-12))
}
