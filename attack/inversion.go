package attack

import (
	"context"
	"errors"
	"fmt"
	"math"

	"tattle/bound"
	"tattle/nn"
	"tattle/release"
	"tattle/stat"
)

// The priors of an Inversion.
const (
	GaussianPrior  = "gaussian" // the inputs' mean and covariance
	TotalVariation = "tv"       // neighbouring pixels differ little
)

// Defaults of InversionOptions.
const (
	DefaultSteps = 60   // half and twice as many leave .565, and 60 .558, on 150 of MNIST's training images that prior and linear start had not seen
	DefaultRate  = 0.05 // a twentieth of a standard deviation of the data, falling to 0; twice it leaves .600 there, half of it .555
)

// InversionOptions are the settings of NewInversion.
type InversionOptions struct {
	Queries int          // releases of one input, of which the attacker takes the mean; 0 is 1
	Prior   string       // by default GaussianPrior
	Steps   int          // of Adam; 0 is DefaultSteps
	Rate    float64      // of Adam at the start; 0 is DefaultRate
	Weight  float64      // of the prior, times the weight that follows from its scale; 0 is 1
	Shape   []int        // of the input, for TotalVariation; nil for that of a *nn.Net's graph
	Starts  []Attack     // whose reconstructions are starts, beside the prior's mean
	Domain  bound.Domain // where reconstructions stay
	// Progress, unless nil, is called after each of the steps of one Reconstruct.
	Progress func(done, total int)
}

// Inversion searches the input that explains the release best: it minimises −log
// f(x − a(θ)), f being the noise's density, plus a prior's −log density, by Adam
// from several starts, and answers the θ of the least objective. The density is
// that of the Gaussian, Laplace, logistic, Student-t and isotropic Laplace noise;
// another's, and that of the mean of several releases, is taken for Gaussian of the
// same strength. Without noise an input need not explain the release more closely
// than to a slack. What is done to a release afterwards it leaves out of account.
type Inversion struct {
	InversionOptions
	p, n   int
	front  nn.Model
	fit    likelihood
	exact  bool    // the likelihood is the noise's own
	quiet  bool    // there is no noise
	shrink float32 // of gradients, whose squares are to stay within float32
	prior  penalty
	mean   []float32
}

// sharp is the variance of noise below which gradients are shrunk, which Adam does
// not mind.
const sharp = 1e-8

// penalty is −log of a prior density, in coordinates of its own.
type penalty interface {
	// input overwrites θ with the inputs at the coordinates v.
	input(theta, v []float32)
	// coordinates overwrites v with those of the inputs θ.
	coordinates(v, theta []float32)
	// pull overwrites g, which holds the gradient by θ of another objective, with that
	// by v of the sum, and adds the penalty of each row to cost.
	pull(g, v, theta []float32, cost []float64)
	// settle keeps v where it may be.
	settle(v []float32)
}

// NewInversion prepares the attack. It errs on an unknown prior, one of other
// inputs, and on inputs of no known shape where the prior needs one.
func NewInversion(front nn.Model, noise release.Noise, prior *bound.Prior, o InversionOptions) (*Inversion, error) {
	a := &Inversion{InversionOptions: o, front: front, shrink: 1}
	a.p, a.n = front.Dims()
	if len(prior.Mean) != a.p || len(prior.Covariance) != a.p*a.p {
		return nil, fmt.Errorf("attack: a prior of %d inputs for a model of %d: estimate it from the model's own data", len(prior.Mean), a.p)
	}
	if a.quiet = (noise == release.None{}); a.quiet {
		noise = release.Gaussian{Sigma: slackOf(front, prior)}
	}
	v := variance(noise, o.Queries)
	if !(v > 1/math.MaxFloat32) || math.IsInf(v, 1) {
		return nil, fmt.Errorf("attack: inversion of a release with noise of variance %v: give noise of some strength, between 1e-12 and 1e12", v)
	}
	if v < sharp {
		a.shrink = float32(v)
	}
	a.fit, a.exact = likelihoodOf(noise, o.Queries)
	if err := check(a.p, o.Queries, o.Domain); err != nil {
		return nil, err
	}
	if o.Steps < 0 || o.Rate < 0 || o.Weight < 0 {
		return nil, fmt.Errorf("attack: inversion in %d steps of rate %v with weight %v: none may be negative", o.Steps, o.Rate, o.Weight)
	}
	a.complete()
	a.mean = narrow(prior.Mean)
	clip(a.mean, o.Domain)
	var err error
	switch a.Prior {
	case GaussianPrior:
		a.prior, err = newWhitened(prior, a.Weight)
	case TotalVariation:
		a.prior, err = newVariation(prior, a.Weight, a.Shape, o.Domain)
	default:
		err = fmt.Errorf("prior %q: want %q or %q", a.Prior, GaussianPrior, TotalVariation)
	}
	if err != nil {
		return nil, fmt.Errorf("attack: inversion: %w", err)
	}
	return a, nil
}

