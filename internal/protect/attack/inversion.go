package attack

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"slices"

	"tattle/internal/engine/nn"
	"tattle/internal/math/stat"
	"tattle/internal/protect/bound"
	"tattle/internal/protect/release"
)

// Defaults of InversionOptions.
const (
	DefaultSteps = 60   // error on 150 of MNIST's training images, from which neither the prior nor the linear start learned: .558; with 30 or 120 steps .565
	DefaultRate  = 0.05 // a twentieth of a standard deviation of the data, falling to 0; the same error with twice the rate: .600, with half: .555
)

// InversionOptions are the settings of an inversion's search.
type InversionOptions struct {
	Steps  int       // of Adam; 0 is DefaultSteps
	Rate   float64   // of Adam at the start; 0 is DefaultRate
	Starts []*Attack // whose reconstructions are starts, beside the prior's mean
}

// inversion searches the input that explains the release best. It minimises −log
// f(x − a(θ)) − log π(θ) by Adam from several starts, f being the density of the noise and
// π that of a Gaussian prior, and returns the θ of the smallest value. f is exact for one
// release with Gaussian or Laplace noise. Other
// noise, and the mean of several releases, are treated as Gaussian of the same variance.
// Without noise, f is Gaussian with a hundredth of the features' root mean square. The
// attack ignores post-processing.
type inversion struct {
	InversionOptions
	p, n   int
	front  nn.Model
	fit    likelihood
	shrink float32 // of gradients, whose squares are to stay within float32
	prior  *whitened
}

// sharp is the variance of noise below which gradients are scaled down, which does not
// change Adam's steps.
const sharp = 1e-8

// NewInversion prepares the attack with a prior of the model's inputs; it reads no data. It returns an error for a model without a
// Jacobian, for noise that is too weak or too strong, and for a covariance that is singular.
func NewInversion(s Setting, prior *Prior, o InversionOptions) (*Attack, error) {
	a := &inversion{InversionOptions: o, front: s.Front, shrink: 1}
	a.p, a.n = s.Front.Dims()
	if g := bound.GraphOf(s.Front); g != nil && g.Opaque() != nil {
		return nil, fmt.Errorf("attack: inversion: %w", bound.Differentiable(g))
	}
	quiet := s.Noise == release.None{}
	if quiet {
		s.Noise = release.Gaussian{Sigma: slackOf(s.Front, prior)}
	}
	v := s.variance()
	if !(v > 1/math.MaxFloat32) || math.IsInf(v, 1) {
		return nil, fmt.Errorf("attack: inversion of a release with noise of variance %v: give noise of some strength, between 1e-12 and 1e12", v)
	}
	if v < sharp {
		a.shrink = float32(v)
	}
	fit, exact := s.likelihood()
	a.fit, a.Steps, a.Rate = fit, cmp.Or(o.Steps, DefaultSteps), cmp.Or(o.Rate, DefaultRate)
	a.Starts = append([]*Attack{NewMean(s, prior.Mean)}, o.Starts...)
	var err error
	if a.prior, err = newWhitened(prior); err != nil {
		return nil, fmt.Errorf("attack: inversion: %w", err)
	}
	noise := "the noise"
	switch {
	case quiet:
		noise = "that there is no noise,"
	case !exact:
		noise = "the strength of the noise, which it takes for Gaussian,"
	}
	return newAttack(s, "inversion", fmt.Sprintf("knows the model, %s and the mean and covariance of training data as a Gaussian prior, and searches the input that explains the release best, in %d steps from %d starts", noise, a.Steps, len(a.Starts)), a.reconstruct), nil
}

// slack is the standard deviation, relative to the features' root mean square, that replaces a
// standard deviation of 0: without noise the density has no gradient to descend.
const slack = 0.01

// slackOf is the slack for the features of the prior's mean.
func slackOf(front nn.Model, prior *Prior) float64 {
	_, n := front.Dims()
	a := make([]float32, n)
	front.Forward(a, nn.Float32s(prior.Mean))
	rms := stat.RMS(a)
	if !(rms > release.MinSigma) || math.IsInf(rms, 1) {
		return slack
	}
	return slack * rms
}

// reconstruct runs the search on many releases at once.
func (a *inversion) reconstruct(ctx context.Context, dst, x []float32) error {
	batch, size := len(x)/a.n, batchOf(a.p)/2
	for lo := 0; lo < batch; lo += size {
		hi := min(batch, lo+size)
		if err := a.search(ctx, dst[lo*a.p:hi*a.p], x[lo*a.n:hi*a.n]); err != nil {
			return err
		}
	}
	return nil
}

// search descends from every start.
func (a *inversion) search(ctx context.Context, dst, x []float32) error {
	batch := len(x) / a.n
	s := newDescent(a, batch)
	at := make([]float32, batch*a.p)
	for _, start := range a.Starts {
		if err := start.Reconstruct(ctx, at, x); err != nil {
			return err
		}
		if err := s.from(ctx, at, x); err != nil {
			return err
		}
	}
	if math.IsInf(slices.Max(s.least), 1) {
		return errors.New("attack: inversion: the objective is nowhere finite: look for extreme values in the model")
	}
	copy(dst, s.best)
	return nil
}

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
