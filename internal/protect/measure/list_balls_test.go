package measure

import (
	"context"
	"math"
	"math/rand/v2"
	"testing"

	"tattle/internal/data/dataset"
	"tattle/internal/math/stat"
	"tattle/internal/must"
	"tattle/internal/protect/bound"
	"tattle/internal/protect/release"
)

// TestBalls: floors without a list need no range of inputs. They are below the error of the best
// adversary, σ²/(1+σ²) for normal inputs, and near it although one input lies far off.
func TestBalls(t *testing.T) {
	const sigma, n = .5, 4000
	r := rand.New(rand.NewPCG(1, 2))
	set := &dataset.Set{Shape: []int{2}}
	for range n {
		set.Values = append(set.Values, float32(r.NormFloat64()), float32(r.NormFloat64()))
	}
	set.Values[77] = 1000
	noise := must.Get(release.NewGaussian(sigma))(t)
	low, high := legalRange(set)
	target := Target{Front: identity{p: 2}, Noise: noise, Coordinates: bound.Pixels(2), Legal: bound.Domain{Low: low, High: high}}
	list := &List{Name: "numbers", Set: set}
	found := must.Get(ListOptions{Candidates: list, Sample: list, Draws: 2000, SkipAttacks: true}.Run(context.Background(), target))(t)
	got := found.EverySample()
	if f, best := got.Floors[0].Anybody, sigma*sigma/(1+sigma*sigma); got.Apart != mostApart || !(f > .5*best && f < best) {
		t.Errorf("floor %v with %d inputs apart, the best adversary errs by %v", f, got.Apart, best)
	}
	// Who guesses the mean errs by the variance of the two numbers, on average.
	columns := [2][]float64{}
	for i, v := range set.Values {
		columns[i%2] = append(columns[i%2], float64(v))
	}
	_, one := stat.MeanStd(columns[0])
	_, two := stat.MeanStd(columns[1])
	if want := (one*one + two*two) / 2 * (n - 1) / n; math.Abs(found.Holder.Floors[0].Prior/want-1) > 1e-5 {
		t.Errorf("guessing the mean errs by %v, want %v", found.Holder.Floors[0].Prior, want)
	}
	if most := SquareRange(set, 0); !(most > 4 && most < 20) {
		t.Errorf("squares up to %v", most)
	}
}

// TestProject: a projection moves no two values apart, and leaves those in the ball where they are.
func TestProject(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	draw := func(scale float64) []float64 {
		v := make([]float64, 3)
		for i := range v {
			v[i] = scale * r.NormFloat64()
		}
		return v
	}
	apart := func(u, v []float64) (sum float64) {
		for i := range u {
			sum += (u[i] - v[i]) * (u[i] - v[i])
		}
		return sum
	}
	for range 1000 {
		b := ball{draw(1), 1}
		u, v := draw(1.5), draw(1.5)
		was, inside := apart(u, v), apart(u, b.center) <= 1 && apart(v, b.center) <= 1
		b.project(u)
		b.project(v)
		is := apart(u, v)
		if is > was*(1+1e-12) || is > 3*b.most()*(1+1e-12) || inside && math.Abs(is-was) > 1e-12 {
			t.Fatalf("squares %v apart, %v after the projection", was, is)
		}
	}
}

// TestDigits: a limit that has six digits stays as it is, others move outward: a mean rank is at least 1.
func TestDigits(t *testing.T) {
	for _, x := range []float64{1, 3, 10, 1e5, .5, .1, .001, 1e-5, .123456, 50.5, 7.3e-9, 2e9} {
		if low, high := digits(x, math.Floor), digits(x, math.Ceil); low != x || high != x {
			t.Errorf("%v is rounded to %v and %v", x, low, high)
		}
	}
	if low, high := digits(1./3, math.Floor), digits(1./3, math.Ceil); low != .333333 || high != .333334 {
		t.Errorf("a third: %v, %v", low, high)
	}
}

// TestCommonest counts equal inputs of a list.
func TestCommonest(t *testing.T) {
	set := &dataset.Set{Shape: []int{1}, Values: []float32{1, 2, 1, 3, 1, 2}, Y: make([]int, 6)}
	all := []int{0, 1, 2, 3, 4, 5}
	if n, most := len(DistinctInputs(set, all)), commonest(set, all); n != 3 || most != 3 {
		t.Errorf("%d different inputs, the commonest %d times", n, most)
	}
	for most, want := range map[int]float64{0: 0, 3: 0, 4: 4. / 6} {
		if got := (ListUsed{Inputs: 3, Merged: 3, Commonest: most}).Uneven(); got != want {
			t.Errorf("%d times of 6: %v, want %v", most, got, want)
		}
	}
}
