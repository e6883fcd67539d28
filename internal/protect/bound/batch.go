package bound

import (
	"context"
	"errors"
	"fmt"
	"math"
	"os"
	"slices"

	"tattle/internal/engine/nn"
	"tattle/internal/file"
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
		copy(rowOf(e.spectrum, i, e.p), f.S)
	})
}

// factorLarge computes the factor of the batch's only example, in files within the folder of the
// shards, where a run that was interrupted finds them; without such a folder, in a temporary one.
// closeFiles takes and returns the error of what followed. It removes the files unless a later
// run can use them.
func (r *runner) factorLarge(ctx context.Context, b *batch) (closeFiles func(error) error, err error) {
	dir, temporary := r.path(shardsDir, fmt.Sprintf("%s%06d", gramFolder, b.first)), r.options.Dir == ""
	if temporary {
		dir, err = os.MkdirTemp("", gramFolder)
	} else {
		err = r.options.Files.MkdirAll(dir)
	}
	if err != nil {
		return nil, err
	}
	unlock, err := file.Lock(dir)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", dir, err)
	}
	closeFiles = func(err error) error {
		unlock()
		if err != nil && !temporary {
			return err
		}
		return errors.Join(err, r.options.Files.RemoveAll(dir))
	}
	b.gramian, err = gramianAt(ctx, r.model, b.theta, r.options.Files, dir, r.spare)
	var disk *file.DiskError
	if errors.As(err, &disk) {
		err = &run.StoreError{Dir: dir, Err: disk.Err}
	}
	if err != nil {
		return nil, closeFiles(err)
	}
	return closeFiles, nil
}

// projectedValues is how many values of singular vectors along coordinates are held at once: 8 MB.
const projectedValues = 1 << 20

// CramerRao holds the Cramér-Rao figures of one example, or of several, [examples, m], for m
// coordinates: by linear algebra on J in float64, without a witness.
type CramerRao struct {
	// Axis[k] = σ/‖J w_k‖ (A eq. 28), for an adversary who knows all of θ but wᵀθ;
	// +Inf where J w_k = 0.
	Axis []float64
	// Full[k] = σ·sqrt(wᵀ(JᵀJ)⁺w): the bound for wᵀPθ, P projecting on the row space
	// of J. Where w lies in the row space, that is the bound for wᵀθ.
	Full []float64
	// Seen[k] = ‖P w_k‖²/‖w_k‖², how much of w the features can see. Less than 1
	// means that no unbiased estimator of wᵀθ exists.
	Seen []float64
}

// SeenTolerance is how far below 1 rounding may take ‖P w‖² of a w in the row
// space of J: a coordinate further below is called not identifiable. The
// singular vectors are orthonormal to about 1e-15/gramRatio, 1e-7, at worst.
const SeenTolerance = 1e-6

// CramerRao evaluates the bounds for coordinates c and noise σ.
func (f *Factors) CramerRao(c Coordinates, sigma float64) CramerRao {
	m := c.Len()
	out := CramerRao{make([]float64, m), make([]float64, m), make([]float64, m)}
	some := max(1, projectedValues/m)
	room := make([]float64, min(some, len(f.S))*m)
	for first := 0; first < len(f.S); first += some {
		values := f.S[first:min(first+some, len(f.S))]
		wv := room[:len(values)*m] // (W v_i)_k
		c.Apply(wv, f.V[first*f.P:(first+len(values))*f.P])
		for i, s := range values {
			for k, v := range rowOf(wv, i, m) {
				out.Axis[k] += (v * s) * (v * s)
				out.Full[k] += (v / s) * (v / s)
				out.Seen[k] += v * v
			}
		}
	}
	for k := range m {
		out.Axis[k] = sigma / math.Sqrt(out.Axis[k])
		out.Full[k] = sigma * math.Sqrt(out.Full[k])
	}
	return out
}

// Resolvable counts, for each threshold t, the directions #{i : σ/s_i ≤ t} that
// an unbiased adversary can estimate to within t (in the model's units).
func Resolvable(s []float64, sigma float64, thresholds []float64) []int {
	counts := make([]int, len(thresholds))
	for _, v := range s {
		for k, t := range thresholds {
			if sigma <= t*v {
				counts[k]++
			}
		}
	}
	return counts
}
