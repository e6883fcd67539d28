package bound

import (
	"context"
	"math"
	"slices"

	"tattle/internal/engine/nn"
	"tattle/internal/run"
)

// A batch is the record of a few examples whose witnesses are searched together.
type batch struct {
	*record
	start    []float32   // [examples, restarts, n]: z⁰ for size 1, entries N(0, σ²/n)
	factors  []*Factors  // of each example's J; nil unless the search or a Cramér-Rao bound needs them
	inverses [][]float32 // (J⁺)ᵀ of each example; nil before they are needed
	gramian  *gramian    // of the only example, for the search Cholesky; nil if its J is zero
}

// jacobians decomposes or factorizes the Jacobians of a batch, as far as the searches and the Cramér-Rao figures need them.
// closeFiles takes and returns the error of what followed.
func (r *runner) jacobians(ctx context.Context, rec *record) (b *batch, closeFiles func(error) error, err error) {
	b, closeFiles = &batch{record: rec, start: r.start(rec.index)}, func(err error) error { return err }
	if err := ctx.Err(); err != nil {
		return nil, nil, err
	}
	if r.experiment.Search.Search == Cholesky {
		closeFiles, err = r.factorLarge(ctx, b)
	} else if r.explicit {
		b.factors, err = r.factors(ctx, rec.theta)
	}
	if err == nil && rec.cramerRao {
		rec.fillCramerRao(b.factors, r.experiment)
	}
	return b, closeFiles, err
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
