package bound

import (
	"context"
	"math"

	"tattle/internal/engine/nn"
)

// witnesses fills in s, one kind of witness of the batch.
func (r *runner) witnesses(ctx context.Context, s *Bounds, b *batch, progress func(part float64)) error {
	switch {
	case s.Search == SearchTwins:
		return r.twins(ctx, s, b)
	case s.Search == SearchPairs:
		return r.pairs(ctx, s, b)
	case !s.double:
		return r.seek(ctx, s, b, s.eps, progress)
	}
	eps := make([]float32, len(s.eps64))
	if err := r.seek(ctx, s, b, eps, progress); err != nil {
		return err
	}
	s.round(b.theta, nn.Float64s(eps), b.p)
	if s.Search != SearchFar {
		return ctx.Err()
	}
	return r.refine(ctx, s, b, 1) // of each example the best one; the others are worth less
}

// seek overwrites eps, [examples, each, p], with witnesses in the box of the domain.
func (r *runner) seek(ctx context.Context, s *Bounds, b *batch, eps []float32, progress func(part float64)) error {
	e := r.experiment
	switch s.Search {
	case SearchFar:
		return e.Far.search(ctx, r.model, eps, b.theta, b.index, b.factors, e.Scale())
	case SearchCombined:
		factors := b.factors
		if b.gramian != nil {
			f, err := b.gramian.smallest(ctx, s.Witnesses, e.Search.Seed, int(b.index[0]))
			if err != nil {
				return err
			}
			factors = []*Factors{f}
		}
		r.gather(eps, s, b, factors)
		return ctx.Err()
	}
	if err := r.searcher.search(ctx, eps, b, s.Size, progress); err != nil {
		return err
	}
	e.replaceVoid(eps, b.theta, s.Size)
	return nil
}

// round puts the perturbations eps, [rows, each, p], of the inputs theta on the grid.
func (s *Bounds) round(theta []float32, eps []float64, p int) {
	parallel(len(eps)/p, func(k int) {
		s.domain.Round(rowOf(s.eps64, k, p), rowOf(theta, k/s.Witnesses, p), rowOf(eps, k, p))
	})
}

// refine moves the best witnesses of each example, most of them, along the grid.
func (r *runner) refine(ctx context.Context, s *Bounds, b *batch, most int) error {
	_, n := r.model.Dims()
	theta := make([]float32, 0, len(s.eps64))
	for i := range b.index {
		for range s.Witnesses {
			theta = append(theta, rowOf(b.theta, i, b.p)...)
		}
	}
	hidden := 2 * s.runtime * math.Sqrt(float64(n))
	return s.domain.refine(ctx, r.model, s.eps64, theta, r.experiment.Scale(), hidden, s.Witnesses, most)
}

// gather fills in the witnesses that are combined. The last rows, at most half, are far
// witnesses; the others lie along singular directions, or are the search's of the first
// size if J was not decomposed or is zero.
func (r *runner) gather(dst []float32, s *Bounds, b *batch, factors []*Factors) {
	p, far, scale := b.p, b.set(SearchFar), r.experiment.Scale()
	_, n := r.model.Dims()
	count := 0
	if far != nil && !r.experiment.Barankin.Near {
		count = min(far.Witnesses, s.Witnesses/2)
	}
	parallel(len(b.index), func(i int) {
		eps := rowOf(dst, i, s.Witnesses*p)
		near := eps[:(s.Witnesses-count)*p]
		if factors != nil && factors[i].Rank() > 0 {
			factors[i].near(near, rowOf(b.theta, i, p), s.domain, s.nearSize(n, scale), scale)
		} else {
			narrow(near, b.sets[0].of(i, p))
		}
		if count > 0 {
			narrow(eps[len(near):], far.of(i, p))
		}
	})
}

// of returns the witnesses of example i, [each, p].
func (s *Bounds) of(i, p int) []float64 {
	if s.double {
		return rowOf(s.eps64, i, s.Witnesses*p)
	}
	return nn.Float64s(rowOf(s.eps, i, s.Witnesses*p))
}

// narrow copies as many numbers as there are in both.
func narrow(dst []float32, x []float64) {
	for i := range min(len(dst), len(x)) {
		dst[i] = float32(x[i])
	}
}

// twins fills in the twins of those examples of the batch that the options choose.
func (r *runner) twins(ctx context.Context, s *Bounds, b *batch) error {
	o := r.experiment.Twins
	n := min(len(b.index), o.Examples-b.first)
	if n <= 0 {
		return nil
	}
	if n < len(b.index) { // the others have none
		some := *b
		some.record = b.rows(0, n)
		b, s = &some, some.set(SearchTwins)
	}
	if s.domain.Grid == nil {
		return r.findTwins(ctx, s.eps64, b)
	}
	eps := make([]float64, len(s.eps64))
	if err := r.findTwins(ctx, eps, b); err != nil {
		return err
	}
	s.round(b.theta, eps, b.p)
	return r.refine(ctx, s, b, s.Witnesses)
}

// findTwins overwrites eps, [examples, 2, p], with twins in real arithmetic.
func (r *runner) findTwins(ctx context.Context, eps []float64, b *batch) error {
	targets := make([][]float32, len(b.index)) // nil where all labels are the same
	for i := range targets {
		if k := r.experiment.Twins.targetIndex(r.data, int(b.index[i]), int(b.label[i])); k >= 0 {
			targets[i] = make([]float32, b.p)
			r.data.Examples(targets[i], []int{k})
		}
	}
	return tryParallel(len(b.index), func(i int) error {
		_, err := r.front.finder.find(ctx, rowOf(eps, i, 2*b.p), rowOf(b.theta, i, b.p), targets[i])
		return err
	})
}
