package bound

import (
	"context"
	"math"
	"slices"
	"strings"

	"tattle/nn"
	"tattle/run"
)

// searcher returns the search of a resolved experiment.
func (e Experiment) searcher(m nn.Model) searcher {
	switch e.Search.Search {
	case Published:
		return &published{model: m, options: e.Search, domain: e.Domain}
	case Algorithm1:
		return &repeats{model: m, options: e.Search, domain: e.Domain, inverse: newMatrixFree(m, e.Search)}
	}
	return &repeats{model: m, options: e.Search, domain: e.Domain, inverse: newExplicit(m)}
}

// examples computes shard i.
func (r *runner) examples(ctx context.Context, i int) (*examples, error) {
	r.computing.Lock()
	defer r.computing.Unlock()
	p, _ := r.model.Dims()
	lo, hi := r.span(i)
	r.searcher.spent() // of a shard that was given up
	rec := r.experiment.layout(p)
	rec.first = lo
	rec.grow(hi-lo, !r.experiment.SkipCramerRao)
	for k, index := range r.indices[lo:hi] {
		rec.index[k], rec.label[k] = int64(index), int64(r.data.Label(index))
	}
	r.data.Examples(rec.theta, r.indices[lo:hi])
	size := r.size
	if r.experiment.Search.Search == Published {
		size = hi - lo
	}
	var spectra [][]float64
	for first := 0; first < hi-lo; first += size {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		last := min(hi-lo, first+size)
		done := float64(first)
		s, err := r.batch(ctx, rec, first, last, func(part float64) { r.progress(i, done+part*float64(last-first)) })
		if err != nil {
			return nil, err
		}
		spectra = append(spectra, s...)
		r.progress(i, float64(last))
	}
	rec.setSpectra(spectra)
	rec.effort = r.searcher.spent()
	return rec, nil
}

func (e *examples) setSpectra(spectra [][]float64) {
	for _, s := range spectra {
		e.width = max(e.width, len(s))
	}
	e.spectrum = make([]float64, len(spectra)*e.width)
	for i, s := range spectra {
		copy(e.spectrum[i*e.width:], s)
	}
}

// batch computes rows first to last of the record, and returns their spectra. It tells
// what part of them is done.
func (r *runner) batch(ctx context.Context, rec *examples, first, last int, tell func(part float64)) (spectra [][]float64, err error) {
	e, p, parts := r.experiment, rec.p, len(rec.blocks)
	if rec.estimated != nil {
		parts++
	}
	b := &batch{theta: rec.theta[first*p : last*p], start: r.start(rec.index[first:last])}
	if r.explicit {
		if b.factors, err = r.factors(ctx, b.theta); err != nil {
			return nil, err
		}
		parts++
		tell(1 / float64(parts))
	}
	if !e.SkipCramerRao {
		spectra = rec.cramerRao(b.factors, e, first)
	}
	if rec.estimated != nil {
		if err := r.estimate(ctx, rec, first, last, func(part float64) { tell(part / float64(parts)) }); err != nil {
			return nil, err
		}
	}
	for i, s := range rec.blocks {
		tellBlock := func(part float64) { tell((float64(parts-len(rec.blocks)+i) + part) / float64(parts)) }
		if err := r.witnesses(ctx, s, rec, b, first, last, tellBlock); err != nil {
			return nil, err
		}
		if err := s.certify(ctx, r.certifier, e.Coordinates, rec.theta, first, last); err != nil {
			return nil, err
		}
	}
	return spectra, nil
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
	x := make([]float64, len(theta))
	for i, v := range theta {
		x[i] = float64(v)
	}
	p, n := m.Dims()
	return factorAll(ctx, jacobians(ctx, m.Linearize64(x), len(x)/p, p, n), Jacobian.complete)
}

// factorAll decomposes Jacobians on all cores.
func factorAll(ctx context.Context, js []Jacobian, factor func(Jacobian, context.Context) (*Factors, error)) ([]*Factors, error) {
	fs, errs := make([]*Factors, len(js)), make([]error, len(js))
	one := func(i int) {
		if ctx.Err() == nil {
			fs[i], errs[i] = factor(js[i], ctx)
		}
	}
	if slices.ContainsFunc(js, Jacobian.large) { // each uses all cores, and much memory
		for i := range js {
			one(i)
		}
	} else {
		parallel(len(js), one)
	}
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	if i := slices.IndexFunc(errs, func(err error) bool { return err != nil }); i >= 0 {
		return nil, errs[i]
	}
	return fs, nil
}

// cramerRao fills in the figures of rows from first on, and returns the singular
// values.
func (e *examples) cramerRao(factors []*Factors, x Experiment, first int) [][]float64 {
	spectra := make([][]float64, len(factors))
	parallel(len(factors), func(i int) {
		f, row := factors[i], first+i
		cr := f.CramerRao(x.Coordinates, x.Scale())
		copy(e.axis[row*e.m:], cr.Axis)
		copy(e.full[row*e.m:], cr.Full)
		copy(e.seen[row*e.m:], cr.Seen)
		e.rank[row] = int32(f.Rank())
		spectra[i] = f.S
	})
	return spectra
}
