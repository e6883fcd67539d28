package bound

import (
	"cmp"
	"context"
	"math"
	"slices"

	"tattle/internal/engine/nn"
	"tattle/internal/math/simd"
	"tattle/internal/run"
)

// The search for far witnesses.
const (
	farScales = 6 // of the line search along each start: down to 1/32 of the way
	farSteps  = 8 // of Gauss-Newton from the best of them, which converges quadratically: most arrive in two, the last few take their time
)

// FarOptions configures the search for far witnesses: inputs as different from θ as
// possible whose features hardly differ. Its zero value disables the search.
type FarOptions struct {
	Starts int    `json:"starts"` // witnesses per example; 0 for none
	Domain Domain `json:"domain"` // where θ+ε stays; on a grid, the box is searched and the best are then moved along the grid
	Seed   uint64 `json:"seed"`
}

const (
	// farReach is the largest distance of a start from θ in an input without limits;
	// inputs are of order 1.
	farReach = 4
	// farMargin is the distance of a start from the faces of the box, as a fraction of its
	// width: on a face it could not move.
	farMargin = 0.1
	// farHidden is added to ‖z‖²/σ² when the scale of a start is chosen. Later steps
	// remove most of z, so a far start with a small z is better than a near one with a
	// smaller z.
	farHidden = 1
	// farWithin is the smallest ‖z‖/σ for which a scale is tried: closer to θ the quotient
	// of A eq. (6) hardly grows.
	farWithin = 0.1
	// farFloor·‖a‖ is the largest change of the features that float32 cannot distinguish
	// from none.
	farFloor = 0x1p-22
	// farPart: the first step is taken from one in farPart of an example's starts.
	farPart = 4
)

func (o FarOptions) seek(ctx context.Context, r *runner, s *Bounds, b *batch, _ func(part float64)) error {
	eps := make([]float32, len(b.index)*o.Starts*b.p)
	if err := o.search(ctx, r.model, eps, b.theta, b.index, b.factors, r.experiment.Scale()); err != nil {
		return err
	}
	keep(s, b.theta, eps, b.p)
	return r.refine(ctx, s, b.theta, 1) // of each example the best one; the others are worth less
}

// search overwrites eps, [examples, Starts, p], with far witnesses of theta, [examples,
// p]: for each start, the visited point with the largest ‖ε‖²/expm1(‖z‖²/σ²) (A eq. 6).
// index holds the indices of the examples, which seed their random numbers; factors holds
// the decompositions of their Jacobians, or is nil; sigma is the effective standard
// deviation of the noise.
//
// A start is drawn near a corner of the domain and moved within it so that ‖Jε‖ shrinks, J
// being the Jacobian at θ. Several multiples of it are tried, and the most promising is
// taken. Gauss-Newton steps with J at θ+ε, again within the domain, then reduce z.
func (o FarOptions) search(ctx context.Context, m nn.Model, eps, theta []float32, index []int64, factors []*Factors, sigma float64) error {
	p, n := m.Dims()
	size := max(1, farRows(p, n)/o.Starts)
	for lo := 0; lo < len(index); lo += size {
		hi := min(len(index), lo+size)
		s := newFarSearch(o, m, eps[lo*o.Starts*p:hi*o.Starts*p], theta[lo*p:hi*p], sigma)
		var fs []*Factors
		if factors != nil {
			fs = factors[lo:hi]
		}
		if err := s.run(ctx, index[lo:hi], fs); err != nil {
			return err
		}
	}
	return nil
}

// farRows is the number of points that are searched together: enough to keep a matrix
// product busy, few enough for their storage to fit the budget.
func farRows(p, n int) int { return max(1, min(256, rowBudget/(p+n))) }

// surroundings are what a search knows of some inputs: where their perturbations ε may lie, and
// their features. A row is a witness of one of them.
type surroundings struct {
	model     nn.Model
	sigma     float64
	p, n      int
	each      int       // rows of each input
	theta     []float32 // [inputs, p]
	low, high []float32 // [inputs, p]: the box of ε
	a0        []float32 // [inputs, n]: features at θ
}

