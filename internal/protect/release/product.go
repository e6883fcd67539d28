package release

import (
	"math"
	"math/rand/v2"
)

// unit is half the distance from 1 to the next float64.
const unit = 0x1p-53

// checkSigma returns an error unless sigma is a sensible standard deviation.
func checkSigma(sigma float64) error {
	_, err := NewGaussian(sigma)
	return err
}

// excess is g(t) − 1 for t ≥ 0, g(t) = ∫ f(x−t)²/f(x) dx of one feature, and a
// bound on its relative error, t being known to 2u.
type excess func(t float64) (value, relative float64)

// productBound returns at least Π g(z*_j) − 1 for every |z* − z| ≤ e, where f is even
// and 1/f convex: then g(t) = ∫ f(y)²·(1/f)(y+t) dy, a mixture of convex functions of
// t, is convex, and even as f² is, so that it increases with |t|. Laplace's 1/f is the
// exponential of a convex function.
func productBound(z, e []float64, g excess) float64 {
	var s, relative float64
	for j, v := range z {
		x, r := g(math.Abs(v) + e[j])
		s += math.Log1p(x)
		relative = max(relative, r)
	}
	return expm1Above(s, relative, len(z))
}

// expm1Above returns at least Π(1+x_j) − 1, s being the sum of math.Log1p of n x_j,
// none negative and each right to the relative error given.
//
// math.Log1p errs by 2u and its condition number is at most 1, so that s is right to
// that error and (n+2)u. What has underflowed in n < 2²⁰ terms is below 2⁻¹⁰⁰⁰.
// math.Expm1 errs by 2u, and its condition number at q is at most 1+q. What is not a
// number is taken for infinite.
func expm1Above(s, relative float64, n int) float64 {
	q := (s + 0x1p-1000) * (1 + relative + (float64(n)+8)*unit) * (1 + 4*unit)
	if math.IsNaN(q) {
		return math.Inf(1)
	}
	return math.Expm1(q) * (1 + (8+4*q)*unit)
}

// openUniform returns an odd multiple of 2⁻⁵³ in (0, 1): neither end, whose logarithm
// would be infinite, can come of rounding.
func openUniform(r *rand.Rand) float64 { return (float64(r.Uint64()>>12) + .5) * 0x1p-52 }
