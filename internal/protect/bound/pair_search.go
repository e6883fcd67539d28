package bound

import (
	"context"
	"math"
	"slices"

	"tattle/internal/engine/nn"
	"tattle/internal/math/simd"
)

const (
	// MostPairs is the largest number of witnesses that are searched for the pair floors of one
	// example, one from each start.
	MostPairs = 2
	// pairSteps is the number of gradient steps from each start. Step k of n moves every input by
	// about pairStep·(1 − k/n)^pairFall of its range: of these falls, this one proves most in so
	// few steps.
	pairSteps = 44
	pairStep  = .06
	pairFall  = .3
	// pairScales is the number of multiples of a start that are tried. The first is pairLargest,
	// and each further one pairShrink times the one before.
	pairScales              = 6
	pairLargest, pairShrink = 1.5, .55
	// pairDecay is the weight of earlier gradients in the mean that gives the direction, and
	// pairSpread that of their squares, which scale it (Adam; Kingma and Ba, ICLR 2015). Both are
	// far below the usual ones, as there are few steps.
	pairDecay, pairSpread = .7, .6
)

// pairSearch climbs from some inputs to others that are worth more: the value of ε is
// ‖ε‖²·h(‖z‖/σ), which the square of the pair floor of the whole input is proportional to,
// or (wᵀε)²·h(‖z‖/σ), the square of the floor on a direction w.
type pairSearch struct {
	surroundings
	along [][]float32 // the directions w, one for each row of an input; nil for whole inputs
	width []float32   // [inputs, p], of the box

	eps, best   []float32 // [rows, p]: where the search is, and the best so far
	score       []float64 // [rows], the value of the best
	x, g        []float32 // [rows, p]: θ+ε, and gradients
	z           []float32 // [rows, n]: how far the features move
	mean, power []float32 // [rows, p], of the gradients and of their squares
}

// newPairSearch begins a search of each witnesses for each of some inputs, within a domain.
func newPairSearch(m nn.Model, d Domain, theta []float32, each int, sigma float64) *pairSearch {
	s := &pairSearch{surroundings: newSurroundings(m, d, theta, each, sigma), width: make([]float32, len(theta))}
	for i := range theta {
		s.low[i], s.high[i] = max(s.low[i], -farReach), min(s.high[i], farReach)
		s.width[i] = s.high[i] - s.low[i]
	}
	s.begin(each)
	return s
}

// begin makes room for each witnesses for each input.
func (s *pairSearch) begin(each int) {
	rows := len(s.theta) / s.p * each
	s.each, s.z, s.score = each, make([]float32, rows*s.n), slices.Repeat([]float64{math.Inf(-1)}, rows)
	for _, x := range []*[]float32{&s.eps, &s.best, &s.x, &s.g, &s.mean, &s.power} {
		*x = make([]float32, rows*s.p)
	}
}

// size returns ‖ε‖ of a row, or wᵀε, its square, and the vector along which it grows.
func (s *pairSearch) size(row int) (size, square float64, along []float32) {
	e := rowOf(s.eps, row, s.p)
	if s.along == nil {
		size = norm32(e)
		return size, size * size, e
	}
	w := s.along[row%s.each]
	g := float64(simd.Dot(w, e))
	return g, g * g, w
}

// points returns θ+ε of the rows.
func (s *pairSearch) points() []float32 {
	parallel(len(s.score), func(i int) {
		simd.Add(rowOf(s.x, i, s.p), rowOf(s.theta, s.input(i), s.p), rowOf(s.eps, i, s.p))
	})
	return s.x
}

// keep stores how far the features a move, and keeps the rows that are the best so far. It
// returns the slopes of ln h.
func (s *pairSearch) keep(a []float32) (slopes []float64) {
	slopes = make([]float64, len(s.score))
	parallel(len(slopes), func(i int) {
		z := rowOf(s.z, i, s.n)
		simd.Combine(z, rowOf(a, i, s.n), rowOf(s.a0, s.input(i), s.n), 1, -1, 0)
		var log float64
		size, _, _ := s.size(i)
		log, slopes[i] = logPairShare(norm32(z) / s.sigma)
		if v := 2*math.Log(math.Abs(size)) + log; v > s.score[i] {
			s.score[i] = v
			copy(rowOf(s.best, i, s.p), rowOf(s.eps, i, s.p))
		}
	})
	return slopes
}

// visit evaluates the rows.
func (s *pairSearch) visit() {
	s.model.Forward(s.z, s.points())
	s.keep(s.z)
}

// scan tries multiples of the starts, and begins with the best of them.
func (s *pairSearch) scan(ctx context.Context, starts []float32) {
	for k := range pairScales {
		if ctx.Err() != nil {
			return
		}
		simd.ScaleShift(s.eps, starts, float32(pairLargest*math.Pow(pairShrink, float64(k))), 0)
		parallel(len(s.score), func(i int) { s.clip(i, rowOf(s.eps, i, s.p)) })
		s.visit()
	}
	copy(s.eps, s.best)
}

