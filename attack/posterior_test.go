package attack

import (
	"context"
	"testing"

	"tattle/bound"
	"tattle/internal/must"
	"tattle/internal/shared"
	"tattle/nn"
	"tattle/release"
)

// The posterior mean over many examples comes near the best there is: of the distribution of
// signs the list holds both members, so that it is the best. The limit is 6 standard errors
// of a mean of 4,000 (1e-9).
func TestPosteriorIsTheBestOnALongList(t *testing.T) {
	shared.Long(t, "the posterior mean over a long list")
	ctx := context.Background()
	front := must.Get(nn.NewNet(&nn.Graph{Name: "identity", Input: "x", InputShape: []int{4}, Output: "a",
		Nodes: []*nn.Node{{Name: "a", Op: &nn.Identity{}, Inputs: []string{"x"}, Output: "a"}}}))(t)
	train, test := signs(3000, 1), signs(4000, 2)
	legal := must.Get(bound.Legal([]float64{-1, -1, -1, -1}, []float64{1, 1, 1, 1}))(t)
	noise := release.Gaussian{Sigma: 1.5}
	all := make([]int, test.Len())
	for i := range all {
		all[i] = i
	}
	reach := func(a Attack) float64 {
		r := must.Get(Measure(ctx, a, front, noise, test, all, Options{Draws: 1, Seed: 4}))(t)
		var mean float64
		for _, v := range r.MeanSquare {
			mean += v / float64(len(r.MeanSquare))
		}
		return mean
	}
	a := must.Get(NewPosterior(ctx, front, noise, train, PosteriorOptions{Domain: legal, Seed: 1}))(t)
	if got, best := reach(a), reach(signBayes{noise.Sigma * noise.Sigma}); got > 1.1*best || got < .98*best {
		t.Errorf("mean-square error %v, and the best is %v (%s)", got, best, a.About())
	}
	// Several queries, and other noise.
	for _, noise := range []release.Noise{release.Gaussian{Sigma: 2}, mustNoise(t, "laplace", 1.5)} {
		for _, queries := range []int{1, 4} {
			a := must.Get(NewPosterior(ctx, front, noise, train, PosteriorOptions{Queries: queries, Domain: legal, Examples: 500}))(t)
			dst := make([]float32, 8)
			must.Do(t, a.Reconstruct(ctx, dst, []float32{9, 9, 9, 9, -9, -9, -9, -9}))
			if dst[0] < .9 || dst[4] > -.9 {
				t.Errorf("%v, %d queries: %v", noise, queries, dst)
			}
		}
	}
}

func mustNoise(t *testing.T, family string, sigma float64) release.Noise {
	t.Helper()
	return must.Get(release.ParseNoise(family, sigma, 4))(t)
}
