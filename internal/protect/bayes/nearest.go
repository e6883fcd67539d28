package bayes

import (
	"cmp"
	"context"
	"math"
	"math/rand/v2"
	"slices"

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

	releasesTogether   = 512 // that are compared with candidates at once
	candidatesTogether = 256
)

// ByDistance reports whether nearest counts what Expose does: where people are equally likely and the noise is Gaussian, or on a
// lattice, their likelihoods follow from distances to the mean of the releases.
func ByDistance(list Candidates, noise Density, o Options) bool {
	_, gaussian := release.AsGaussian(noise)
	return gaussian && (o.Prior == nil) == (o.People == nil) && list.Len() <= nearestValues/list.Dim()
}

// finest is the largest error of a float32 feature, in standard deviations of the noise of all features together, with which nearest
// counts: equal float32 numbers of different features would make people look less exposed than they are.
const finest = 1e-3

// nearest counts, for each of some candidates, the releases of it that name it. Its work is small where a candidate is seldom
// named: the search ends at the first rival that is nearer to the release. It reports false, and counts nothing, if float32 is
// too coarse for the features.
func nearest(ctx context.Context, list Candidates, noise release.Noise, some []int, of [][]int, releases int, o Options) (hits []int, fine bool, err error) {
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
	count := func(hits, some []int) {
		w := newWorkspace(n)
		for i, t := range around(values, n, some) {
			r := run.Rand(o.Seed, some[i], streamNearest)
			for first := 0; first < releases && ctx.Err() == nil; first += releasesTogether {
				hits[i] += t.named(noise, o.Queries, min(releasesTogether, releases-first), r, w)
			}
		}
	}
	if o.People != nil {
		sigma, _ := release.AsGaussian(noise)
		c, fine := newCrowd(values, n, of, sigma*sigma/float64(o.Queries))
		if !fine {
			return nil, false, nil
		}
		count = func(hits, some []int) { c.name(ctx, hits, noise, some, releases, o) }
	}
	hits = make([]int, len(some))
	for from := 0; from < len(some); from += nearestAtOnce {
		to := min(from+nearestAtOnce, len(some))
		simd.Parallel(to-from, nearestTogether, func(lo, hi int) { count(hits[from+lo:from+hi], some[from+lo:from+hi]) })
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
	close    []int     // those whose square is at most reach, the nearest first
	reach    float64

	difference []float32
}

// around returns the rivals of each of some true candidates. The list is read once for all of them.
func around(values []float32, n int, truths []int) []*rivals {
	var all []*rivals
	for _, truth := range truths {
		all = append(all, &rivals{values: values, own: values[truth*n : (truth+1)*n], squares: make([]float32, len(values)/n), difference: make([]float32, n)})
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

// workspace is what the releases of one true candidate are compared in.
type workspace struct {
	n           int
	one         []float64 // the noise of a release
	z           []float32 // of the releases, the mean noise [releases, n]
	equal       []int     // of each: candidates that are as near as the true one, which is among them
	differences []float32 // of the true candidate from others, [candidates, n]
	squares     []float32 // of their lengths
	products    []float32 // [releases, candidates]
}

func newWorkspace(n int) *workspace {
	return &workspace{n: n, one: make([]float64, n), z: make([]float32, releasesTogether*n), equal: make([]int, releasesTogether),
		differences: make([]float32, candidatesTogether*n), squares: make([]float32, candidatesTogether), products: make([]float32, releasesTogether*candidatesTogether)}
}

// named draws the noise of some releases. It returns how many name the true candidate: no other is nearer to them. Of those
// that are equally near, the true one among them, one is named at random.
func (t *rivals) named(noise release.Noise, queries, releases int, r *rand.Rand, w *workspace) (count int) {
	left := 0 // releases that no candidate is known to be nearer to
	for range releases {
		if r.IntN(1+t.same) > 0 {
			continue // another one with the same features is named
		}
		z := w.z[left*w.n : (left+1)*w.n]
		clear(z)
		for range queries {
			noise.Sample(w.one, r)
			for i, v := range w.one {
				z[i] += float32(v / float64(queries))
			}
		}
		w.equal[left] = 1 + t.same
		left++
	}
	left = t.compare(t.few, left, w, false)
	if far := neverNearer * noise.Std() / math.Sqrt(float64(queries)); t.close == nil {
		t.reach, t.close = far*far, []int{}
		for k, square := range t.squares {
			if square > 0 && float64(square) <= t.reach {
				t.close = append(t.close, k)
			}
		}
		slices.SortFunc(t.close, func(j, k int) int { return cmp.Or(cmp.Compare(t.squares[j], t.squares[k]), cmp.Compare(j, k)) })
	}
	for first := 0; first < len(t.close) && left > 0; first += candidatesTogether {
		far := 0. // a candidate that is nearer to a release is within 2‖z‖ of the true one
		for i := range left {
			far = max(far, 4*float64(simd.SumSquares(w.z[i*w.n:(i+1)*w.n]))*(1+1e-5))
		}
		if float64(t.squares[t.close[first]]) > far {
			break
		}
		left = t.compare(t.close[first:min(first+candidatesTogether, len(t.close))], left, w, true)
	}
	for _, equal := range w.equal[:left] {
		if r.IntN(equal) <= t.same { // one draw of those with the same features was the true one already
			count++
		}
	}
	return count
}

// nearer is ‖a − b‖² + 2z·(a − b) in float64, for candidate b.
func (t *rivals) nearer(k int, z []float32) (d float64) {
	n := len(t.own)
	for i, b := range t.values[k*n : (k+1)*n] {
		difference := float64(t.own[i]) - float64(b)
		d += difference * (difference + 2*float64(z[i]))
	}
	return d
}

// compare drops the releases to which one of some candidates is nearer than the true one, and returns how many are left. Candidate b is
// nearer than a to a release a + z if ‖a + z − b‖² − ‖z‖² = ‖a − b‖² + 2z·(a − b) is negative. count says that those equally near are counted.
func (t *rivals) compare(some []int, left int, w *workspace, count bool) int {
	n, m := w.n, len(some)
	if m == 0 || left == 0 {
		return left
	}
	squares, largest := w.squares[:m], float32(0)
	for j, k := range some {
		squares[j], largest = t.squares[k], max(largest, t.squares[k])
		simd.Combine(w.differences[j*n:(j+1)*n], t.own, t.values[k*n:(k+1)*n], 1, -1, 0)
	}
	simd.Gemm(false, true, left, m, n, 1, w.z, n, w.differences, n, 0, w.products, m)
	kept, unit, far := 0, 0x1p-24*float64(n+8), float64(largest)
	for i := range left {
		equal, nearer := 0, -1
		z := w.z[i*n : (i+1)*n]
		rounding := unit * (far + 2*math.Sqrt(far*float64(simd.SumSquares(z)))) // at most, of d
		for j, product := range w.products[i*m : (i+1)*m] {
			d := float64(squares[j]) + 2*float64(product)
			if d > rounding {
				continue
			}
			if d >= -rounding {
				d = t.nearer(some[j], z)
			}
			if d < 0 {
				nearer = some[j]
				break
			}
			if d == 0 {
				equal++
			}
		}
		switch {
		case nearer < 0:
			if w.equal[kept] = w.equal[i]; count {
				w.equal[kept] += equal
			}
			copy(w.z[kept*n:(kept+1)*n], w.z[i*n:(i+1)*n])
			kept++
		case count: // and so it may be for other releases
			t.few[t.farthest%len(t.few)] = nearer
			t.farthest++
		}
	}
	return kept
}
