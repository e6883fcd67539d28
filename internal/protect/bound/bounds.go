package bound

import (
	"context"
	"math"
	"strings"

	"tattle/internal/engine/nn"
)

// A kind is a kind of witness: near, FarOptions, BarankinOptions, TwinOptions or PairOptions.
type kind interface {
	// seek seeks the witnesses s of the examples of a batch, and keeps them. It reports the part that is done.
	seek(ctx context.Context, r *runner, s *Bounds, b *batch, progress func(part float64)) error
}

// witnessSets lists the kinds of witnesses of a resolved experiment.
func (e Experiment) witnessSets() (all []*Bounds) {
	for _, size := range e.Sizes {
		all = append(all, &Bounds{kind: near{}, name: SizeName(size), Search: e.Search.Search, Size: size, Witnesses: e.Search.Restarts, domain: e.Domain})
	}
	if e.Far.Starts > 0 {
		all = append(all, &Bounds{kind: e.Far, name: "far", Search: SearchFar, Witnesses: e.Far.Starts, domain: e.Far.Domain, counted: true})
	}
	if e.Barankin.Witnesses > 0 {
		far := e.Far.Starts > 0 && !e.Barankin.Near
		all = append(all, &Bounds{kind: e.Barankin, name: "barankin", Search: SearchCombined, Witnesses: e.Barankin.Witnesses, domain: e.Domain, counted: far})
	}
	if e.Twins.Examples > 0 {
		all = append(all, &Bounds{kind: e.Twins, name: "twin", Search: SearchTwins, Witnesses: 2, domain: e.Twins.Domain, double: true, counted: true})
	}
	if e.Pairs.Witnesses > 0 {
		each := e.Pairs.Witnesses + e.Pairs.groups(e.Coordinates.Len())
		all = append(all, &Bounds{kind: e.Pairs, name: "pair", Search: SearchPairs, Witnesses: each, domain: e.Pairs.Domain, counted: true})
	}
	for _, s := range all {
		s.counted = s.counted || e.lattice()
		s.runtime = e.Runtime.Error
		s.double = s.double || s.domain.Grid != nil
	}
	return all
}

// refine moves the best witnesses of each of the inputs theta, most of them, along the grid, if there is one.
func (r *runner) refine(ctx context.Context, s *Bounds, theta []float32, most int) error {
	if s.domain.Grid == nil {
		return ctx.Err()
	}
	_, n := r.model.Dims()
	hidden := 2 * s.runtime * math.Sqrt(float64(n))
	return s.domain.refine(ctx, r.model, s.eps64, theta, r.experiment.Scale(), hidden, s.Witnesses, most)
}

// Bounds are what one kind of witness proves: the near witnesses of one size, far witnesses, combined
// ones, twins, or those that are searched for pair floors.
type Bounds struct {
	Search     string    // of the witnesses: that of SearchOptions, SearchFar, SearchTwins, SearchPairs or SearchCombined
	Size       float64   // ‖z‖/σ of near witnesses; 0 for other kinds
	Witnesses  int       // of an example
	Tried      int       // examples whose witnesses were sought: the first ones
	Std        []float64 // [examples, m]: lower bounds on standard deviations, +Inf for unbounded
	MeanSquare []float64 // [examples]: A eq. (6), or the sum over an orthonormal basis
	Pair       PairFloor // what binds every adversary, biased or not; empty for combined witnesses

	kind    kind
	name    string // the prefix of the arrays' names, without the underscore
	domain  Domain
	double  bool    // they are stored in float64: twins, and exact differences of two stored inputs
	runtime float64 // how far the runtime's features may lie from real arithmetic
	counted bool    // that is allowed for at every witness, not only where the features hardly move

	eps   []float32 // [examples, Witnesses, p], the witnesses
	eps64 []float64 // instead, where they are stored in float64
	solve []float64 // [examples, Witnesses, Witnesses], B of the combination
}

// columns lists the arrays.
func (s *Bounds) columns(p, m int) columns {
	prefix := s.name + "_"
	pairPrefix := strings.TrimPrefix(prefix, "pair_")
	var cols columns
	if s.Search != SearchPairs {
		cols = append(cols,
			column{prefix + "std", []int{m}, slice(&s.Std)},
			column{prefix + "mean_square", nil, slice(&s.MeanSquare)})
	}
	if !s.joint() {
		cols = append(cols,
			column{pairPrefix + "pair_share", []int{s.Witnesses}, slice(&s.Pair.Share)},
			column{pairPrefix + "pair_floor", []int{m}, slice(&s.Pair.Std)},
			column{pairPrefix + "pair_mean_square", nil, slice(&s.Pair.MeanSquare)})
	}
	if s.double {
		cols = append(cols, column{prefix + "eps", []int{s.Witnesses, p}, slice(&s.eps64)})
	} else {
		cols = append(cols, column{prefix + "eps", []int{s.Witnesses, p}, slice(&s.eps)})
	}
	if s.joint() {
		cols = append(cols, column{prefix + "solve", []int{s.Witnesses, s.Witnesses}, slice(&s.solve)})
	}
	return cols
}

// rows returns the witnesses of examples lo to hi, in the same memory.
func (s *Bounds) rows(lo, hi, p, m int) *Bounds {
	v := *s
	v.columns(p, m).keep(lo, hi)
	return &v
}

// joint reports whether the witnesses are combined, too.
func (s *Bounds) joint() bool {
	_, combined := s.kind.(BarankinOptions)
	return combined
}

// of returns the witnesses of example i, [each, p].
func (s *Bounds) of(i, p int) []float64 {
	if s.double {
		return rowOf(s.eps64, i, s.Witnesses*p)
	}
	return nn.Float64s(rowOf(s.eps, i, s.Witnesses*p))
}

// keep stores witnesses of the first inputs theta, [rows, each, p]: on a grid, the nearest stored inputs.
func keep[T nn.Float](s *Bounds, theta []float32, found []T, p int) {
	parallel(len(found)/p, func(k int) {
		eps := rowOf(found, k, p)
		switch {
		case s.domain.Grid != nil:
			near := make([]float64, p)
			convert(near, eps)
			s.domain.Round(rowOf(s.eps64, k, p), rowOf(theta, k/s.Witnesses, p), near)
		case s.double:
			convert(rowOf(s.eps64, k, p), eps)
		default:
			convert(rowOf(s.eps, k, p), eps)
		}
	})
}

// convert copies as many numbers as there are in both.
func convert[A, B nn.Float](dst []A, x []B) {
	for i := range min(len(dst), len(x)) {
		dst[i] = A(x[i])
	}
}
