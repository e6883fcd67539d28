package bound

import (
	"context"
	"sync"
)

// witnesses seeks the witnesses of one block for rows first to last of the record.
func (r *runner) witnesses(ctx context.Context, s *certified, rec *examples, b *batch, first, last int, tell func(part float64)) error {
	width := s.each * rec.p
	switch s.name {
	case farName:
		e := r.experiment
		return e.Far.search(ctx, r.model, s.eps[first*width:last*width], b.theta, rec.index[first:last], b.factors, e.Scale(), tell)
	case barankinName:
		r.gather(s, rec, b, first, last)
		return ctx.Err()
	case twinName:
		return r.twins(ctx, s, rec, first, last, tell)
	}
	eps := s.eps[first*width : last*width]
	if err := r.searcher.search(ctx, eps, b, s.size, tell); err != nil {
		return err
	}
	r.experiment.replaceVoid(eps, b.theta, s.size)
	return nil
}

// gather fills in the witnesses that are combined: far ones in the last rows, half
// of all at most, and before them those along singular directions, or the search's
// of the first size where J was not decomposed or is zero.
func (r *runner) gather(s *certified, rec *examples, b *batch, first, last int) {
	p, far, scale := rec.p, rec.block(farName), r.experiment.Scale()
	count := 0
	if far != nil && !r.experiment.Barankin.Near {
		count = min(far.each, s.each/2)
	}
	parallel(last-first, func(i int) {
		row := first + i
		eps := s.eps[row*s.each*p : (row+1)*s.each*p]
		near := eps[:(s.each-count)*p]
		if b.factors != nil && b.factors[i].Rank() > 0 {
			b.factors[i].near(near, b.theta[i*p:(i+1)*p], s.domain, scale)
		} else {
			of := rec.blocks[0]
			copy(near, of.eps[row*of.each*p:(row+1)*of.each*p])
		}
		if count > 0 {
			copy(eps[len(near):], far.eps[row*far.each*p:])
		}
	})
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
	parallel(last-first, func(i int) {
		row := first + i
		var target []float32
		mu.Lock() // a Source need not be safe for concurrent use
		if t := make([]float32, p); o.Target(t, data, int(rec.index[row]), int(rec.label[row])) {
			target = t
		}
		mu.Unlock()
		_, err := r.finder.Find(ctx, s.eps64[row*2*p:(row+1)*2*p], rec.theta[row*p:(row+1)*p], target)
		mu.Lock()
		defer mu.Unlock()
		if err != nil && failed == nil {
			failed = err
		}
		done++
		tell(float64(done) / float64(last-first))
	})
	return failed
}
