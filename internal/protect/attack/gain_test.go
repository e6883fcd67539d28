package attack

import (
	"context"
	"math"
	"slices"
	"testing"

	"tattle/internal/engine/nn"
	"tattle/internal/must"
	"tattle/internal/protect/release"
)

// result is an attack that errs by so much in each of width coordinates of its examples.
func result(name string, width int, rms ...float64) *Result {
	r := &Result{Attack: name, RMS: rms, MeanSquare: make([]float64, len(rms)/width), Draws: 1}
	for i := range r.MeanSquare {
		for _, v := range rms[i*width : (i+1)*width] {
			r.MeanSquare[i] += v * v / float64(width)
		}
	}
	return r
}

// An attack that is close in most pixels and far off in a few, as on digits whose
// margins are black, has the smaller median and the larger error. It is neither the best
// nor better than guessing the mean.
func TestBestGoesByTheWholeInput(t *testing.T) {
	var near, even, mean []float64
	for i := range 20 {
		off := float64(i%5) / 10
		near = append(near, 1, 1, 1, 40+off)
		even = append(even, 8, 8, 8, 9+off)
		mean = append(mean, 2, 2, 2, 30+off)
	}
	a, b, alone := result("near", 4, near...), result("even", 4, even...), result("prior", 4, mean...)
	if best := Best([]*Result{a, b}, nil); best != b {
		t.Errorf("the best is %s", best.Attack)
	}
	if Best(nil, nil) != nil {
		t.Error("a best of none")
	}
	if mean, low := a.Gain(alone, 2); low > mean || mean >= 0 {
		t.Errorf("farther off than the mean, and gains %v, at least %v", mean, low)
	}
	mean2, low2 := b.Gain(alone, 2)
	if _, low := b.Gain(alone, 1); low2 <= 0 || low2 >= low || low >= mean2 || math.Abs(mean2-b.gainOf(alone)) > 1e-9 {
		t.Errorf("closer than the mean, and gains %v, at least %v, of two attacks %v", mean2, low, low2)
	}
	if _, low := alone.Gain(alone, 1); low > 0 {
		t.Error("better where it is not")
	}
	one := func(r *Result) *Result { return result(r.Attack, 4, r.RMS[:4]...) }
	if _, low := one(b).Gain(one(alone), 1); !math.IsInf(low, -1) {
		t.Errorf("one example shows a gain of at least %v", low)
	}
}

func (r *Result) gainOf(prior *Result) float64 {
	a, _ := meanError(prior)
	b, _ := meanError(r)
	return a - b
}

// Under noise that hides the features completely, an attack is called better than guessing the mean
// by chance only: for one of a thousand samples, so for five or more of 200 with probability 2e-6.
// With next to no noise the linear attack is better on all examples together and on nearly every
// sample of 30: it is not shown to be for one of 200, so for more than ten with probability 1e-8.
func TestGainNeedsARelease(t *testing.T) {
	ctx, g := context.Background(), newGaussian(t, 6, 5, 80)
	train, test := g.draw(900, 81), g.draw(200*30, 82)
	mean := NewMean(Setting{Front: g.front}, g.prior.Mean)
	for _, c := range []struct {
		sigma       float64
		least, most int
	}{{1e5, 0, 4}, {1e-3, 190, 200}} {
		noise := release.Gaussian{Sigma: c.sigma}
		l := must.Get(NewLinear(ctx, Setting{Front: g.front, Noise: noise, Data: train}))(t)
		alone := must.Get(Measure(ctx, mean, Setting{Front: g.front, Noise: noise, Data: test}, nn.Indices(200*30), Options{Draws: 2}))(t)
		reached := must.Get(Measure(ctx, l.Attack, Setting{Front: g.front, Noise: noise, Data: test}, nn.Indices(200*30), Options{Draws: 2}))(t)
		if _, low := reached.Gain(alone, 1); (low > 0) != (c.sigma < 1) {
			t.Errorf("σ = %g: better than guessing the mean on 6,000 examples by at least %v", c.sigma, low)
		}
		better := 0
		for i := range 200 {
			part := func(r *Result) *Result { return result(r.Attack, 6, slices.Clone(r.RMS[i*180:(i+1)*180])...) }
			if _, low := part(reached).Gain(part(alone), 1); low > 0 {
				better++
			}
		}
		if better < c.least || better > c.most {
			t.Errorf("σ = %g: better than guessing the mean on %d of 200 samples, want %d to %d", c.sigma, better, c.least, c.most)
		}
	}
}
