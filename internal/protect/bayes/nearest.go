package bayes

import (
	"context"
	"math"
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
	nearestTogether = 8       // people for whom the list is read once
)

// ByDistance reports whether nearest counts what Expose does: where all candidates are equally likely people and the noise is
// Gaussian, or on a lattice, the likeliest candidate is the one nearest to the mean of the releases.
func ByDistance(list Candidates, noise Density, o Options) bool {
	_, gaussian := release.AsGaussian(noise)
	return gaussian && o.Prior == nil && o.People == nil && list.Len() <= nearestValues/list.Dim()
}

// finest is the largest error of a float32 feature, in standard deviations of the noise of all features together, with which nearest
// counts: equal float32 numbers of different features would make people look less exposed than they are.
const finest = 1e-3

// nearest counts, for each of some candidates, the releases of it that name it. Its work is small where a candidate is seldom
// named: the search ends at the first rival that is nearer to the release. It reports false, and counts nothing, if float32 is
// too coarse for the features.
func nearest(ctx context.Context, list Candidates, noise release.Noise, some []int, releases int, o Options) (hits []int, fine bool, err error) {
	n := list.Dim()
	values, largest := make([]float32, 0, list.Len()*n), 0.
	err = eachBlock(ctx, list, blockOf(n), func(_ []int, features []float64) error {
		for _, v := range features {
			values, largest = append(values, float32(v)), max(largest, math.Abs(v))
		}
		return nil
	})
	if coarse := 0x1p-24 * largest * math.Sqrt(float64(n*o.Queries)); err != nil || !(coarse <= finest*noise.Std()) {
		return nil, false, err
	}
	if g, ok := noise.(release.Gaussian); ok { // the mean of its releases is one of Gaussian noise
		noise, o.Queries = release.Gaussian{Sigma: g.Sigma / math.Sqrt(float64(o.Queries))}, 1
	}
	hits = make([]int, len(some))
	for from := 0; from < len(some); from += nearestAtOnce {
		to := min(from+nearestAtOnce, len(some))
		simd.Parallel(to-from, nearestTogether, func(lo, hi int) {
			for i, t := range around(values, n, some[from+lo:from+hi]) {
				r := run.Rand(o.Seed, some[from+lo+i], streamNearest)
				for range releases {
					if ctx.Err() == nil && t.named(noise, o.Queries, r) {
						hits[from+lo+i]++
					}
				}
			}
		})
		if err := ctx.Err(); err != nil {
			return nil, false, err
		}
		if o.Progress != nil {
			o.Progress(float64(to) / float64(len(some)))
		}
	}
	return hits, true, nil
}

// rivals are the candidates beside a true one.
type rivals struct {
	values   []float32 // of all, [candidates, n]
	own      []float32 // of the true one
	squares  []float32 // of the distances from it; 0 for equal features
	same     int       // those with the same features
	few      []int     // others next to it, in no order, and later others that were nearer to a release
	farthest int       // of the few; later the one that is next to be replaced
	close    []int     // those whose square is at most reach
	reach    float64

	one        []float64 // the noise of a release
	z          []float32 // the mean of all releases' of a draw
	difference []float32
}

// around returns the rivals of each of some true candidates. The list is read once for all of them.
func around(values []float32, n int, truths []int) []*rivals {
	var all []*rivals
	for _, truth := range truths {
		all = append(all, &rivals{values: values, own: values[truth*n : (truth+1)*n], squares: make([]float32, len(values)/n),
			one: make([]float64, n), z: make([]float32, n), difference: make([]float32, n)})
	}
	for k := range len(values) / n {
		for i, t := range all {
			t.subtract(k)
			switch t.squares[k] = simd.SumSquares(t.difference); {
			case t.squares[k] > 0:
				t.meet(k)
			case k != truths[i]:
				t.same++
			}
		}
	}
	return all
}

// subtract sets the difference of the true candidate's features from those of candidate k.
func (t *rivals) subtract(k int) {
	n := len(t.own)
	simd.Combine(t.difference, t.own, t.values[k*n:(k+1)*n], 1, -1, 0)
}

// meet keeps a candidate if it is one of the few.
func (t *rivals) meet(k int) {
	switch {
	case len(t.few) < nearestFew:
		t.few = append(t.few, k)
	case t.squares[k] < t.squares[t.few[t.farthest]]:
		t.few[t.farthest] = k
	default:
		return
	}
	for f, j := range t.few {
		if t.squares[j] > t.squares[t.few[t.farthest]] {
			t.farthest = f
		}
	}
}

// neverNearer times σ is the distance from which no candidate b is taken to be nearer to a release: that is if the noise along the
// difference, of standard deviation σ, is more than half of it. It happens once in 10¹¹ times.
const neverNearer = 13.4

// named draws the noise of a release, and reports whether no other candidate is nearer to it than the true one. Of those
// that are equally near, the true one among them, one is named at random.
func (t *rivals) named(noise release.Noise, queries int, r *rand.Rand) bool {
	if r.IntN(1+t.same) > 0 {
		return false
	}
	clear(t.z)
	for range queries {
		noise.Sample(t.one, r)
		for i, v := range t.one {
			t.z[i] += float32(v / float64(queries))
		}
	}
	for _, k := range t.few {
		if t.nearer(k) < 0 {
			return false
		}
	}
	if far := neverNearer * noise.Std() / math.Sqrt(float64(queries)); t.close == nil {
		t.reach, t.close = far*far, []int{}
		for k, square := range t.squares {
			if square > 0 && float64(square) <= t.reach {
				t.close = append(t.close, k)
			}
		}
	}
	far := min(t.reach, 4*float64(simd.SumSquares(t.z))*(1+1e-5)) // one that is nearer is within 2‖z‖ of the true one
	equal := 1 + t.same
	for _, k := range t.close {
		if float64(t.squares[k]) > far {
			continue
		}
		switch d := t.nearer(k); {
		case d < 0: // and so it may be for other releases
			t.few[t.farthest%len(t.few)] = k
			t.farthest++
			return false
		case d == 0:
			equal++
		}
	}
	return r.IntN(equal) <= t.same // one draw of those with the same features was the true one already
}

// nearer returns ‖a + z − b‖² − ‖z‖² for the true candidate a and candidate b: negative if b is nearer to the release.
func (t *rivals) nearer(b int) float64 {
	t.subtract(b)
	return float64(t.squares[b]) + 2*float64(simd.Dot(t.z, t.difference))
}
