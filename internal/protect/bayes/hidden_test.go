package bayes

import (
	"context"
	"math"
	"slices"
	"testing"

	"tattle/internal/must"
	"tattle/internal/protect/release"
	"tattle/internal/shared"
)

// TestHidden: two inputs d apart are confused with probability Φ(−d/2σ), an input that equals
// others is guessed at random, and candidates that are far away do not matter.
func TestHidden(t *testing.T) {
	shared.Long(t, "inputs hidden in lists")
	noise := release.Gaussian{Sigma: 1}
	for _, c := range []struct {
		name        string
		list        []float64
		fresh       []float64
		first       float64
		spread, off float64
	}{
		{"far", []float64{100, 200}, []float64{0}, 1, 0, 0},
		{"one near", []float64{2, 100}, []float64{0}, .5 * math.Erfc(-1/math.Sqrt2), 0, .02},
		{"equal", []float64{0, 0, 0, 100}, []float64{0}, .25, 0, 0},
		{"equal to twenty", append(slices.Repeat([]float64{0}, 19), 50), []float64{0}, .05, 0, 0},
		{"one far, one equal", []float64{0, 100}, []float64{0, 50}, .75, .25, .03},
	} {
		r := must.Get(RunHidden(context.Background(), table{1, c.list}, table{1, c.fresh}, nil, noise, Options{Draws: 20000, Seed: 3}))(t, c.name)
		first := r.Identified(1e-6)
		if first.Low > c.first || first.High < c.first || math.Abs(first.Mean-c.first) > c.off+1e-9 {
			t.Errorf("%s: first %v, want %v", c.name, first, c.first)
		}
		if s := r.Spread(); math.Abs(s-c.spread) > .02 {
			t.Errorf("%s: spread %v, want %v", c.name, s, c.spread)
		}
	}
}

// TestHiddenRounds: features so large that rounding may decide are refused.
func TestHiddenRounds(t *testing.T) {
	if _, err := RunHidden(context.Background(), table{1, []float64{1e9, 2e9}}, table{1, []float64{3e9}}, nil, release.Gaussian{Sigma: 1}, Options{Draws: 10}); err != ErrRounding {
		t.Errorf("error %v, want ErrRounding", err)
	}
}

// TestSpread: from pairs of draws of one input it is that of the inputs' shares, 0 and 1 here; without such
// pairs, that of a success of the mean's probability.
func TestSpread(t *testing.T) {
	for _, c := range []struct {
		truth []int
		first []float64
		want  float64
	}{
		{[]int{4, 4, 7, 7}, []float64{1, 1, 0, 0}, .5},
		{[]int{4, 4, 7, 7}, []float64{1, 0, 0, 1}, 0},
		{[]int{4, 4, 7, 7}, []float64{.5, .5, .125, .125}, .1875},
		{[]int{1, 2, 3, 4}, []float64{1, 0, 0, 0}, math.Sqrt(3) / 4},
	} {
		if got := (&HiddenResult{Truth: c.truth, First: c.first}).Spread(); !(math.Abs(got-c.want) <= 1e-15) {
			t.Errorf("%v of %v: %v, want %v", c.first, c.truth, got, c.want)
		}
	}
}
