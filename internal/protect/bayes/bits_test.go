package bayes

import (
	"context"
	"math"
	"testing"

	"gonum.org/v1/gonum/mat"
	gonum "gonum.org/v1/gonum/stat"

	"tattle/internal/must"
	"tattle/internal/protect/release"
)

// TestBits holds both sides of the information against each other, and the upper one
// against its closed form for features of one direction.
func TestBits(t *testing.T) {
	for _, sigma := range []float64{.2, 1, 5} {
		noise := must.Get(release.NewGaussian(sigma))(t)
		const count = 3000
		list := table{4, normal(4*count, 9)}
		for i := range list.a {
			list.a[i] += 1000
		}
		for _, queries := range []int{1, 4} {
			above := must.Get(BitsAbove(context.Background(), list, noise, queries))(t)
			var c mat.SymDense
			gonum.CovarianceMatrix(&c, mat.NewDense(count, 4, list.a), nil)
			c.ScaleSym(float64(queries)*(count-1)/count/sigma/sigma, &c)
			for i := range 4 {
				c.SetSym(i, i, c.At(i, i)+1)
			}
			if want := min(math.Log2(mat.Det(&c))/2, math.Log2(count)); math.Abs(above-want) > 1e-6 {
				t.Errorf("σ = %v, %d queries: at most %v bits, by the formula %v", sigma, queries, above, want)
			}
			r := must.Get(Run(context.Background(), list, noise, nil, Options{Draws: 1000, Queries: queries, Seed: 2}))(t)
			if b := r.Bits(1e-6); b.Mean > above+.3 || b.Mean < 0 {
				t.Errorf("σ = %v, %d queries: %+v bits by the posterior, and at most %v", sigma, queries, b, above)
			}
			named, _ := r.Identified(1e-6)
			if wrong := Fano(above, count); 1-named.Mean < wrong-.05 {
				t.Errorf("σ = %v: the wrong one is named with probability %v, at least %v", sigma, 1-named.Mean, wrong)
			}
		}
	}
	noise, _ := release.NewGaussian(.5)
	got, err := BitsAbove(context.Background(), table{2, []float64{0, 7, 1, 7, 0, 7, 1, 7}}, noise, 1)
	if want := .5; err != nil || math.Abs(got-want) > 1e-8 {
		t.Errorf("bits of one direction %v, %v, want %v", got, err, want)
	}
	if got := Fano(3, 1<<10); got != .6 {
		t.Errorf("Fano of 3 bits and 1,024 inputs: %v", got)
	}
}
