package lattice

import "math"

// Half bounds κ = Σ_k exp(−(k+½)²/2s²) / Σ_k exp(−k²/2s²) from below, the sums over all integers:
// what the affinity of two discrete Gaussians is short of that of Gaussians when they are an
// odd distance apart. It is 1 − 10⁻⁸ at s = 1.
//
// By Poisson's summation formula κ = (1 + 2Σ_j (−1)^j q^j²)/(1 + 2Σ_j q^j²), j ≥ 1, q = exp(−2π²s²).
// For s ≥ 1/4, q ≤ 0.292, so that terms from j = 8 on are less than 10⁻³⁴.
func Half(s float64) float64 {
	q := math.Exp(-2 * math.Pi * math.Pi * s * s)
	above, below := 1., 1.
	for j := 7; j >= 1; j-- {
		term := 2 * math.Pow(q, float64(j*j))
		below += term
		if j%2 == 1 {
			term = -term
		}
		above += term
	}
	return above / below * (1 - 1e-13)
}

// Rounded compares N, discrete Gaussian of parameter s about an integer c, with X rounded at random:
// X is Gaussian about c with standard deviation τ, and given X an integer k is drawn with
// probability ∝ exp(−(k−X)²/2·3), which depends on X alone. It returns τ = √(s² − 3), and a bound
// on the relative difference of the two probabilities of every integer. So what is proved of
// Gaussian noise of standard deviation τ holds for N as well, up to that factor: the
// random rounding is post-processing. It reports false unless s² > 3.
//
// The second probability is ∫ φ_τ(x−c)·exp(−(k−x)²/6)/S(x) dx, S(x) = Σ_k exp(−(k−x)²/6). By
// Poisson's formula S(x) = √(6π)(1 + 2Σ_j q^j²·cos 2πjx), q = exp(−6π²) < 2·10⁻²⁶, is within a relative
// 2.1q of √(6π), and without S the integral is a convolution, exp(−(k−c)²/2s²)/s·√3. The sum that
// normalises N is likewise within 2.1q of s√(2π), as s² > 3. (C. Peikert, CRYPTO 2010, Theorem 3.1.)
func Rounded(s float64) (τ, difference float64, ok bool) {
	square := s*s*(1-0x1p-51) - 3
	if !(square > 0) {
		return 0, 0, false
	}
	return math.Sqrt(square) * (1 - 0x1p-51), 1e-25, true
}
