package measure

import (
	"context"
	"fmt"
	"math"
	"testing"

	"tattle/internal/data/dataset"
	"tattle/internal/must"
	"tattle/internal/protect/bound"
	"tattle/internal/protect/release"
	"tattle/internal/run"
	"tattle/internal/shared"
)

// corners is a set of n inputs of p coordinates, each −1 or 1: all 2^p of them, or n draws
// of the uniform distribution on them.
func corners(n, p int, seed uint64) *dataset.Set {
	set := &dataset.Set{Shape: []int{p}}
	r := run.Rand(seed, n, p)
	for i := range n {
		bits := uint64(i)
		if seed > 0 {
			bits = r.Uint64()
		}
		for k := range p {
			set.Values = append(set.Values, float32(2*int(bits>>k&1)-1))
		}
	}
	return set
}

// cornerTruth is, for a coordinate that is −1 or 1 with Gaussian noise, the Bayes error, the
// probability of a right guess and the bits that the release gives.
func cornerTruth(sigma float64) (square, right, bits float64) {
	const step = 1e-3
	for z := -9.; z < 9; z += step {
		y := 1 + sigma*z
		p := 1 / (1 + math.Exp(-2*y/sigma/sigma)) // that it is 1
		f := step * math.Exp(-z*z/2) / math.Sqrt(2*math.Pi)
		square += f * 4 * p * (1 - p)
		right += f * max(p, 1-p)
		if p > 0 && p < 1 {
			bits += f * (p*math.Log2(p) + (1-p)*math.Log2(1-p))
		}
	}
	return square, right, 1 + bits
}

// For corners of a cube with Gaussian noise everything has a closed form: the figures of
// whoever holds the list of corners are within their limits of it, and the floors for
// everybody, from draws of corners, are below it and near it. The test has one seed, so that
// it passes always or never; every limit alone fails for one seed in a thousand.
func TestListsAgainstClosedForms(t *testing.T) {
	shared.Long(t, "limits from lists against closed forms")
	for _, p := range []int{2, 5, 9} {
		for _, sigma := range []float64{.4, 1, 3} {
			noise := must.Get(release.NewGaussian(sigma))(t)
			box := bound.Domain{}
			for range p {
				box.Low, box.High = append(box.Low, -1), append(box.High, 1)
			}
			target := Target{Front: identity{p: p}, Noise: noise, Coordinates: bound.Pixels(p), Legal: box}
			found := must.Get(ListOptions{
				Candidates: &List{Name: "corners", Set: corners(1<<p, p, 0)}, Sample: &List{Name: "draws", Set: corners(4000, p, 7)}, Seed: 3,
			}.Run(context.Background(), target))(t)
			name := fmt.Sprintf("%d corners, σ = %g", 1<<p, sigma)
			square, right, bits := cornerTruth(sigma)
			h := found.Holder
			for _, c := range []struct {
				what             string
				low, high, truth float64
			}{
				{"floor", h.Floors[0].MeanSquare.Low, h.Floors[0].MeanSquare.High, square},
				{"named", h.First.Low, h.First.High, math.Pow(right, float64(p))},
				{"bits", h.Bits.Low, h.Bits.High, float64(p) * bits},
			} {
				if c.truth < c.low-1e-4 || c.truth > c.high+1e-4 {
					t.Errorf("%s: %s between %.4f and %.4f, the truth is %.4f", name, c.what, c.low, c.high, c.truth)
				}
			}
			if n := float64(int(1) << p); h.Bits.High > *h.BitsMost*(1+1e-5) || h.First.Low < 1/n*(1-1e-5) || h.Rank.High > (n+1)/2*(1+1e-5) {
				t.Errorf("%s: limits beyond what needs no draws: %+v", name, h)
			}
			if *h.BitsMost < float64(p)*bits-1e-6 {
				t.Errorf("%s: at most %.4f bits, the truth is %.4f", name, *h.BitsMost, float64(p)*bits)
			}
			if h.Floors[0].Prior != 1 || h.Floors[0].MeanSquare.High > 1 {
				t.Errorf("%s: guessing the mean errs by %v, want 1; floor %v", name, h.Floors[0].Prior, h.Floors[0].MeanSquare)
			}
			last := 0.
			for _, part := range found.Anybody {
				a := part.Floors[0].Anybody
				if a > square {
					t.Errorf("%s: everybody errs by %.4f or more with %d draws, the truth is %.4f", name, a, part.List.Inputs, square)
				}
				last = a
			}
			if last < square-.3 || last < .6*square && square > .3 {
				t.Errorf("%s: everybody errs by %.4f or more, far below the truth, %.4f", name, last, square)
			}
		}
	}
}
