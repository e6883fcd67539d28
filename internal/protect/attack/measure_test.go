package attack

import (
	"context"
	"math"
	"runtime"
	"slices"
	"strings"
	"testing"

	"tattle/internal/engine/nn"
	"tattle/internal/math/stat"
	"tattle/internal/must"
	"tattle/internal/protect/bound"
	"tattle/internal/protect/release"
	"tattle/internal/shared"
)

// What is measured belongs to an example: not to its batch, nor to the order.
func TestMeasureDependsOnTheExampleAlone(t *testing.T) {
	ctx, g := context.Background(), newGaussian(t, 6, 5, 10)
	test := g.draw(300, 11)
	noise := release.Gaussian{Sigma: .5}
	train := func(seed uint64) *Decoder {
		return must.Get(NewDecoder(ctx, Setting{Front: g.front, Noise: noise, Data: g.draw(900, 12), Seed: seed}, nil, DecoderOptions{Hidden: 16, Epochs: 2}))(t)
	}
	l := must.Get(NewLinear(ctx, Setting{Front: g.front, Noise: noise, Data: test}))(t)
	v := must.Get(NewInversion(Setting{Front: g.front, Noise: noise}, g.prior, InversionOptions{Steps: 20, Starts: []*Attack{l.Attack}}))(t)
	for _, a := range []*Attack{l.Attack, v, train(1).Attack} {
		s, o := Setting{Front: g.front, Noise: noise, Data: test, Seed: 5}, Options{Coordinates: bound.DCT([]int{2, 3})}
		many := must.Get(Measure(ctx, a, s, nn.Indices(300), o))(t)
		few := must.Get(Measure(ctx, a, s, []int{299, 7}, o))(t)
		if !slices.Equal(many.RMS[299*6:], few.RMS[:6]) || !slices.Equal(many.RMS[7*6:8*6], few.RMS[6:]) {
			t.Errorf("%s: errors depend on the batch", a.Name)
		}
	}
	one, same, other := train(1).Held, train(1).Held, train(2).Held
	if !slices.Equal(one, same) || one[1] == other[1] {
		t.Error("a decoder's bytes do not follow its seed")
	}
}

// k releases of one input are one with noise of σ/√k: to the byte for Gaussian
// noise, and within the spread of draws for another.
func TestQueries(t *testing.T) {
	ctx, g := context.Background(), newGaussian(t, 6, 5, 13)
	data := g.draw(1000, 14)
	measure := func(noise release.Noise, queries int) *Result {
		l := must.Get(NewLinear(ctx, Setting{Front: g.front, Noise: noise, Data: data, Queries: queries}))(t)
		return must.Get(Measure(ctx, l.Attack, Setting{Front: g.front, Noise: noise, Data: data, Queries: queries}, nn.Indices(1000), Options{}))(t)
	}
	one, four := measure(release.Gaussian{Sigma: .5}, 1), measure(release.Gaussian{Sigma: 1}, 4)
	if !slices.Equal(one.RMS, four.RMS) {
		t.Error("four releases with twice the noise are not one")
	}
	laplace := must.Get(release.NewLaplace(1))(t)
	a, sa := meanError(one)
	b, sb := meanError(measure(laplace, 4))
	if math.Abs(a-b) > 5*math.Hypot(sa, sb) { // 6e-7, were the errors normal
		t.Errorf("mean of four releases with Laplace noise: error %v ± %v, and %v ± %v with the Gaussian of half its strength", b, sb, a, sa)
	}
}

