// Package release is what leaves the device: a model's features with noise
// added, and what the noise costs in accuracy.
package release

import (
	"fmt"
	"math"
	"math/rand/v2"
)

// NoiseSource draws the noise Z that is added to the features a_θ, so that X = a_θ + Z is
// released (A eq. 7). It is safe for concurrent use.
//
// Sample is made for measurements. Its generator is seeded and not secret, and has 32 to 53
// random bits for a number, so Z has the density f only to that precision. No bound here takes
// into account what the low-order bits of released numbers reveal (I. Mironov, CCS 2012). On a
// device, draw from a secret generator and round the released numbers (Post.Digits).
type NoiseSource interface {
	// Sample overwrites dst with one draw of Z.
	Sample(dst []float64, r *rand.Rand)
	// ChiSquared returns E[(f(Z−z)/f(Z) − 1)²], where f is the density of Z: the
	// denominator of the Hammersley-Chapman-Robbins bound (A eq. 11).
	ChiSquared(z []float64) float64
}

// Gaussian is independent noise of normal distribution, N(0, Sigma²) in each
// feature (A eq. 13). NewGaussian checks Sigma.
type Gaussian struct{ Sigma float64 }

var _ NoiseSource = Gaussian{}

// The limits of sigma. A value outside of them is a mistake: in float32 the noise would be lost
// in the features, or the features in the noise.
const (
	MinSigma = 1e-12
	MaxSigma = 1e12
)

// NewGaussian returns Gaussian noise of standard deviation sigma. It returns an error
// unless sigma is between MinSigma and MaxSigma.
func NewGaussian(sigma float64) (Gaussian, error) {
	var wrong string
	switch {
	case math.IsNaN(sigma):
		wrong = "is not a number"
	case sigma == 0:
		wrong = "adds no noise, so nothing can be guaranteed"
	case sigma < 0:
		wrong = "is negative"
	case sigma < MinSigma:
		wrong = "is too small to change a feature"
	case sigma > MaxSigma:
		wrong = "is absurdly large"
	default:
		return Gaussian{sigma}, nil
	}
	return Gaussian{}, fmt.Errorf("sigma %v %s: give the noise a standard deviation between %v and %v, such as the RMS of the features",
		sigma, wrong, MinSigma, MaxSigma)
}

// Sample overwrites dst with independent normal deviates of standard deviation
// Sigma.
func (g Gaussian) Sample(dst []float64, r *rand.Rand) {
	for i := range dst {
		dst[i] = g.Sigma * r.NormFloat64()
	}
}

// ChiSquared returns exp(‖z‖²/σ²) − 1 (A eq. 12), to full relative accuracy for
// small z too; +Inf if that overflows.
func (g Gaussian) ChiSquared(z []float64) float64 {
	var s float64
	for _, v := range z {
		s += (v / g.Sigma) * (v / g.Sigma)
	}
	return math.Expm1(s)
}