// climb takes gradient steps. The first moves every input by about the part most of its range,
// later steps by less.
func (s *pairSearch) climb(ctx context.Context, steps int, most float64) {
	rule := simd.AdamRule{Beta1: pairDecay, Beta2: pairSpread, Epsilon: 1e-12}
	for k := range steps {
		if ctx.Err() != nil {
			return
		}
		lin := s.model.Linearize(s.points())
		slopes := s.keep(lin.Features())
		lin.VJP(s.g, s.z)
		rule.Rate = most * math.Pow(1-float64(k)/float64(steps), pairFall)
		step := rule.At(k + 1)
		parallel(len(slopes), func(i int) { s.step(i, slopes[i], step) })
	}
	s.visit()
}

// step moves a row against the gradient of minus the value, times ‖ε‖.
func (s *pairSearch) step(row int, slope float64, by simd.AdamCoefficients) {
	e, g := rowOf(s.eps, row, s.p), rowOf(s.g, row, s.p)
	size, square, along := s.size(row)
	out, in := 2/max(square, math.SmallestNonzeroFloat32), slope/s.sigma/max(norm32(rowOf(s.z, row, s.n)), math.SmallestNonzeroFloat32)
	if s.along != nil {
		out *= size
	}
	norm := norm32(e)
	simd.Combine(g, g, along, float32(norm*in), float32(-norm*out), 0)
	move := rowOf(s.x, row, s.p) // which the next step writes anew
	clear(move)
	simd.AdamStep(move, g, rowOf(s.mean, row, s.p), rowOf(s.power, row, s.p), by)
	simd.Mul(move, move, rowOf(s.width, s.input(row), s.p))
	simd.Add(e, e, move)
	s.clip(row, e)
}

// logPairShare returns the logarithm of h of release.PairShare for Gaussian noise, and −∂ln h/∂d,
// for features that differ by d standard deviations. It errs by about 1e-5: it is for searches.
//
// h = ¼·exp(−d²/8)·M with M = E[1/cosh(dT/2)] of a standard normal T (release.GaussianPairShare).
// M and its derivative are sums over t = 0, s, 2s, … . The sums end where cosh(dt/2) or exp(t²/2)
// reaches 10⁷: all later terms together are below the error above.
func logPairShare(d float64) (log, slope float64) {
	const wide, far = 5.5, 28
	if !(d < 1e6) { // as M ≈ √(2π)/d
		return -d * d / 8, d / 4
	}
	s := min(math.Pi/4/max(d, 1), .5)
	sum, steep := .5, 0.
	for k := 1; float64(k)*s < min(wide, far/d); k++ {
		t := float64(k) * s
		e := math.Exp(-d * t / 2)
		part := math.Exp(-t*t/2) * 2 * e / (1 + e*e)
		sum += part
		steep += part * t / 2 * (1 - e*e) / (1 + e*e)
	}
	return math.Log(sum*2*s/math.Sqrt(2*math.Pi)/4) - d*d/8, d/4 + steep/sum
}

// seek finds witnesses for pair floors. Of those for whole inputs one climbs from the best of the far witnesses and twins,
// the other from the corner of the box that is farthest; those for groups of coordinates climb from the better one of these.
func (o PairOptions) seek(ctx context.Context, r *runner, s *Bounds, b *batch, _ func(part float64)) error {
	p, n := r.model.Dims()
	if r.along == nil && o.groups(b.m) > 0 {
		r.along = pairDirections(r.experiment.Coordinates, o.groups(b.m))
	}
	size := max(1, farRows(p, n)/max(o.Witnesses, len(r.along)))
	for lo := 0; lo < len(b.index) && ctx.Err() == nil; lo += size {
		hi := min(len(b.index), lo+size)
		theta := b.theta[lo*p : hi*p]
		search := newPairSearch(r.model, s.domain, theta, o.Witnesses, r.experiment.Scale())
		search.scan(ctx, search.starts(b.rows(lo, hi)))
		search.climb(ctx, pairSteps, pairStep)
		found := search.best
		if r.along != nil {
			further := search.further(r.along)
			further.climb(ctx, groupSteps, groupStep)
			found = interleave(search.best, further.best, o.Witnesses*p, len(r.along)*p)
		}
		keep(s.rows(lo, hi, p, b.m), theta, found, p)
	}
	return ctx.Err()
}

// starts returns where the search begins, [rows, p].
func (s *pairSearch) starts(of *record) []float32 {
	starts := make([]float32, len(s.eps))
	for row := range s.score {
		start := rowOf(starts, row, s.p)
		if row%s.each == 0 && of.bestPair(s.input(row), start) {
			continue
		}
		low, high := s.box(row)
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
	for _, s := range []*Bounds{e.set(SearchFar), e.set(SearchTwins)} {
		if s == nil {
			continue
		}
		eps := s.of(i, e.p)
		for k, h := range rowOf(s.Pair.Share, i, s.Witnesses) {
			if v := square(rowOf(eps, k, e.p)) * h; v > most {
				most = v
				convert(dst, rowOf(eps, k, e.p))
			}
		}
	}
	return most > 0
}
