package attack

import (
	"context"
	"testing"

	"tattle/internal/engine/nn"
	"tattle/internal/must"
	"tattle/internal/protect/release"
	"tattle/internal/shared"
)

// No attack beats the posterior mean of Gaussian inputs, and the linear attack and
// the inversion with the true prior attain its error.
//
// The mean of 3,000 independent errors, each a sum of squares of normal variables, is nearly
// normal: it is 6 standard errors below its mean with probability 1e-9. It is skewed to the right,
// and the standard error is estimated, so the probability may be some ten times that: below 1e-5
// for a dozen comparisons together.
func TestNoAttackBeatsThePosteriorMeanOfGaussians(t *testing.T) {
	shared.Long(t, "attacks on 3,000 Gaussian inputs")
	ctx, g := context.Background(), newGaussian(t, 12, 8, 1)
	train, test := g.draw(20000, 2), g.draw(3000, 3)
	for _, sigma := range []float64{.1, .7, 4} {
		noise := release.Gaussian{Sigma: sigma}
		least := g.least(t, sigma)
		l := must.Get(NewLinear(ctx, Setting{Front: g.front, Noise: noise, Data: train}))(t)
		v := must.Get(NewInversion(Setting{Front: g.front, Noise: noise}, g.prior, InversionOptions{Starts: []*Attack{l.Attack}}))(t)
		d := must.Get(NewDecoder(ctx, Setting{Front: g.front, Noise: noise, Data: train}, nil, DecoderOptions{Hidden: 32, Epochs: 2}))(t)
		m := NewMean(Setting{Front: g.front}, g.prior.Mean)
		for _, a := range []*Attack{l.Attack, v, d.Attack, m} {
			r := must.Get(Measure(ctx, a, Setting{Front: g.front, Noise: noise, Data: test, Seed: 9}, nn.Indices(test.Len()), Options{Draws: 2}))(t)
			e, std := meanError(r)
			if e < least-6*std {
				t.Errorf("σ = %v: %s reaches %v ± %v, below the least, %v", sigma, a.Name, e, std, least)
			}
			if a != m && e > least*1.03+6*std {
				t.Errorf("σ = %v: %s reaches %v ± %v only, where %v can be", sigma, a.Name, e, std, least)
			}
		}
	}
}
