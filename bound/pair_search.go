package bound

import (
	"context"
	"math"
	"slices"

	"tattle/internal/simd"
	"tattle/nn"
	"tattle/release"
)

const (
	// MostPairs is the largest number of witnesses that are searched for the pair floors of one
	// example, one from each start.
	MostPairs = 2
	// pairSteps is the number of gradient steps from each start. Each moves every input by
	// up to pairStep of its range, less and less.
	pairSteps = 64
	pairStep  = .04
	// pairScales is the number of multiples of a start that are tried, each three quarters
	// of the one before.
	pairScales = 12
	// pairDecay is the weight of earlier gradients in the mean that gives the direction, and
	// pairSpread that of their squares, which scale it (Adam; Kingma and Ba, ICLR 2015).
	pairDecay, pairSpread = .8, .95
)

// pairSearch climbs from some inputs to others that are worth more: the value of ε is
// ‖ε‖²·h(‖z‖/σ), which the square of the pair floor of the whole input is proportional to,
// or (wᵀε)²·h(‖z‖/σ), the square of the floor on a direction w.
type pairSearch struct {
	model     nn.Model
	sigma     float64
	p, n      int
	along     [][]float32 // the directions w, one for each witness of an input; nil for whole inputs
	theta     []float32   // [rows, p], the input of each row
	low, high []float32   // [rows, p], the box of ε
	a0        []float32   // [rows, n], features at θ

	eps, best   []float32 // [rows, p]: where the search is, and the best so far
	score       []float64 // [rows], the value of the best
	mean, power []float32 // [rows, p], of the gradients and of their squares
}

// newPairSearch begins a search of each witnesses for each of some inputs, within a domain.
func newPairSearch(m nn.Model, d Domain, theta []float32, each int, sigma float64) *pairSearch {
	p, n := m.Dims()
	rows := len(theta) / p * each
	s := &pairSearch{model: m, sigma: sigma, p: p, n: n}
	for i := range rows {
		s.theta = append(s.theta, rowOf(theta, i/each, p)...)
	}
	for _, x := range []*[]float32{&s.low, &s.high, &s.eps, &s.best, &s.mean, &s.power} {
		*x = make([]float32, rows*p)
	}
	for i, t := range s.theta {
		low, high := d.ends(i%p, t)
		s.low[i], s.high[i] = max(low, -farReach), min(high, farReach)
	}
	s.a0, s.score = make([]float32, rows*n), slices.Repeat([]float64{math.Inf(-1)}, rows)
	s.model.Forward(s.a0, s.theta)
	return s
}

// size returns ‖ε‖ of a row, or wᵀε, its square, and the vector along which it grows.
func (s *pairSearch) size(row int) (size, square float64, along []float32) {
	e := rowOf(s.eps, row, s.p)
	if s.along == nil {
		return norm32(e), squareNorm32(e), e
	}
	w := s.along[row%len(s.along)]
	g := float64(simd.Dot(w, e))
	return g, g * g, w
}

// LogPairShare returns the logarithm of h of release.PairShare for Gaussian noise, and −∂ln h/∂d,
// for features that differ by d standard deviations. The derivative is a difference quotient: it is
// used in searches only, and so is the logarithm for d above 30.
func LogPairShare(d float64) (log, slope float64) {
	const by = 1e-4
	h := func(d float64) float64 {
		return math.Log(max(release.GaussianPairShare(d), math.SmallestNonzeroFloat64))
	}
	if d > 30 { // h ≈ ½Φ(−d/2), and its slope d/4
		return -d * d / 8, d / 4
	}
	return h(d), (h(d) - h(d+by)) / by
}

// visit linearises the model at the rows' points and keeps those that are the best so far.
// It returns the linearisation, how far the features move, [rows, n], and the slopes of the
// rows' values.
func (s *pairSearch) visit() (lin nn.Linearization[float32], z []float32, slopes []float64) {
	rows := len(s.score)
	x := make([]float32, len(s.eps))
	simd.Add(x, s.theta, s.eps)
	lin = s.model.Linearize(x)
	z, slopes = slices.Clone(lin.Features()), make([]float64, rows)
	simd.Combine(z, z, s.a0, 1, -1, 0)
	parallel(rows, func(i int) {
		var log float64
		size, _, _ := s.size(i)
		log, slopes[i] = LogPairShare(norm32(rowOf(z, i, s.n)) / s.sigma)
		if v := 2*math.Log(math.Abs(size)) + log; v > s.score[i] {
			s.score[i] = v
			copy(rowOf(s.best, i, s.p), rowOf(s.eps, i, s.p))
		}
	})
	return lin, z, slopes
}

// clip moves the rows into the box.
func (s *pairSearch) clip() {
	for i, v := range s.eps {
		s.eps[i] = min(max(v, s.low[i]), s.high[i])
	}
}