// slack is what an explanation of a release without noise may be off by, against the
// root mean square of the features: the density itself would leave descent no slope.
const slack = 0.01

// slackOf is that of the features of the prior's mean.
func slackOf(front nn.Model, prior *bound.Prior) float64 {
	_, n := front.Dims()
	a := make([]float32, n)
	front.Forward(a, narrow(prior.Mean))
	rms := stat.RMS(a)
	if !(rms > release.MinSigma) || math.IsInf(rms, 1) {
		return slack
	}
	return slack * rms
}

func (a *Inversion) complete() {
	if a.Prior == "" {
		a.Prior = GaussianPrior
	}
	if a.Steps == 0 {
		a.Steps = DefaultSteps
	}
	if a.Rate == 0 {
		a.Rate = DefaultRate
	}
	if a.Weight == 0 {
		a.Weight = 1
	}
	if net, ok := a.front.(*nn.Net); ok && a.Shape == nil {
		a.Shape = net.Graph().InputShape
	}
}

// Name returns "inversion".
func (a *Inversion) Name() string { return "inversion" }

// About says what the attack knows.
func (a *Inversion) About() string {
	prior := "the mean and covariance of training data as a Gaussian prior"
	if a.Prior == TotalVariation {
		prior = "a prior of small total variation, with each pixel's mean and spread in training data"
	}
	noise := "the noise"
	switch {
	case a.quiet:
		noise = "that there is no noise"
	case !a.exact:
		noise = "the noise's strength, taking it for Gaussian,"
	}
	return fmt.Sprintf("knows the model, %s and %s, and searches the input that explains the release best, in %d steps from %d starts", noise, prior, a.Steps, 1+len(a.Starts))
}

// Reconstruct runs the search on many releases at once.
func (a *Inversion) Reconstruct(ctx context.Context, dst, x []float32) error {
	batch, size := rows(dst, x, a.p, a.n), batchOf(a.p)/2
	for lo := 0; lo < batch; lo += size {
		hi := min(batch, lo+size)
		tell := func(done int) {
			if a.Progress != nil {
				each := (1 + len(a.Starts)) * a.Steps
				a.Progress(lo/size*each+done, (batch+size-1)/size*each)
			}
		}
		if err := a.search(ctx, dst[lo*a.p:hi*a.p], x[lo*a.n:hi*a.n], tell); err != nil {
			return err
		}
	}
	return nil
}

// search descends from every start.
func (a *Inversion) search(ctx context.Context, dst, x []float32, tell func(done int)) error {
	batch := len(x) / a.n
	s := newDescent(a, batch)
	s.tell = tell
	start := make([]float32, batch*a.p)
	for k := range 1 + len(a.Starts) {
		for i := range batch {
			copy(start[i*a.p:], a.mean)
		}
		if k > 0 {
			if err := a.Starts[k-1].Reconstruct(ctx, start, x); err != nil {
				return err
			}
		}
		if err := s.from(ctx, start, x); err != nil {
			return err
		}
	}
	for _, c := range s.least {
		if math.IsInf(c, 1) {
			return errors.New("attack: inversion: the objective is nowhere finite: look for extreme values in the model")
		}
	}
	copy(dst, s.best)
	clip(dst, a.Domain)
	return nil
}
