package release

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"testing"

	"tattle/internal/must"
)

func TestPost(t *testing.T) {
	for _, c := range []struct {
		post    Post
		x, want []float32
	}{
		{Post{}, []float32{1.26, -.5}, []float32{1.26, -.5}},
		{Post{Digits: 1}, []float32{1.26, -.5}, []float32{1.3, -.5}},
		{Post{Digits: -1}, []float32{1.26, -3.7}, []float32{1, -4}},
		{Post{Digits: -2}, []float32{126, -31}, []float32{130, -30}},
		{Post{TopK: 2}, []float32{.1, .5, .4, .4}, []float32{0, .5, .4, 0}},
		{Post{TopK: 1}, []float32{-3, -1, -2}, []float32{-2, -1, -2}},
		{Post{TopK: 9}, []float32{-3, -1}, []float32{-3, -1}},
		{Post{Label: true}, []float32{-3, -1, -2}, []float32{0, 1, 0}},
		{Post{Digits: 400}, []float32{1e30, 0}, []float32{1e30, 0}},
		{Post{Digits: -400}, []float32{1e30, 0}, []float32{0, 0}},
		{Post{Digits: 100}, []float32{1e30}, []float32{1e30}},
	} {
		x := append(append([]float32{}, c.x...), c.x...)
		c.post.Apply(x, len(c.x))
		for i, v := range x {
			if v != c.want[i%len(c.want)] {
				t.Errorf("%+v of %v: %v, want %v twice", c.post, c.x, x, c.want)
				break
			}
		}
	}
}

// Curve is Features.Utility, faster.
func TestCurveIsUtility(t *testing.T) {
	data, head := separated(1300, 90, 1)
	for _, post := range []Post{{}, {Digits: 1}} {
		curve := must.Get(NewCurve(context.Background(), identity(4), head, data, 3, 5))(t)
		for _, sigma := range []float64{.1, 1, 10} {
			want := must.Get(Features{Front: identity(4), Head: head, Noise: Gaussian{sigma}, Post: post}.Utility(
				context.Background(), data, UtilityOptions{Draws: 3, Seed: 5}))(t)
			got, drop, err := curve.At(context.Background(), Gaussian{sigma}, post)
			if err != nil || got != want {
				t.Errorf("σ = %v: %+v, %v, want %+v", sigma, got, err, want)
			}
			if mean := want.Clean.Fraction - want.Released.Fraction; math.Abs(drop.Mean-mean) > 1e-12 ||
				!(drop.Interval.Low <= mean && mean <= drop.Interval.High) || drop.Examples != 1300 || drop.Draws != 3 {
				t.Errorf("σ = %v: drop %+v, want %v", sigma, drop, mean)
			}
		}
		rms, _, err := FeatureScale(context.Background(), identity(4), data)
		if err != nil || math.Abs(curve.RMS()/rms-1) > 1e-5 {
			t.Errorf("RMS %v, want %v", curve.RMS(), rms)
		}
	}
}

func TestCurveErrs(t *testing.T) {
	data, head := separated(10, 0, 1)
	must.Fail(t, must.Err(NewCurve(context.Background(), identity(5), head, data, 1, 0)), "the head takes 4")
	must.Fail(t, must.Err(NewCurve(context.Background(), identity(4), head, points{p: 4}, 1, 0)), "no examples")
	curve := must.Get(NewCurve(context.Background(), identity(4), head, data, 0, 0))(t)
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, _, err := curve.At(ctx, Gaussian{1}, Post{}); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v", err)
	}
	must.Fail(t, must.Err2(curve.At(context.Background(), nil, Post{}))) // no noise
	must.Fail(t, must.Err2(curve.At(context.Background(), Gaussian{1}, Post{TopK: -1})), "TopK is -1")
}

// The interval covers the true drop where noise turns each example with probability p.
func TestDropCovers(t *testing.T) {
	const trials = 400
	r := rand.New(rand.NewPCG(15, 16))
	covered := 0
	for range trials {
		const n, p = 500, .01
		c := &Curve{draws: 1, clean: make([]bool, n)}
		hits := make([]int32, n)
		for i := range hits {
			c.clean[i] = true
			if r.Float64() >= p {
				hits[i] = 1
			}
		}
		if in := c.drop(hits).Interval; in.Low <= p && p <= in.High {
			covered++
		}
	}
	// At .95 each, fewer than 355 of 400 have probability 1e-7.
	if covered < 355 {
		t.Errorf("%d of %d intervals cover the drop", covered, trials)
	}
}
