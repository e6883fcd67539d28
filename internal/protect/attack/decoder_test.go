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
)

// signBayes knows that θ is one sign, four times, and answers its posterior mean: no
// attack has a smaller error.
func signBayes(s Setting) *Attack {
	return newAttack(s, "bayes", "knows everything but the sign", func(_ context.Context, dst, x []float32) error {
		for i := 0; i < len(x); i += 4 {
			var sum float64
			for _, v := range x[i : i+4] {
				sum += float64(v) / s.variance()
			}
			for j := range 4 {
				dst[i+j] = float32(math.Tanh(sum))
			}
		}
		return nil
	})
}

// signs are examples of four equal entries, all 1 or all −1.
func signs(count int, seed uint64) nn.Rows {
	r := rand.New(rand.NewPCG(seed, 3))
	s := nn.Rows{P: 4, X: make([]float32, 4*count)}
	for i := range count {
		sign := float32(2*r.IntN(2) - 1)
		for j := range 4 {
			s.X[4*i+j] = sign
		}
	}
	return s
}

// The decoder comes near the best there is where no affine map does: the linear
// attack's error is 1/(1 + 4/σ²) here, .36, where .26 can be had. The limits are 6
// standard errors of means of 4,000 (1e-9 each), and a tenth for its training.
func TestDecoderComesNearThePosteriorMean(t *testing.T) {
	const sigma = 1.5
	ctx, noise := context.Background(), release.Gaussian{Sigma: sigma}
	front := wide(t, 4)
	train, test := signs(20000, 1), signs(4000, 2)
	d := must.Get(NewDecoder(ctx, Setting{Front: front, Noise: noise, Data: train}, nil, DecoderOptions{Hidden: 32, Rate: 3e-3}))(t)
	l := must.Get(NewLinear(ctx, Setting{Front: front, Noise: noise, Data: train}))(t)
	reach := func(a *Attack) (mean, std float64) {
		r := must.Get(Measure(ctx, a, Setting{Front: front, Noise: noise, Data: test}, nn.Indices(4000), Options{}))(t)
		return meanError(r)
	}
	best, _ := reach(signBayes(Setting{Front: front, Noise: noise}))
	linear, spread := reach(l.Attack)
	e, std := reach(d.Attack)
	if want := 1 / (1 + 4/(sigma*sigma)); math.Abs(linear-want) > 6*spread+.01 {
		t.Errorf("linear attack: error %v ± %v, want %v", linear, spread, want)
	}
	if e < best-6*std || e > 1.1*best+6*std || e > .8*linear {
		t.Errorf("decoder: error %v ± %v, the best is %v and the linear attack's %v", e, std, best, linear)
	}
	if last := d.Held[len(d.Held)-1]; d.Held[0] < 1.2*last {
		t.Errorf("held-out error from %v to %v in training", d.Held[0], last)
	}
}

// A release of next to nothing but noise leaves nothing to learn, and no harm done.
func TestDecoderLearnsNothingFromNoise(t *testing.T) {
	ctx, g := context.Background(), newGaussian(t, 6, 5, 30)
	noise := release.Gaussian{Sigma: 1e6}
	d := must.Get(NewDecoder(ctx, Setting{Front: g.front, Noise: noise, Data: g.draw(3000, 31)}, nil, DecoderOptions{Hidden: 32, Epochs: 4}))(t)
	m := NewMean(Setting{Front: g.front}, g.prior.Mean)
	test := g.draw(3000, 32)
	of := func(a *Attack) (mean, std float64) {
		r := must.Get(Measure(ctx, a, Setting{Front: g.front, Noise: noise, Data: test}, nn.Indices(3000), Options{Draws: 1}))(t)
		return meanError(r)
	}
	prior, std := of(m)
	if e, _ := of(d.Attack); e < prior-6*std || e > 1.05*prior+6*std {
		t.Errorf("error %v from noise alone, where the prior leaves %v ± %v", e, prior, std)
	}
}

// What judges the epochs is seen by neither the net nor the linear map beside it
// while it is trained. The map that has seen all examples takes its place in the
// end, and is what remains where no epoch is better.
func TestDecoderIsJudgedOnWhatItHasNotSeen(t *testing.T) {
	ctx, noise, front := context.Background(), release.Gaussian{Sigma: 1.5}, wide(t, 4)
	data := signs(2000, 4)
	l := must.Get(NewLinear(ctx, Setting{Front: front, Noise: noise, Data: data}))(t)
	if slices.Equal(l.kept.weight, l.weight) {
		t.Fatal("the map has seen the held-out examples")
	}
	s, o := Setting{Front: front, Noise: noise, Data: data}, DecoderOptions{Hidden: 16, Epochs: 3, Rate: 3e-3, Batch: 100}
	during := must.Get(newDecoding(ctx, l, s, o))(t)
	if !slices.Equal(during.skip.Bias.Data, l.kept.bias) || slices.ContainsFunc(during.kept, func(i int) bool { return slices.Contains(during.held, i) }) {
		t.Error("the decoder learns what it is judged on")
	}
	o.Rate = 10 // no epoch is better
	d := must.Get(NewDecoder(ctx, s, l, o))(t)
	if slices.Min(d.Held[1:]) < d.Held[0] {
		t.Fatalf("held-out errors %v", d.Held)
	}
	x, a, b := []float32{1, 2, -1, .5}, make([]float32, 4), make([]float32, 4)
	must.Do(t, d.Reconstruct(ctx, a, x))
	must.Do(t, l.Reconstruct(ctx, b, x))
	for i := range a {
		if math.Abs(float64(a[i]-b[i])) > 1e-6 {
			t.Errorf("input %d is %v, by the linear attack %v", i, a[i], b[i])
		}
	}
}
