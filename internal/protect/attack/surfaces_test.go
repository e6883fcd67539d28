package attack

import (
	"context"
	"slices"
	"testing"

	"tattle/internal/engine/nn"
	"tattle/internal/must"
	"tattle/internal/protect/bound"
	"tattle/internal/protect/release"
)

// chain is a net of layers one after the other, with random weights.
func chain(t testing.TB, shape []int, seed uint64, ops ...nn.Op) *nn.Net {
	b := nn.NewBuilder("chain", shape...)
	for _, op := range ops {
		b.Add("", op)
	}
	b.Graph.Init(seed)
	return must.Get(nn.NewNet(b.Graph))(t)
}

func layer(in, out int) *nn.Dense {
	return &nn.Dense{In: in, Out: out, Weight: nn.NewParam("w", out, in), Bias: nn.NewParam("b", out)}
}

func everyNoise(t testing.TB, sigma float64, n int) []release.Noise {
	var all []release.Noise
	for _, family := range []string{"gaussian", "laplace"} {
		z := must.Get(release.ParseNoise(family, sigma, n))(t)
		all = append(all, z)
	}
	return all
}

// Every attack works on every surface, under every noise and whatever is done to a
// release: its answers are finite and legal, and the attacks that are fitted are no
// worse than the prior alone, within a fifth for 600 training examples. (The
// inversion, which knows nothing of what is done to a release, may be.)
func TestEverySurface(t *testing.T) {
	const p = 12
	ctx, g := context.Background(), newGaussian(t, p, 1, 50)
	train, test := g.draw(600, 51), g.draw(60, 52)
	low, high := make([]float64, p), make([]float64, p)
	for i := range p {
		low[i], high[i] = g.prior.Mean[i]-3, g.prior.Mean[i]+3
	}
	legal := must.Get(bound.Legal(low, high))(t)
	for surface, front := range map[string]*nn.Net{
		"logits":        chain(t, []int{p}, 1, layer(p, 16), &nn.ReLU{}, layer(16, 10)),
		"probabilities": chain(t, []int{p}, 2, layer(p, 10), &nn.Softmax{}),
		"projection":    chain(t, []int{p}, 3, layer(p, 16), &nn.ReLU{}, layer(16, 3)),
		"one number":    chain(t, []int{p}, 4, layer(p, 1)),
	} {
		_, n := front.Dims()
		m := NewMean(Setting{Front: front, Domain: legal}, g.prior.Mean)
		for i, noise := range slices.Repeat(everyNoise(t, .05, n), 2) {
			queries, label := 1+3*(i%2), i%2 != i/2
			s := Setting{Front: front, Noise: noise, Data: train, Queries: queries, Label: label, Domain: legal}
			l := must.Get(NewLinear(ctx, s))(t)
			d := must.Get(NewDecoder(ctx, s, l, DecoderOptions{Hidden: 16, Epochs: 2}))(t)
			v := must.Get(NewInversion(s, g.prior, InversionOptions{Steps: 10, Starts: []*Attack{l.Attack}}))(t)
			attacks := []*Attack{m, l.Attack, d.Attack, v}
			var alone float64
			for k, a := range attacks {
				r := must.Get(Measure(ctx, a, Setting{Front: front, Noise: noise, Data: test, Queries: queries, Label: label}, nn.Indices(60), Options{}))(t)
				inside(t, r, legal)
				switch e := r.RootMeanSquare(); {
				case k == 0:
					alone = e
				case k < 3 && e > 1.2*alone:
					t.Errorf("%s, %v, %d queries, label %v: %s reaches %v where the prior alone leaves %v", surface, noise, queries, label, a.Name, e, alone)
				}
			}
		}
	}
}

// inside checks the pictures against the domain.
func inside(t *testing.T, r *Result, d bound.Domain) {
	t.Helper()
	for _, x := range r.Pictures {
		for j, v := range x {
			if float64(v) < d.Low[j]-1e-6 || float64(v) > d.High[j]+1e-6 {
				t.Fatalf("%s: input %d is %v, outside %v to %v", r.Attack, j, v, d.Low[j], d.High[j])
			}
		}
	}
}
