package bound

import (
	"context"
	"math"
	"slices"
	"strings"

	"tattle/internal/engine/nn"
	"tattle/internal/run"
)

// searcher returns the search of a resolved experiment.
func (e Experiment) searcher(m nn.Model) searcher {
	p, n := m.Dims()
	by := &repeats{model: m, options: e.Search, domain: e.Domain, inverse: &explicit{p: p, n: n}}
	switch e.Search.Search {
	case Published:
		return &published{model: m, options: e.Search, domain: e.Domain}
	case Algorithm1:
		by.inverse = &matrixFree{model: m}
	case Cholesky:
		by.inverse = &factored{p: p, n: n}
	}
	return by
}

// examples computes shard i.
func (r *runner) examples(ctx context.Context, i int) (*record, error) {
	r.computing.Lock()
	defer r.computing.Unlock()
	lo, hi := r.span(i)
	rec := r.experiment.newRecord()
	rec.first = lo
	rec.columns().grow(hi - lo)
	for k, index := range r.indices[lo:hi] {
		rec.index[k], rec.label[k] = int64(index), int64(r.data.Label(index))
	}
	r.data.Examples(rec.theta, r.indices[lo:hi])
	size := r.size
	if r.experiment.Search.Search == Published {
		size = hi - lo
	}
	for first := 0; first < hi-lo; first += size {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		last := min(hi-lo, first+size)
		done := float64(first)
		err := r.batch(ctx, rec.rows(first, last), func(part float64) {
			r.count(func(t *tally) { t.shard, t.done = i, done+part*float64(last-first) })
		})
		if err != nil {
			return nil, err
		}
		r.count(func(t *tally) { t.shard, t.done = i, float64(last) })
	}
	return rec, nil
}

// batch computes the examples of rec together. It calls progress with the part that is done of the searches for witnesses.
func (r *runner) batch(ctx context.Context, rec *record, progress func(part float64)) (err error) {
	b := &batch{record: rec, start: r.start(rec.index)}
	if r.experiment.Search.Search == Cholesky {
		closeFiles, failed := r.factorLarge(ctx, b)
		if failed != nil {
			return failed
		}
		defer func() { err = closeFiles(err) }()
	}
	if r.explicit {
		if b.factors, err = r.factors(ctx, rec.theta); err != nil {
			return err
		}
	}
	if rec.cramerRao {
		rec.fillCramerRao(b.factors, r.experiment)
	}
	for k, s := range rec.sets {
		report := func(part float64) { progress((float64(k) + part) / float64(len(rec.sets))) }
		if err := s.kind.seek(ctx, r, s, b, report); err != nil {
			return err
		}
		if err := s.certify(ctx, r.certifier, r.experiment.Coordinates, rec.theta); err != nil {
			return err
		}
	}
	return nil
}

// sentences makes notes into sentences.
func sentences(notes []string) []string {
	var out []string
	for _, s := range notes {
		out = append(out, strings.ToUpper(s[:1])+s[1:]+".")
	}
	return out
}

// start draws the starting vectors for size 1.
func (r *runner) start(index []int64) []float32 {
	_, n := r.model.Dims()
	restarts := r.experiment.Search.Restarts
	scale := r.experiment.Scale() / math.Sqrt(float64(n))
	out := make([]float32, len(index)*restarts*n)
	parallel(len(index), func(i int) {
		for k := range restarts {
			g := run.Rand(r.experiment.Search.Seed, int(index[i]), k)
			z := out[(i*restarts+k)*n : (i*restarts+k+1)*n]
			for j := range z {
				z[j] = float32(g.NormFloat64() * scale)
			}
		}
	})
	return out
}

// factors decomposes the Jacobians at theta, a batch of examples at a time.
func (r *runner) factors(ctx context.Context, theta []float32) ([]*Factors, error) {
	p, _ := r.model.Dims()
	var all []*Factors
	for lo := 0; lo < len(theta); lo += r.size * p {
		fs, err := factorsAt(ctx, r.model, theta[lo:min(len(theta), lo+r.size*p)])
		if err != nil {
			return nil, err
		}
		all = append(all, fs...)
	}
	return all, nil
}

func factorsAt(ctx context.Context, m nn.Model, theta []float32) ([]*Factors, error) {
	p, n := m.Dims()
	return factorAll(ctx, jacobians(ctx, m.Linearize64(nn.Float64s(theta)), len(theta)/p, p, n), Jacobian.complete)
}

// factorAll decomposes Jacobians on all cores.
func factorAll(ctx context.Context, js []Jacobian, factor func(Jacobian, context.Context) (*Factors, error)) ([]*Factors, error) {
	fs := make([]*Factors, len(js))
	one := func(i int) (err error) {
		if err = ctx.Err(); err == nil {
			fs[i], err = factor(js[i], ctx)
		}
		return err
	}
	if !slices.ContainsFunc(js, Jacobian.large) {
		return fs, tryParallel(len(js), one)
	}
	for i := range js { // each uses all cores, and much memory
		if err := one(i); err != nil {
			return nil, err
		}
	}
	return fs, nil
}

// fillCramerRao fills in the Cramér-Rao figures and the singular values.
func (e *record) fillCramerRao(factors []*Factors, x Experiment) {
	parallel(len(factors), func(i int) {
		f := factors[i]
		cr := f.CramerRao(x.Coordinates, x.Scale())
		copy(rowOf(e.figures.Axis, i, e.m), cr.Axis)
		copy(rowOf(e.figures.Full, i, e.m), cr.Full)
		copy(rowOf(e.figures.Seen, i, e.m), cr.Seen)
		e.rank[i] = int32(f.Rank())
		copy(rowOf(e.spectrum, i, e.p), f.S)
	})
}