func TestSummaries(t *testing.T) {
	ctx, g := context.Background(), newGaussian(t, 6, 5, 18)
	noise := release.Gaussian{Sigma: .5}
	data := g.draw(200, 19)
	l := must.Get(NewLinear(ctx, Setting{Front: g.front, Noise: noise, Data: data}))(t)
	c := bound.DCT([]int{2, 3})
	r := must.Get(Measure(ctx, l.Attack, Setting{Front: g.front, Noise: noise, Data: data}, nn.Indices(200), Options{Coordinates: c, Pictures: 3}))(t)
	rows := r.Summaries(c, 2)
	if len(rows) != 2 || rows[0].Band != "all" || rows[1].Band != "2x2" || rows[0].Examples != 200 {
		t.Fatalf("rows %+v", rows)
	}
	// The cosine transform is orthonormal: its mean square is the inputs'.
	if mean, _ := meanError(r); math.Abs(rows[0].MeanSquare/mean-1) > 1e-9 || math.Abs(r.RootMeanSquare()-math.Sqrt(mean)) > 1e-9 {
		t.Errorf("mean square %v over modes, %v over inputs", rows[0].MeanSquare, mean)
	}
	if want := stat.Quantile(r.RMS, .5); rows[0].Median != want {
		t.Errorf("median %v, want %v", rows[0].Median, want)
	}
	if len(r.Pictures) != 3 || !math.IsNaN(r.Recognised) || len(r.Summaries(bound.Pixels(6), 2)) != 1 {
		t.Errorf("%d pictures, recognised %v", len(r.Pictures), r.Recognised)
	}
	if rows := new(Result).Summaries(nil, 0); len(rows) != 0 {
		t.Errorf("without examples: %+v", rows)
	}
}

// Attacks and what they reach are the same bytes on one core as on all.
func TestBytesDoNotDependOnCores(t *testing.T) {
	shared.Long(t, "all attacks, on one core and on all")
	ctx, g := context.Background(), newGaussian(t, 300, 120, 70)
	train, test, noise := g.draw(1200, 71), g.draw(20, 72), release.Gaussian{Sigma: 1}
	reach := func() (all [][]float64) {
		l := must.Get(NewLinear(ctx, Setting{Front: g.front, Noise: noise, Data: train}))(t)
		d := must.Get(NewDecoder(ctx, Setting{Front: g.front, Noise: noise, Data: train}, l, DecoderOptions{Hidden: 64, Epochs: 1}))(t)
		v := must.Get(NewInversion(Setting{Front: g.front, Noise: noise}, g.prior, InversionOptions{Steps: 5, Starts: []*Attack{l.Attack}}))(t)
		for _, a := range []*Attack{l.Attack, d.Attack, v} {
			r := must.Get(Measure(ctx, a, Setting{Front: g.front, Noise: noise, Data: test}, []int{3, 1, 19}, Options{}))(t)
			all = append(all, r.RMS)
		}
		return all
	}
	many := reach()
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	for i, one := range reach() {
		if !slices.Equal(one, many[i]) {
			t.Errorf("attack %d reaches something else on one core", i)
		}
	}
}

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

// Without noise, and with as many features as inputs, every attack finds the input. If only the
// label is released, the error of the fitted attacks is not above that of the prior.
func TestWithoutNoise(t *testing.T) {
	ctx, g := context.Background(), newGaussian(t, 5, 5, 21)
	train, test := g.draw(2000, 22), g.draw(60, 23)
	for _, label := range []bool{false, true} {
		m := NewMean(Setting{Front: g.front}, g.prior.Mean)
		l := must.Get(NewLinear(ctx, Setting{Front: g.front, Noise: release.None{}, Data: train, Label: label}))(t)
		d := must.Get(NewDecoder(ctx, Setting{Front: g.front, Noise: release.None{}, Data: train, Label: label}, l, DecoderOptions{Hidden: 16, Epochs: 2}))(t)
		attacks := []*Attack{l.Attack, d.Attack}
		if !label {
			v := must.Get(NewInversion(Setting{Front: g.front, Noise: release.None{}}, g.prior, InversionOptions{Starts: []*Attack{l.Attack}}))(t)
			if !strings.Contains(v.About, "no noise") {
				t.Errorf("inversion: %s", v.About)
			}
			attacks = append(attacks, v)
		}
		blind := reach(t, m, g, test, label)
		for _, a := range attacks {
			e := reach(t, a, g, test, label)
			if !label && e > .05*blind || e > blind {
				t.Errorf("label %v: %s errs by %v, the prior alone by %v", label, a.Name, e, blind)
			}
		}
	}
}

func reach(t *testing.T, a *Attack, g gaussian, test nn.Rows, label bool) float64 {
	r := must.Get(Measure(context.Background(), a, Setting{Front: g.front, Noise: release.None{}, Data: test, Label: label}, nn.Indices(test.Len()), Options{Draws: 1}))(t)
	return r.RootMeanSquare()
}
