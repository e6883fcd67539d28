package attack

import (
	"math"

	"tattle/internal/protect/release"
)

// likelihood overwrites residuals r = a(θ) − x of one release by the gradient of
// −log f(−r), f being the density of the noise, and returns that, up to a constant.
type likelihood func(r []float32) float64

// softening rounds densities with an edge at 0, in standard deviations, so that descent
// converges.
const softening = 0.05

// likelihood returns the likelihood of the mean of all releases, and whether it is
// exact. Other noise, and the mean of several releases of noise that is not Gaussian, are
// treated as Gaussian of the same variance.
func (s Setting) likelihood() (f likelihood, exact bool) {
	if z, ok := s.Noise.(release.Laplace); ok && s.Queries <= 1 {
		soft := softening * z.Sigma
		return each(func(r float64) (cost, slope float64) {
			root := math.Hypot(r, soft)
			return (root - soft) / z.Scale, r / root / z.Scale
		}), true
	}
	_, exact = release.AsGaussian(s.Noise)
	precision := 1 / s.variance()
	return each(func(r float64) (cost, slope float64) { return r * r * precision / 2, r * precision }), exact
}

// each is the likelihood of independent noise.
func each(f func(r float64) (cost, slope float64)) likelihood {
	return func(r []float32) (sum float64) {
		for j, v := range r {
			cost, slope := f(float64(v))
			sum += cost
			r[j] = float32(slope)
		}
		return sum
	}
}
