package bayes

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"tattle/internal/must"
	"tattle/internal/protect/release"
)

// TestMean compares the pass over blocks with the definition, truths left out.
func TestMean(t *testing.T) {
	const count, dim, p, draws = blockCandidates + 100, 2, 3, blockDraws + 3
	list, x := table{dim, normal(count*dim, 1)}, make([]float32, count*p)
	for i := range x {
		x[i] = float32(list.a[i%len(list.a)] * float64(i%7))
	}
	inputs := func(dst []float32, indices []int) {
		for k, i := range indices {
			copy(dst[k*p:(k+1)*p], x[i*p:(i+1)*p])
		}
	}
	excluded := slices.Repeat([]int{-1}, draws)
	excluded[1], excluded[2], excluded[blockDraws], excluded[draws-1] = 0, count-1, blockCandidates, 17
	for name, noise := range noises(t, .2, dim) {
		y := normal(draws*dim, 5)
		got := must.Get(Mean(context.Background(), list, p, inputs, noise, y, []float64{1, 4}, excluded))(t)
		d := &releases{y, dim, 1}
		for k, τ := range []float64{1, 4} {
			for _, b := range []int{0, 1, 2, blockDraws, blockDraws + 1, draws - 1} {
				var weight float64
				want := make([]float64, p)
				l := newLikelihoods(d, noise)
				best := math.Inf(-1)
				for j := range count {
					best = max(best, l.own(b, list.a[j*dim:(j+1)*dim]))
				}
				for j := range count {
					if j == excluded[b] {
						continue
					}
					w := math.Exp((l.own(b, list.a[j*dim:(j+1)*dim]) - best) / τ)
					weight += w
					for i := range want {
						want[i] += w * float64(x[j*p+i])
					}
				}
				for i := range want {
					if have := float64(got[k][b*p+i]); math.Abs(have-want[i]/weight) > 1e-4*(1+math.Abs(have)) {
						t.Errorf("%s, τ = %v, draw %d: %v, want %v", name, τ, b, have, want[i]/weight)
					}
				}
			}
		}
	}
}

// TestChooseTemperature: few candidates in many dimensions are to be trusted less than many
// in one.
func TestChooseTemperature(t *testing.T) {
	noise, _ := release.NewGaussian(.5)
	choose := func(count, dim, copies int) float64 {
		list, p := table{dim, normal(count*dim, 2)}, dim*copies
		inputs := func(dst []float32, indices []int) {
			for k, i := range indices {
				for j := range p {
					dst[k*p+j] = float32(list.a[i*dim+j%dim])
				}
			}
		}
		return must.Get(ChooseTemperature(context.Background(), list, p, inputs, noise, 200, rand.New(rand.NewPCG(1, 1))))(t)
	}
	if dense, sparse := choose(5000, 1, 1), choose(300, 30, 1); dense > 2 || sparse <= dense {
		t.Errorf("temperatures %v with 5,000 candidates of one feature, %v with 300 of thirty", dense, sparse)
	}
	for _, dim := range []int{2, 8} { // 8192/dim copies make an input long: its guesses are computed in two parts
		if one, many := choose(50, dim, 1), choose(50, dim, 8192/dim); one != many {
			t.Errorf("temperature %v for %d numbers, %v for many copies of them", one, dim, many)
		}
	}
}
