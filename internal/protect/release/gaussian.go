// Package release is what leaves the device: a model's features with noise
// added, and what the noise costs in accuracy.
package release

import (
	"fmt"
	"math"
	"math/rand/v2"
)

// Gaussian is independent noise of normal distribution, N(0, Sigma²) in each
// feature (A eq. 13). NewGaussian checks Sigma.
type Gaussian struct{ Sigma float64 }

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
