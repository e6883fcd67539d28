package attack

import (
	"context"
	"testing"

	"tattle/internal/engine/nn"
	"tattle/internal/must"
	"tattle/internal/protect/bound"
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
		l := must.Get(NewLinear(ctx, g.front, noise, train, LinearOptions{}))(t)
		v := must.Get(NewInversion(g.front, noise, g.prior, InversionOptions{Starts: []Attack{l}}))(t)
		d := must.Get(NewDecoder(ctx, g.front, noise, train, DecoderOptions{Hidden: 32, Epochs: 2}))(t)
		m := NewMean(g.front, g.prior.Mean, bound.Free)
		for _, a := range []Attack{l, v, d, m} {
			r := must.Get(Measure(ctx, a, g.front, noise, test, nn.Indices(test.Len()), Options{Draws: 2, Seed: 9}))(t)
			e, std := meanError(r)
			if e < least-6*std {
				t.Errorf("σ = %v: %s reaches %v ± %v, below the least, %v", sigma, a.Name(), e, std, least)
			}
			if a != Attack(m) && e > least*1.03+6*std {
				t.Errorf("σ = %v: %s reaches %v ± %v only, where %v can be", sigma, a.Name(), e, std, least)
			}
		}
	}
}
