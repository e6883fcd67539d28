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

// The posterior mean over many examples comes near the best there is: of the distribution of
// signs the list holds both members, so that it is the best. The limit is 6 standard errors
// of a mean of 4,000 (1e-9).
func TestPosteriorIsTheBestOnALongList(t *testing.T) {
	shared.Long(t, "the posterior mean over a long list")
	ctx := context.Background()
	front := wide(t, 4)
	train, test := signs(3000, 1), signs(4000, 2)
	legal := must.Get(bound.Legal([]float64{-1, -1, -1, -1}, []float64{1, 1, 1, 1}))(t)
	noise := release.Gaussian{Sigma: 1.5}
	reach := func(a *Attack) float64 {
		r := must.Get(Measure(ctx, a, Setting{Front: front, Noise: noise, Data: test, Seed: 4}, nn.Indices(4000), Options{Draws: 1}))(t)
		mean, _ := meanError(r)
		return mean
	}
	a := must.Get(NewPosterior(ctx, Setting{Front: front, Noise: noise, Data: train, Domain: legal, Seed: 1}))(t)
	if got, best := reach(a), reach(signBayes(Setting{Front: front, Noise: noise})); got > 1.1*best || got < .98*best {
		t.Errorf("mean-square error %v, and the best is %v (%s)", got, best, a.About)
	}
	// Several queries, and other noise.
	laplace := must.Get(release.NewLaplace(1.5))(t)
	for _, noise := range []release.Noise{release.Gaussian{Sigma: 2}, laplace} {
		for _, queries := range []int{1, 4} {
			a := must.Get(NewPosterior(ctx, Setting{Front: front, Noise: noise, Data: train, Queries: queries, Domain: legal}))(t)
			dst := make([]float32, 8)
			must.Do(t, a.Reconstruct(ctx, dst, []float32{9, 9, 9, 9, -9, -9, -9, -9}))
			if dst[0] < .9 || dst[4] > -.9 {
				t.Errorf("%v, %d queries: %v", noise, queries, dst)
			}
		}
	}
}
