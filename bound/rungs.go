package bound

import (
	"context"
	"math"
	"sync"
)

// witnesses seeks the witnesses of one block for rows first to last of the record.
func (r *runner) witnesses(ctx context.Context, s *certified, rec *examples, b *batch, first, last int, tell func(part float64)) error {
	if s.name == twinName {
		return r.twins(ctx, s, rec, first, last, tell)
	}
	width, later := s.each*rec.p, tell
	if !s.double {
		return r.seek(ctx, s, rec, b, s.eps[first*width:last*width], first, last, tell)
	}
	if s.name == farName {
		tell, later = halves(tell)
	}
	eps := make([]float32, (last-first)*width)
	if err := r.seek(ctx, s, rec, b, eps, first, last, tell); err != nil {
		return err
	}
	s.round(rec, first, last, widened64(eps))
	if s.name != farName {
		return ctx.Err()
	}
	return r.refine(ctx, s, rec, first, last, 1, later) // the others are worth less
}

// seek overwrites eps, [rows, each, p], with witnesses in the box of the domain.
func (r *runner) seek(ctx context.Context, s *certified, rec *examples, b *batch, eps []float32, first, last int, tell func(part float64)) error {
	e := r.experiment
	switch s.name {
	case farName:
		return e.Far.search(ctx, r.model, eps, b.theta, rec.index[first:last], b.factors, e.Scale(), tell)
	case barankinName:
		r.gather(eps, s, rec, b, first, last)
		return ctx.Err()
	}
	if err := r.searcher.search(ctx, eps, b, s.size, tell); err != nil {
		return err
	}
	e.replaceVoid(eps, b.theta, s.size)
	return nil
}

// round puts what was found for rows first to last, [rows, each, p], on the grid.
func (s *certified) round(rec *examples, first, last int, eps []float64) {
	p := rec.p
	parallel((last-first)*s.each, func(k int) {
		s.domain.round(rowOf(s.eps64, first*s.each+k, p), rowOf(rec.theta, first+k/s.each, p), rowOf(eps, k, p))
	})
}

// refine moves the best of what rounding made of rows first to last, most of an example,
// along the grid.
func (r *runner) refine(ctx context.Context, s *certified, rec *examples, first, last, most int, tell func(part float64)) error {
	p, e := rec.p, r.experiment
	_, n := r.model.Dims()
	var theta []float32
	for i := first; i < last; i++ {
		for range s.each {
			theta = append(theta, rowOf(rec.theta, i, p)...)
		}
	}
	hidden := 2 * s.runtime * math.Sqrt(float64(n))
	return s.domain.refine(ctx, r.model, s.eps64[first*s.each*p:last*s.each*p], theta, e.Scale(), hidden, s.each, most, tell)
}

// gather fills in the witnesses that are combined: far ones in the last rows, half
// of all at most, and before them those along singular directions, or the search's
// of the first size where J was not decomposed or is zero.
func (r *runner) gather(dst []float32, s *certified, rec *examples, b *batch, first, last int) {
	p, far, scale := rec.p, rec.block(farName), r.experiment.Scale()
	_, n := r.model.Dims()
	count := 0
	if far != nil && !r.experiment.Barankin.Near {
		count = min(far.each, s.each/2)
	}
	parallel(last-first, func(i int) {
		row := first + i
		eps := rowOf(dst, i, s.each*p)
		near := eps[:(s.each-count)*p]
		if b.factors != nil && b.factors[i].Rank() > 0 {
			b.factors[i].near(near, b.theta[i*p:(i+1)*p], s.domain, s.nearSize(n, scale), scale)
		} else {
			narrow(near, rec.blocks[0].of(row, p))
		}
		if count > 0 {
			narrow(eps[len(near):], far.of(row, p))
		}
	})
}

// halves splits progress between a search and what follows it.
func halves(tell func(part float64)) (search, later func(part float64)) {
	return func(part float64) { tell(part / 2) }, func(part float64) { tell(.5 + part/2) }
}

// of returns the witnesses of an example, [each, p].
func (s *certified) of(row, p int) []float64 {
	if s.double {
		return rowOf(s.eps64, row, s.each*p)
	}
	return widened64(rowOf(s.eps, row, s.each*p))
}

// narrow copies as many numbers as there are in both.
func narrow(dst []float32, x []float64) {
	for i := range min(len(dst), len(x)) {
		dst[i] = float32(x[i])
	}
}

// twins seeks twins of the examples that are to be tried.
func (r *runner) twins(ctx context.Context, s *certified, rec *examples, first, last int, tell func(part float64)) error {
	o, p := r.experiment.Twins, rec.p
	last = min(last, o.Examples-rec.first)
	if last <= first {
		return nil
	}
	if r.finder == nil {
		var err error
		if r.finder, err = newTwinFinder(r.model, o.Domain); err != nil {
			return err
		}
	}
	data := o.Toward
	if data == nil {
		data = r.data
	}
	var mu sync.Mutex
	var failed error
	done := 0
	eps, later := s.eps64[first*2*p:last*2*p], tell
	if s.domain.Grid != nil {
		eps = make([]float64, len(eps))
		tell, later = halves(tell)
	}
	parallel(last-first, func(i int) {
		row := first + i
		var target []float32
		mu.Lock() // a Source need not be safe for concurrent use
		if t := make([]float32, p); o.Target(t, data, int(rec.index[row]), int(rec.label[row])) {
			target = t
		}
		mu.Unlock()
		_, err := r.finder.Find(ctx, rowOf(eps, i, 2*p), rec.theta[row*p:(row+1)*p], target)
		mu.Lock()
		defer mu.Unlock()
		if err != nil && failed == nil {
			failed = err
		}
		done++
		tell(float64(done) / float64(last-first))
	})
	if failed != nil || s.domain.Grid == nil {
		return failed
	}
	s.round(rec, first, last, eps)
	return r.refine(ctx, s, rec, first, last, s.each, later)
}