func newSurroundings(m nn.Model, d Domain, theta []float32, each int, sigma float64) surroundings {
	p, n := m.Dims()
	s := surroundings{model: m, sigma: sigma, p: p, n: n, each: each, theta: theta}
	s.low, s.high, s.a0 = make([]float32, len(theta)), make([]float32, len(theta)), make([]float32, len(theta)/p*n)
	for i, t := range theta {
		s.low[i], s.high[i] = d.ends(i%p, t)
	}
	s.model.Forward(s.a0, theta)
	return s
}

// input returns the input that a row is a witness of.
func (s *surroundings) input(row int) int { return row / s.each }

// box returns the limits of ε of a row.
func (s *surroundings) box(row int) (low, high []float32) {
	return rowOf(s.low, s.input(row), s.p), rowOf(s.high, s.input(row), s.p)
}

// clip moves ε of a row into the box.
func (s *surroundings) clip(row int, e []float32) {
	low, high := s.box(row)
	simd.ClipBetween(e, e, low, high)
}

// ends returns the least and the largest float32 e that keep t + e in interval i.
func (d Domain) ends(i int, t float32) (low, high float32) {
	if d.Low == nil {
		return -math.MaxFloat32, math.MaxFloat32
	}
	return d.nearest(i, t, -math.MaxFloat32), d.nearest(i, t, math.MaxFloat32)
}

// farSearch is the search for the witnesses of some inputs together.
type farSearch struct {
	surroundings
	options FarOptions
	floor   []float64 // [inputs]: the least ‖z‖ that float32 resolves

	eps, z []float32 // [rows, p], [rows, n]: where the search is
	best   []float32 // [rows, p]: the best witness so far
	score  []float64 // [rows]: its value
	stuck  []bool    // [rows]: no step led on
	open   []int     // the rows that are still searched

	x, point, room, step []float32 // [open, p]: trials, θ+ε, the rooms in the box, Gauss-Newton steps
	a                    []float32 // [open, n]: the features' shift at the trials
}

// newFarSearch begins a search. The best witnesses will be in out.
func newFarSearch(o FarOptions, m nn.Model, out, theta []float32, sigma float64) *farSearch {
	s := &farSearch{surroundings: newSurroundings(m, o.Domain, theta, o.Starts, sigma), options: o, best: out}
	rows := len(out) / s.p
	clear(out)
	for _, v := range []*[]float32{&s.eps, &s.x, &s.point, &s.room, &s.step} {
		*v = make([]float32, rows*s.p)
	}
	s.z, s.a = make([]float32, rows*s.n), make([]float32, rows*s.n)
	s.score, s.open, s.stuck = slices.Repeat([]float64{math.Inf(-1)}, rows), nn.Indices(rows), make([]bool, rows)
	for a := range slices.Chunk(s.a0, s.n) {
		s.floor = append(s.floor, max(norm32(a)*farFloor, math.SmallestNonzeroFloat32))
	}
	return s
}

// rowOf returns row i of x, rows of width w.
func rowOf[T any](x []T, i, w int) []T { return x[i*w : (i+1)*w] }

// run searches from every start and stores what it finds in best.
func (s *farSearch) run(ctx context.Context, index []int64, factors []*Factors) error {
	s.draw(index)
	s.hide(ctx, factors)
	s.scan(ctx)
	for k := range farSteps {
		if err := ctx.Err(); err != nil {
			return err
		}
		if s.close(k); len(s.open) == 0 {
			return nil
		}
		s.correct(ctx)
		s.advance(ctx)
	}
	return ctx.Err()
}

// draw puts every start near a random corner of the box.
func (s *farSearch) draw(index []int64) {
	parallel(len(s.open), func(row int) {
		g := run.Rand(s.options.Seed, int(index[s.input(row)]), row%s.each)
		low, high := s.box(row)
		for j := range low {
			from, to := max(low[j], -farReach), min(high[j], farReach)
			if g.Uint32()&1 == 0 {
				from, to = to, from
			}
			s.eps[row*s.p+j] = from + farMargin*(to-from)
		}
	})
}

// measure overwrites w with the distance of each entry of ε of a row from the nearer face
// of the box.
func (s *farSearch) measure(w []float32, row int, e []float32) {
	low, high := s.box(row)
	for j, v := range e {
		w[j] = max(min(v-low[j], high[j]-v, farReach), 0)
	}
}

