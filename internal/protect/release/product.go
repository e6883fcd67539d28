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