// scan tries multiples of the starts, and begins with the best of them.
func (s *pairSearch) scan(ctx context.Context, starts []float32) {
	for k := range pairScales {
		if ctx.Err() != nil {
			return
		}
		simd.ScaleShift(s.eps, starts, float32(1.5*math.Pow(.75, float64(k))), 0)
		s.clip()
		s.visit()
	}
	copy(s.eps, s.best)
}

// climb takes gradient steps. A step moves every input by at most a fraction of its range: the
// first step by most, later steps by less and less.
func (s *pairSearch) climb(ctx context.Context, steps int, most float64) {
	g := make([]float32, len(s.eps))
	for k := range steps {
		if ctx.Err() != nil {
			return
		}
		lin, z, slopes := s.visit()
		lin.VJP(g, z)
		bias1, bias2 := 1-math.Pow(pairDecay, float64(k+1)), 1-math.Pow(pairSpread, float64(k+1))
		length := most * (1 - float64(k)/float64(steps))
		parallel(len(slopes), func(i int) {
			e, z := rowOf(s.eps, i, s.p), norm32(rowOf(z, i, s.n))
			size, square, along := s.size(i)
			out, in := 2/max(square, math.SmallestNonzeroFloat32), slopes[i]/s.sigma/max(z, math.SmallestNonzeroFloat32)
			if s.along != nil {
				out *= size
			}
			// The gradient of the value, times ‖ε‖ and an arbitrary scale.
			by := norm32(e)
			for j := range e {
				at := i*s.p + j
				d := float32(by * (out*float64(along[j]) - in*float64(g[at])))
				s.mean[at] += (1 - pairDecay) * (d - s.mean[at])
				s.power[at] += (1 - pairSpread) * (d*d - s.power[at])
				step := float64(s.mean[at]) / bias1 / (math.Sqrt(float64(s.power[at])/bias2) + 1e-12)
				e[j] += float32(length * step * float64(s.high[at]-s.low[at]))
			}
		})
		s.clip()
	}
	s.visit()
}

// pairs fills in witnesses that are searched for pair floors. Of those for whole inputs one
// climbs from the best of the far witnesses and twins, the other from the corner of the box
// that is farthest; those for groups of coordinates climb from the better one of these.
func (r *runner) pairs(ctx context.Context, s *witnessSet, b *batch, progress func(part float64)) error {
	p, n := r.model.Dims()
	o := r.experiment.Pairs
	if r.along == nil && o.groups(b.m) > 0 {
		r.along = pairDirections(r.experiment.Coordinates, o.groups(b.m))
	}
	size := max(1, farRows(p, n)/max(o.Witnesses, len(r.along)))
	for lo := 0; lo < len(b.index) && ctx.Err() == nil; lo += size {
		progress(float64(lo) / float64(len(b.index)))
		hi := min(len(b.index), lo+size)
		theta := b.theta[lo*p : hi*p]
		search := newPairSearch(r.model, s.domain, theta, o.Witnesses, r.experiment.Scale())
		search.scan(ctx, search.starts(b.rows(lo, hi)))
		search.climb(ctx, pairSteps, pairStep)
		found := search.best
		if r.along != nil {
			further := newPairSearch(r.model, s.domain, theta, len(r.along), r.experiment.Scale())
			further.along = r.along
			further.continues(search)
			further.climb(ctx, groupSteps, groupStep)
			found = interleave(search.best, further.best, o.Witnesses*p, len(r.along)*p)
		}
		part := s.rows(lo, hi, p, b.m)
		if s.double {
			part.round(theta, widened64(found), p)
		} else {
			copy(part.eps, found)
		}
	}
	return ctx.Err()
}

// starts returns where the search begins, [rows, p].
func (s *pairSearch) starts(of *record) []float32 {
	starts := make([]float32, len(s.eps))
	each := len(s.score) / len(of.index)
	for row := range s.score {
		start := rowOf(starts, row, s.p)
		if row%each == 0 && of.bestPair(row/each, start) {
			continue
		}
		low, high := rowOf(s.low, row, s.p), rowOf(s.high, row, s.p)
		for j := range start {
			if start[j] = high[j]; -low[j] > high[j] {
				start[j] = low[j]
			}
		}
	}
	return starts
}

// bestPair overwrites dst with the far witness or twin of example i that proves the largest
// pair floor of the whole input. It reports whether there is one.
func (e *record) bestPair(i int, dst []float32) bool {
	most := 0.
	for _, s := range []*witnessSet{e.set(farName), e.set(twinName)} {
		if s == nil {
			continue
		}
		eps := s.of(i, e.p)
		for k, h := range rowOf(s.pair.share, i, s.each) {
			if v := square(rowOf(eps, k, e.p)) * h; v > most {
				most = v
				narrow(dst, rowOf(eps, k, e.p))
			}
		}
	}
	return most > 0
}
