package bayes

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"

	"tattle/internal/engine/nn"
	"tattle/internal/math/simd"
	"tattle/internal/protect/release"
	"tattle/internal/run"
)

const (
	nearestValues   = 1 << 27 // most features of a list that is held at once: 0.5 GB
	nearestFew      = 64      // candidates next to the true one, that are looked at first
	streamNearest   = 3       // of random numbers
	streamLeading   = 4
	nearestAtOnce   = 64 // people between two reports of progress
	nearestTogether = 8  // people for whom the list is read once

	releasesTogether   = 512 // that are compared with candidates at once
	candidatesTogether = 512
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
	sigma := noise.Std() / math.Sqrt(float64(o.Queries))
	var lead *leading
	count := func(hits, some []int) {
		w := newWorkspace(n, lead.k)
		for i, t := range lead.around(values, n, some, sigma) {
			r := run.Rand(o.Seed, some[i], streamNearest)
			for first := 0; first < releases && ctx.Err() == nil; first += releasesTogether {
				hits[i] += t.named(noise, o.Queries, min(releasesTogether, releases-first), r, w)
			}
		}
	}
	if o.People != nil {
		c, fine := newCrowd(values, n, of, sigma*sigma)
		if !fine {
			return nil, false, nil
		}
		count = func(hits, some []int) { c.name(ctx, hits, noise, some, releases, o) }
	} else {
		lead = newLeading(ctx, values, n, sigma, o.Seed)
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
	*leading
	all      []float32 // of all candidates, [candidates, n]
	own      []float32 // of the true one
	leads    []float32 // its leading coordinates
	levels   []float32 // of each candidate
	same     int       // those with the same features
	few      []rival   // others next to it, in no order, and later others that were nearer to a release
	farthest int       // of the few; later the one that is next to be replaced

	difference, inLeading []float32
}

// rival is a candidate, and the square of its distance from the true one.
type rival struct {
	candidate int
	square    float32
}

// around returns the rivals of each of some true candidates, for noise of standard deviation sigma in each number. The list is read
// once for all of them.
func (l *leading) around(values []float32, n int, truths []int, sigma float64) []*rivals {
	var all []*rivals
	for _, truth := range truths {
		all = append(all, &rivals{leading: l, all: values, own: values[truth*n : (truth+1)*n], leads: l.of(truth), levels: make([]float32, len(values)/n),
			difference: make([]float32, n), inLeading: make([]float32, l.k)})
	}
	for k := range len(values) / n {
		for i, t := range all {
			square := t.square(k)
			t.levels[k] = l.level(k, square, t.leads, t.inLeading, sigma)
			switch {
			case square > 0:
				t.meet(rival{k, square})
			case k != truths[i]:
				t.same++
			}
		}
	}
	return all
}

// square sets the difference of the true candidate's features from those of candidate k, and returns the square of its length.
func (t *rivals) square(k int) float32 {
	n := len(t.own)
	simd.Combine(t.difference, t.own, t.all[k*n:(k+1)*n], 1, -1, 0)
	return simd.SumSquares(t.difference)
}

// meet keeps a candidate if it is one of the few.
func (t *rivals) meet(k rival) {
	switch {
	case len(t.few) < nearestFew:
		t.few = append(t.few, k)
	case k.square < t.few[t.farthest].square:
		t.few[t.farthest] = k
	default:
		return
	}
	for f, j := range t.few {
		if j.square > t.few[t.farthest].square {
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
	leads       []float32 // its leading coordinates [releases, k]
	levels      []float32 // of each: its product with the true candidate in these
	equal       []int     // of each: candidates that are as near as the true one, which is among them
	differences []float32 // of the true candidate from the few [few, n]
	some        []int     // candidates that are compared
	others      []float32 // their leading coordinates [candidates, k]
	products    []float32 // [releases, candidates]
}

func newWorkspace(n, k int) *workspace {
	return &workspace{n: n, one: make([]float64, n), z: make([]float32, releasesTogether*n), leads: make([]float32, releasesTogether*k),
		levels: make([]float32, releasesTogether), equal: make([]int, releasesTogether),
		differences: make([]float32, nearestFew*n), some: make([]int, candidatesTogether), others: make([]float32, candidatesTogether*k), products: make([]float32, releasesTogether*candidatesTogether)}
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
	left = t.compareAll(w, t.compareFew(w, left))
	for _, equal := range w.equal[:left] {
		if r.IntN(equal) <= t.same { // one draw of those with the same features was the true one already
			count++
		}
	}
	return count
}

// nearer is ‖a − b‖² + 2z·(a − b), where the product z·(a − b) is given. It equals ‖a + z − b‖² − ‖z‖², so it is negative if candidate
// b is nearer than the true candidate a to the release a + z. Where float32 leaves its sign open, it is computed in float64.
func (t *rivals) nearer(k rival, product float32, z []float32) (d float64) {
	n, s := len(t.own), float64(k.square)
	d = s + 2*float64(product)
	if rounding := 0x1p-24 * float64(n+8) * (s + 2*math.Sqrt(s*float64(simd.SumSquares(z)))); math.Abs(d) > rounding {
		return d
	}
	d = 0
	for i, b := range t.all[k.candidate*n : (k.candidate+1)*n] {
		difference := float64(t.own[i]) - float64(b)
		d += difference * (difference + 2*float64(z[i]))
	}
	return d
}

// compareFew drops the releases to which one of the few is nearer than the true candidate, and returns how many are left.
func (t *rivals) compareFew(w *workspace, left int) int {
	n, m := w.n, len(t.few)
	if m == 0 || left == 0 {
		return left
	}
	for j, k := range t.few {
		simd.Combine(w.differences[j*n:(j+1)*n], t.own, t.all[k.candidate*n:(k.candidate+1)*n], 1, -1, 0)
	}
	simd.Gemm(false, true, left, m, n, 1, w.z, n, w.differences, n, 0, w.products, m)
	kept := 0
	for i := range left {
		row, z := w.products[i*m:(i+1)*m], w.z[i*n:(i+1)*n]
		nearer := slices.ContainsFunc(nn.Indices(m), func(j int) bool { return t.nearer(t.few[j], row[j], z) < 0 })
		if !nearer {
			w.keep(i, kept, 0)
			kept++
		}
	}
	return kept
}

// keep moves release i to the place to.
func (w *workspace) keep(i, to, k int) {
	w.equal[to], w.levels[to] = w.equal[i], w.levels[i]
	copy(w.z[to*w.n:(to+1)*w.n], w.z[i*w.n:(i+1)*w.n])
	copy(w.leads[to*k:(to+1)*k], w.leads[i*k:(i+1)*k])
}

// compareAll does so with all candidates that can be nearer, and counts those that are equally near.
func (t *rivals) compareAll(w *workspace, left int) int {
	k := t.k
	t.product(w.leads[:left*k], w.z[:left*w.n])
	for i := range left {
		z := w.leads[i*k : (i+1)*k]
		rounding := 0x1p-23 * float64(k+8) * t.length * math.Sqrt(float64(simd.SumSquares(z)))
		w.levels[i] = float32(float64(simd.Dot(z, t.leads)) - rounding)
	}
	for next := 0; next < len(t.levels) && left > 0; {
		some, kept := w.some[:0], 0
		for ; next < len(t.levels) && len(some) < candidatesTogether; next++ {
			if t.levels[next] > never {
				copy(w.others[len(some)*k:], t.of(next))
				w.products[len(some)] = t.levels[next]
				some = append(some, next)
			}
		}
		m := len(some)
		for i := 1; i < left; i++ {
			copy(w.products[i*m:], w.products[:m])
		}
		if m > 0 {
			simd.Gemm(false, true, left, m, k, 1, w.leads, k, w.others, k, 1, w.products, m)
		}
		for i := range left {
			if t.stays(w, i, some, w.products[i*m:(i+1)*m]) {
				w.keep(i, kept, k)
				kept++
			}
		}
		left = kept
	}
	return left
}

// stays reports whether none of some candidates is nearer to release i than the true one, of those that row does not rule out.
func (t *rivals) stays(w *workspace, i int, some []int, row []float32) bool {
	level, z := w.levels[i], w.z[i*w.n:(i+1)*w.n]
	if simd.Max(row) < level {
		return true
	}
	for j, v := range row {
		if v < level {
			continue
		}
		k := rival{some[j], t.square(some[j])}
		switch d := t.nearer(k, simd.Dot(t.difference, z), z); {
		case d < 0: // and so it may be for other releases
			t.few[t.farthest%len(t.few)] = k
			t.farthest++
			return false
		case d == 0:
			w.equal[i]++
		}
	}
	return true
}
