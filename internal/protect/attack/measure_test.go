package attack

import (
	"context"
	"math"
	"runtime"
	"slices"
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
