package attack

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"

	"tattle/internal/engine/nn"
	"tattle/internal/protect/bayes"
	"tattle/internal/protect/release"
)

const (
	// mostFeatures limits the candidates by the memory that their features take: 2²⁶ numbers
	// are half a gigabyte, enough for all of MNIST's.
	mostFeatures = 1 << 26

	// temperatureTrials is how many training examples choose the temperature, each in turn left
	// out of the list: their mean error is known to some 5 %, and temperatures are steps of two.
	temperatureTrials = 200
	// temperatureInputs is how many numbers of each of these examples are compared, at most.
	temperatureInputs = 4096
)

// NewPosterior returns the attack that answers the posterior mean over the training examples, as if one of them had been
// released (MATH, "Floors that bind every adversary", item 2). The input that is attacked is not among them,
// so the log-likelihood is divided by a temperature, which is chosen on training examples left out of the list.
// The attack ignores post-processing. NewPosterior returns an error for noise without a density, for fewer than two training
// examples, and if ctx ends.
func NewPosterior(ctx context.Context, s Setting) (*Attack, error) {
	p, n := s.Front.Dims()
	indices, err := s.trainingSet(max(mostFeatures/n, 2))
	if err != nil {
		return nil, err
	}
	density, about, err := s.meanDensity()
	if err != nil {
		return nil, err
	}
	inputs := func(x []float32, candidates []int) {
		rows := make([]int, len(candidates))
		for k, j := range candidates {
			rows[k] = indices[j]
		}
		s.Data.Examples(x, rows)
	}
	list := bayes.Inputs{Front: s.Front, Data: s.Data, Indices: indices, Memo: s.Memo}.Kept()
	r := rand.New(rand.NewPCG(s.Seed, temperatureTrials))
	some, whole := r.Perm(p)[:min(p, temperatureInputs)], make([]float32, p)
	temperature, err := bayes.ChooseTemperature(ctx, list, len(some), func(x []float32, candidates []int) {
		for k, j := range candidates {
			inputs(whole, []int{j})
			for i, at := range some {
				x[k*len(some)+i] = whole[at]
			}
		}
	}, density, temperatureTrials, r)
	if err != nil {
		return nil, err
	}
	about = fmt.Sprintf("knows the model, %s and %d training examples, and answers their mean, weighted by the likelihood of the release to the power 1/%g", about, len(indices), temperature)
	return newAttack(s, "posterior", about, func(ctx context.Context, dst, x []float32) error {
		guess, err := bayes.Mean(ctx, list, p, inputs, density, nn.Float64s(x), []float64{temperature}, nil)
		if err == nil {
			copy(dst, guess[0])
		}
		return err
	}), nil
}

// meanDensity is the noise of the mean of several releases: where that is not known in closed form,
// Gaussian noise of the same strength.
func (s Setting) meanDensity() (density bayes.Density, about string, err error) {
	_, gaussian := release.AsGaussian(s.Noise)
	if s.Queries <= 1 && !gaussian {
		if d, ok := s.Noise.(bayes.Density); ok {
			return d, "the noise", nil
		}
		return nil, "", fmt.Errorf("it needs noise with a known density, and %v has none", s.Noise)
	}
	g, err := release.NewGaussian(math.Sqrt(s.variance()))
	if !gaussian {
		return g, "the strength of the noise", err
	}
	return g, "the noise", err
}
