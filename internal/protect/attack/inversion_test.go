package attack

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"tattle/internal/engine/nn"
	"tattle/internal/must"
	"tattle/internal/protect/release"
	"tattle/internal/shared"
)

// The penalty's gradient against differences, and its coordinates there and back.
func TestPenalty(t *testing.T) {
	g := newGaussian(t, 12, 4, 8)
	p := must.Get(newWhitened(g.prior))(t)
	r := rand.New(rand.NewPCG(9, 9))
	theta, at, back := make([]float32, 24), make([]float32, 24), make([]float32, 24)
	for i := range at {
		at[i] = float32(r.NormFloat64())
	}
	p.input(theta, at)
	p.coordinates(back, theta)
	for i := range at {
		if math.Abs(float64(at[i]-back[i])) > 1e-3 {
			t.Errorf("coordinate %d is %v, and after going through the inputs %v", i, at[i], back[i])
		}
	}
	// Another objective, linear in θ, tests that pull takes its gradient along.
	other := make([]float32, 24)
	for i := range other {
		other[i] = float32(r.NormFloat64())
	}
	value := func(at []float32) float64 {
		cost := make([]float64, 2)
		p.input(theta, at)
		p.pull(make([]float32, 24), at, cost)
		for i := range other {
			cost[i/12] += float64(other[i]) * float64(theta[i])
		}
		return cost[0] + cost[1]
	}
	p.input(theta, at)
	grad := slices.Clone(other)
	p.pull(grad, at, make([]float64, 2))
	for i := range at {
		const h = 1. / 64
		up, down := slices.Clone(at), slices.Clone(at)
		up[i], down[i] = up[i]+h, down[i]-h
		if want := (value(up) - value(down)) / (2 * h); math.Abs(want-float64(grad[i])) > 2e-2*(1+math.Abs(want)) {
			t.Errorf("gradient %d is %v, differences say %v", i, grad[i], want)
		}
	}
}

// A likelihood's gradient against differences.
func TestLikelihoods(t *testing.T) {
	const n, sigma = 5, .7
	r := rand.New(rand.NewPCG(12, 12))
	for _, noise := range everyNoise(t, sigma, n) {
		f, exact := (Setting{Noise: noise}).likelihood()
		if !exact {
			t.Errorf("%v: taken for Gaussian", noise)
		}
		at := make([]float32, n)
		for i := range at {
			at[i] = float32(sigma * r.NormFloat64())
		}
		grad := slices.Clone(at)
		f(grad)
		for i := range at {
			const h = 1. / 256
			up, down := slices.Clone(at), slices.Clone(at)
			up[i], down[i] = up[i]+h, down[i]-h
			// The steps are exact to 1e-7, so the quotient to 1e-4; its curvature is of order h².
			if want := (f(up) - f(down)) / (2 * h); math.Abs(want-float64(grad[i])) > 1e-2*(1+math.Abs(want)) {
				t.Errorf("%v: gradient %d is %v, differences say %v", noise, i, grad[i], want)
			}
		}
	}
	if _, exact := (Setting{Noise: everyNoise(t, 1, n)[1], Queries: 2}).likelihood(); exact {
		t.Error("the mean of two Laplace releases is no Laplace release")
	}
}

// Who knows the noise's density does better than the best affine map: for Laplace
// noise a median, where that is a mean, has half its variance in the limit of many
// features. Two thirds of the error are left here for what is not that limit; seeds
// are fixed.
func TestInversionKnowsTheNoise(t *testing.T) {
	shared.Long(t, "inversions")
	ctx, g := context.Background(), newGaussian(t, 3, 60, 14)
	train, test := g.draw(4000, 15), g.draw(500, 16)
	noise := must.Get(release.NewLaplace(1))(t)
	l := must.Get(NewLinear(ctx, Setting{Front: g.front, Noise: noise, Data: train}))(t)
	v := must.Get(NewInversion(Setting{Front: g.front, Noise: noise}, g.prior, InversionOptions{Starts: []*Attack{l.Attack}}))(t)
	of := func(a *Attack) float64 {
		r := must.Get(Measure(ctx, a, Setting{Front: g.front, Noise: noise, Data: test}, nn.Indices(500), Options{}))(t)
		e, _ := meanError(r)
		return e
	}
	if e, linear := of(v), of(l.Attack); e > .8*linear {
		t.Errorf("inversion reaches %v, the best affine map %v", e, linear)
	}
}

// The objective of next to no noise does not overflow.
func TestInversionOfNextToNoNoise(t *testing.T) {
	ctx, g := context.Background(), newGaussian(t, 6, 6, 17)
	noise := must.Get(release.NewGaussian(release.MinSigma))(t)
	v := must.Get(NewInversion(Setting{Front: g.front, Noise: noise}, g.prior, InversionOptions{Steps: 400, Rate: .2}))(t)
	test := g.draw(100, 18)
	r := must.Get(Measure(ctx, v, Setting{Front: g.front, Noise: noise, Data: test}, nn.Indices(100), Options{Draws: 1}))(t)
	m := NewMean(Setting{Front: g.front}, g.prior.Mean)
	alone := must.Get(Measure(ctx, m, Setting{Front: g.front, Noise: noise, Data: test}, nn.Indices(100), Options{Draws: 1}))(t)
	if e, a := r.RootMeanSquare(), alone.RootMeanSquare(); e > .3*a {
		t.Errorf("error %v, where the prior alone leaves %v", e, a)
	}
}
