package attack

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"

	"tattle/internal/engine/nn"
	"tattle/internal/protect/bayes"
	"tattle/internal/protect/bound"
	"tattle/internal/protect/release"
)

const (
	// mostFeatures limits the candidates by the memory that their features take: 2²⁶ numbers
	// are half a gigabyte, enough for all of MNIST's.
	mostFeatures = 1 << 26

	// temperatureTrials is how many training examples choose the temperature, each in turn left
	// out of the list: their mean error is known to some 5 %, and temperatures are steps of two.
	temperatureTrials = 200
)

// PosteriorOptions are the settings of NewPosterior.
type PosteriorOptions struct {
	Queries int          // releases of one input; the attacker takes their mean; 0 is 1
	Domain  bound.Domain // where reconstructions are clipped
	Seed    uint64
	Memo    *bayes.Memo // of the training examples' features; nil: the attack keeps its own
}

// Posterior answers the posterior mean over the training examples, as if one of them had been
// released (MATH, "Floors that bind every adversary", item 2). The input that is attacked is not among them,
// so the log-likelihood is divided by a temperature, which is chosen on training examples left out of the list.
type Posterior struct {
	list        bayes.Candidates
	inputs      func(x []float32, indices []int)
	noise       bayes.Density
	p, n        int
	domain      bound.Domain
	temperature float64
	about       string
}

// NewPosterior makes the attack on releases of front with that noise. It ignores
// post-processing. It returns an error for noise without a density, for fewer than two training
// examples, and if ctx ends.
func NewPosterior(ctx context.Context, front nn.Model, noise release.Noise, train nn.Source, o PosteriorOptions) (*Posterior, error) {
	p, n := front.Dims()
	indices, err := trainingSet(train, max(mostFeatures/n, 2), o.Seed)
	if err != nil {
		return nil, err
	}
	density, about, err := meanDensity(noise, o.Queries)
	if err != nil {
		return nil, err
	}
	a := &Posterior{noise: density, p: p, n: n, domain: o.Domain}
	a.inputs = func(x []float32, candidates []int) {
		rows := make([]int, len(candidates))
		for k, j := range candidates {
			rows[k] = indices[j]
		}
		train.Examples(x, rows)
	}
	a.list = bayes.Inputs{Front: front, Data: train, Indices: indices, Memo: o.Memo}.Kept()
	r := rand.New(rand.NewPCG(o.Seed, temperatureTrials))
	if a.temperature, err = bayes.ChooseTemperature(ctx, a.list, p, a.inputs, density, temperatureTrials, r); err != nil {
		return nil, err
	}
	a.about = fmt.Sprintf("knows the model, %s and %d training examples, and answers their mean, weighted by the likelihood of the release to the power 1/%g", about, len(indices), a.temperature)
	return a, nil
}

// meanDensity is the noise of the mean of several releases: where that is not known in closed form,
// Gaussian noise of the same strength.
func meanDensity(noise release.Noise, queries int) (density bayes.Density, about string, err error) {
	_, gaussian := release.AsGaussian(noise)
	if queries <= 1 && !gaussian {
		if d, ok := noise.(bayes.Density); ok {
			return d, "the noise", nil
		}
		return nil, "", fmt.Errorf("it needs noise with a known density, and %v has none", noise)
	}
	g, err := release.NewGaussian(math.Sqrt(variance(noise, queries)))
	if !gaussian {
		return g, "the strength of the noise", err
	}
	return g, "the noise", err
}

// Name returns "posterior".
func (a *Posterior) Name() string { return "posterior" }

// About says what the attack knows.
func (a *Posterior) About() string { return a.about }

// Reconstruct overwrites dst with the posterior means for the releases x.
func (a *Posterior) Reconstruct(ctx context.Context, dst, x []float32) error {
	rows(dst, x, a.p, a.n)
	guess, err := bayes.Mean(ctx, a.list, a.p, a.inputs, a.noise, nn.Float64s(x), []float64{a.temperature}, nil)
	if err != nil {
		return err
	}
	copy(dst, guess[0])
	clip(dst, a.domain)
	return nil
}
