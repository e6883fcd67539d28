package release

import (
	"math/rand/v2"
	"testing"
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
		{Post{TopK: 1}, []float32{-3, -1.5, -2}, []float32{-3, -1.5, -3}},
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

// The interval covers the true drop where noise turns each example with probability p.
func TestDropCovers(t *testing.T) {
	const trials = 400
	r := rand.New(rand.NewPCG(15, 16))
	covered := 0
	for range trials {
		const n, p = 500, .01
		right, hits := make([]bool, n), make([]int, n)
		for i := range hits {
			right[i] = true
			if r.Float64() >= p {
				hits[i] = 1
			}
		}
		if in := dropOf(right, hits, 1).Interval; in.Low <= p && p <= in.High {
			covered++
		}
	}
	// At .95 each, fewer than 355 of 400 have probability 1e-7.
	if covered < 355 {
		t.Errorf("%d of %d intervals cover the drop", covered, trials)
	}
}