// scan scales every row to the most promising multiple of its start: 1, 1/2, 1/4 and so
// on, and finally the one at which ‖z‖, by then proportional to ‖ε‖, is farWithin·σ.
func (s *farSearch) scan(ctx context.Context) {
	chosen := make([]float64, len(s.open))
	for i := range chosen {
		chosen[i] = math.Inf(-1)
	}
	copy(s.x, s.eps)
	for range farScales {
		s.evaluate(ctx)
		s.take(chosen, farHidden)
		simd.Scale(.5, s.x)
	}
	for row := range s.open {
		shrink := farWithin * s.sigma / norm32(rowOf(s.a, row, s.n))
		simd.Scale(float32(2*min(1, shrink)), rowOf(s.x, row, s.p))
	}
	s.evaluate(ctx)
	s.take(chosen, farHidden)
}

// evaluate overwrites a with the shift of the features at the trials.
func (s *farSearch) evaluate(ctx context.Context) {
	points := s.points(s.x)
	for lo, most := 0, certifyRowsOf(s.p, s.n); lo < len(s.open) && ctx.Err() == nil; lo += most {
		hi := min(len(s.open), lo+most)
		s.model.Forward(s.a[lo*s.n:hi*s.n], points[lo*s.p:hi*s.p])
	}
	parallel(len(s.open), func(k int) {
		a := rowOf(s.a, k, s.n)
		simd.Combine(a, a, rowOf(s.a0, s.input(s.open[k]), s.n), 1, -1, 0)
	})
}

// points returns θ+e of the open rows, e being [open, p].
func (s *farSearch) points(e []float32) []float32 {
	parallel(len(s.open), func(k int) {
		simd.Add(rowOf(s.point, k, s.p), rowOf(e, k, s.p), rowOf(s.theta, s.input(s.open[k]), s.p))
	})
	return s.point[:len(s.open)*s.p]
}

// take moves every open row to its trial if the trial's value, with hidden added to
// ‖z‖²/σ², exceeds chosen. It also updates the best witness of each row.
func (s *farSearch) take(chosen []float64, hidden float64) {
	parallel(len(s.open), func(k int) {
		row := s.open[k]
		x, a := rowOf(s.x, k, s.p), rowOf(s.a, k, s.n)
		norm, z, floor := norm32(x), norm32(a), s.floor[s.input(row)]
		if v := s.value(norm, z, floor, 0); v > s.score[row] {
			s.score[row] = v
			copy(rowOf(s.best, row, s.p), x)
		}
		if v := s.value(norm, z, floor, hidden); v > chosen[k] {
			chosen[k] = v
			copy(rowOf(s.eps, row, s.p), x)
			copy(rowOf(s.z, row, s.n), a)
		}
	})
}

// value returns the logarithm of the value of a witness, ‖ε‖²/expm1(q), or −Inf if that is
// 0.
func (s *farSearch) value(norm, z, floor, hidden float64) float64 {
	z, floor = z/s.sigma, floor/s.sigma
	q := z*z + floor*floor + hidden
	if !(q < 700) || !(norm > 0) {
		return math.Inf(-1)
	}
	return 2*math.Log(norm) - math.Log(math.Expm1(q))
}

// close ends the search of rows that no step improves, of rows whose features move by no
// more than float32 resolves, and of all but the best rows of every example: one in
// farPart is kept before the first step, half as many before each further step, at least
// two. A few good witnesses prove more than many fair ones.
func (s *farSearch) close(step int) {
	starts := s.options.Starts
	keep := max(min(2, starts), starts/farPart>>step)
	open, row := s.open[:0], s.ranking()
	for i := range s.floor {
		for _, r := range rowOf(row, i, starts)[:keep] {
			if !s.stuck[r] && norm32(rowOf(s.z, r, s.n)) > s.floor[i] {
				open = append(open, r)
			}
		}
	}
	slices.Sort(open)
	s.open = open
}

// ranking lists the rows of each example, the best witness first.
func (s *farSearch) ranking() []int {
	rows := nn.Indices(len(s.score))
	for i := range s.floor {
		slices.SortStableFunc(rowOf(rows, i, s.options.Starts), func(a, b int) int { return cmp.Compare(s.score[b], s.score[a]) })
	}
	return rows
}
