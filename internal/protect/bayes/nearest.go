package bayes

import (
	"context"
	"math/rand/v2"

	"tattle/internal/math/simd"
	"tattle/internal/protect/release"
	"tattle/internal/run"
)

const (
	nearestValues   = 1 << 27 // most features of a list that is held at once: 0.5 GB
	nearestFew      = 64      // candidates next to the true one, that are looked at first
	streamNearest   = 3       // of random numbers
	nearestAtOnce   = 64      // people between two reports of progress
	nearestNeverFar = 4       // a candidate nearer to a release than the true one is within 2‖z‖ of it, and this is 2²
)

// byDistance reports whether nearest counts what Expose does: where all candidates are equally likely people and the noise is
// Gaussian, or on a lattice, the likeliest candidate is the one nearest to the mean of the releases.
func byDistance(list Candidates, noise Density, o Options) bool {
	_, gaussian := release.AsGaussian(noise)
	return gaussian && o.Prior == nil && o.People == nil && list.Len() <= nearestValues/list.Dim()
}

// nearest counts how often each of some candidates is named, in so many releases. Its cost is that of the distances of each
// from all others, and hardly depends on the number of releases: a candidate that is not named has a
// rival nearby.
func nearest(ctx context.Context, list Candidates, noise release.Noise, some []int, releases int, o Options) (hits []int, err error) {
	n := list.Dim()
	values := make([]float32, 0, list.Len()*n)
	err = eachBlock(ctx, list, blockOf(n), func(_ []int, features []float64) error {
		for _, v := range features {
			values = append(values, float32(v))
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	hits = make([]int, len(some))
	for from := 0; from < len(some); from += nearestAtOnce {
		to := min(from+nearestAtOnce, len(some))
		simd.Parallel(to-from, 1, func(lo, hi int) {
			t := rivals{values: values, n: n, squares: make([]float64, list.Len()), z: make([]float64, n), one: make([]float64, n)}
			for i := from + lo; i < from+hi && ctx.Err() == nil; i++ {
				t.around(some[i])
				r := run.Rand(o.Seed, some[i], streamNearest)
				for range releases {
					if t.named(noise, o.Queries, r) {
						hits[i]++
					}
				}
			}
		})
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		if o.Progress != nil {
			o.Progress(float64(to) / float64(len(some)))
		}
	}
	return hits, nil
}

// rivals are the candidates beside a true one.
type rivals struct {
	values  []float32 // of all, [candidates, n]
	n       int
	own     []float32 // of the true one
	squares []float64 // of the distances from it
	few     []int     // those next to it, in no order
	z, one  []float64 // the mean of the noise of all releases of one draw, and that of one
}

// around sets the true candidate.
func (t *rivals) around(truth int) {
	t.own, t.few = t.values[truth*t.n:(truth+1)*t.n], t.few[:0]
	farthest := 0 // of the few
	for k := range t.squares {
		square := 0.
		for i, v := range t.values[k*t.n : (k+1)*t.n] {
			d := float64(v - t.own[i])
			square += d * d
		}
		t.squares[k] = square
		switch {
		case k == truth:
			continue
		case len(t.few) < nearestFew:
			t.few = append(t.few, k)
		case square < t.squares[t.few[farthest]]:
			t.few[farthest] = k
		default:
			continue
		}
		for f, j := range t.few {
			if t.squares[j] > t.squares[t.few[farthest]] {
				farthest = f
			}
		}
	}
}

// named draws the noise of a release, and reports whether no other candidate is nearer to it than the true one. Of those
// that are equally near, the true one among them, one is named at random.
func (t *rivals) named(noise release.Noise, queries int, r *rand.Rand) bool {
	clear(t.z)
	for range queries {
		noise.Sample(t.one, r)
		for i, v := range t.one {
			t.z[i] += v / float64(queries)
		}
	}
	far := 0.
	for _, v := range t.z {
		far += nearestNeverFar * v * v
	}
	for _, k := range t.few {
		if t.nearer(k) < 0 {
			return false
		}
	}
	equal := 0
	for k, square := range t.squares {
		if square > far {
			continue
		}
		switch d := t.nearer(k); {
		case d < 0:
			return false
		case d == 0:
			equal++ // the true one is as near as itself
		}
	}
	return equal <= 1 || r.IntN(equal) == 0
}

// nearer returns ‖a + z − b‖² − ‖z‖² for the true candidate a and candidate b: negative if b is nearer to the release.
func (t *rivals) nearer(b int) float64 {
	dot := 0.
	for i, v := range t.values[b*t.n : (b+1)*t.n] {
		dot += t.z[i] * float64(t.own[i]-v)
	}
	return t.squares[b] + 2*dot
}
