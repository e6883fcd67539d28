package bound

import (
	"context"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"

	"tattle/nn"
	"tattle/npy"
	"tattle/run"
)

// Work is divided into shards, which are what an interrupted run keeps, and a
// shard into batches, whose restarts go through the net together: enough of them
// to keep a matrix product busy, fewer where an example is large.
const (
	shardExamples = 64
	batchExamples = 32
	batchFloats   = 1 << 24 // in the perturbations, features or Jacobians of a batch
)

// batchOf returns how many examples go through the net together, Jacobians
// having that many rows, 0 for none.
func batchOf(m Net, restarts, rows int) int {
	p, n := m.Dims()
	return max(1, min(batchExamples, batchFloats/max(restarts*max(p, n), rows*p)))
}

// The files of a run.
const (
	ArraysFile = "arrays.npz"
	shardsDir  = "shards"
)

// RunOptions says where a run keeps its results and how it reports progress.
type RunOptions struct {
	Dir      string            // holds arrays.npz when the run is done, and its shards before
	Resume   bool              // go on with the shards in Dir
	Hashes   map[string]string // SHA-256 by role, such as "model", which a resumed run must share
	Progress func(done, total int)
}

// Run searches for witnesses, certifies their bounds and stores both in the
// folder's arrays.npz, for the examples of data that indices name. A cancelled
// ctx ends it after the batch in progress; what shards are finished then stay,
// and a run with Resume goes on with them. The same experiment gives the same
// arrays however often it was interrupted.
func Run(ctx context.Context, m Model, data Source, indices []int, e Experiment, o RunOptions) (*Result, error) {
	p, _ := m.Dims()
	for _, i := range indices {
		if i < 0 || i >= data.Len() {
			return nil, fmt.Errorf("example %d: the data set has %d", i, data.Len())
		}
	}
	if len(indices) == 0 {
		return nil, fmt.Errorf("no examples to bound")
	}
	first := make([]float32, min(len(indices), batchExamples)*p)
	data.Examples(first, indices[:len(first)/p])
	e, reason, err := e.Resolve(m, first)
	if err != nil {
		return nil, err
	}
	r := &runner{model: m, data: data, indices: indices, experiment: e, options: o, shard: shardExamples}
	r.explicit = e.Search.Search == Direct || !e.SkipCramerRao
	j := sizeUp(m, first)
	if e.Search.Search == Published {
		r.shard = e.Search.Stack
		r.explicit = j.small()
	}
	if !r.explicit {
		j.rows = 0
	}
	r.size = batchOf(m, e.Search.Restarts, j.rows)
	if err := r.run(ctx); err != nil {
		return nil, err
	}
	return r.finish(reason)
}

type runner struct {
	model      Model
	data       Source
	indices    []int
	experiment Experiment
	options    RunOptions
	shard      int  // examples
	size       int  // examples in a batch
	explicit   bool // Jacobians are formed and decomposed
	folder     *run.Folder
	searcher   searcher
	certifier  *Certifier
	done       int
}

// settings is all that decides the outcome, for the manifest of the shards.
type settings struct {
	Sigma         float64       `json:"sigma"`
	Sizes         []float64     `json:"sizes"`
	Coordinates   string        `json:"coordinates"`
	Count         int           `json:"coordinate_count"`
	Low           []float64     `json:"domain_low,omitempty"`
	High          []float64     `json:"domain_high,omitempty"`
	Search        SearchOptions `json:"search"`
	SkipCramerRao bool          `json:"skip_cramer_rao"`
	Examples      []int         `json:"examples"`
}

func (r *runner) manifest() run.Manifest {
	e := r.experiment
	return run.Manifest{
		Command: "bound",
		Shards:  (len(r.indices) + r.shard - 1) / r.shard,
		Settings: settings{e.Sigma, e.Sizes, e.Coordinates.Name(), e.Coordinates.Len(), e.Domain.Low, e.Domain.High,
			e.Search, e.SkipCramerRao, r.indices},
		Hashes: r.options.Hashes,
	}
}

// span returns the positions in indices of shard i.
func (r *runner) span(i int) (lo, hi int) { return i * r.shard, min(len(r.indices), (i+1)*r.shard) }

// run computes the shards that are not done, writing one while the next is
// computed.
func (r *runner) run(ctx context.Context) (err error) {
	open := run.Create
	if r.options.Resume {
		open = run.Open
	}
	if r.folder, err = open(filepath.Join(r.options.Dir, shardsDir), r.manifest()); err != nil {
		return err
	}
	r.searcher = r.experiment.searcher(r.model)
	r.certifier = &Certifier{Net: r.model, Sigma: r.experiment.Sigma, Domain: r.experiment.Domain}
	for i := range r.folder.Len() {
		if r.folder.Done(i) {
			lo, hi := r.span(i)
			r.done += hi - lo
		}
	}
	r.progress(0)
	written := make(chan error, 1)
	written <- nil
	for _, i := range r.folder.Remaining() {
		rec, err := r.examples(ctx, i)
		if w := <-written; w != nil {
			return w
		}
		if err != nil {
			return r.interrupted(err)
		}
		go func() { written <- r.folder.Commit(i, rec.write) }()
	}
	return <-written
}

func (r *runner) interrupted(err error) error {
	kept := 0
	for i := range r.folder.Len() {
		if r.folder.Done(i) {
			lo, hi := r.span(i)
			kept += hi - lo
		}
	}
	return fmt.Errorf("%d of %d examples are finished and kept: %w", kept, len(r.indices), err)
}

func (r *runner) progress(more int) {
	r.done += more
	if r.options.Progress != nil {
		r.options.Progress(r.done, len(r.indices))
	}
}

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
	p, _ := r.model.Dims()
	lo, hi := r.span(i)
	rec := r.experiment.layout(p)
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
		s, err := r.batch(rec, first, last)
		if err != nil {
			return nil, err
		}
		spectra = append(spectra, s...)
		r.progress(last - first)
	}
	rec.setSpectra(spectra)
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

// batch computes rows first to last of the record, and returns their spectra.
func (r *runner) batch(rec *examples, first, last int) (spectra [][]float64, err error) {
	e, p := r.experiment, rec.p
	b := &batch{theta: rec.theta[first*p : last*p], start: r.start(rec.index[first:last])}
	if r.explicit {
		if b.factors, err = r.factors(b.theta); err != nil {
			return nil, err
		}
	}
	if !e.SkipCramerRao {
		spectra = rec.cramerRao(b.factors, e, first)
	}
	for i := range rec.sizes {
		s := &rec.sizes[i]
		r.searcher.search(s.eps[first*rec.restarts*p:last*rec.restarts*p], b, s.size)
		s.certify(r.certifier, e.Coordinates, rec.theta, first, last, rec.restarts)
	}
	if p, ok := r.searcher.(*published); ok && p.err != nil {
		return nil, p.err
	}
	return spectra, nil
}

// notes says how the search went, in this process, and warns of what it could
// not do.
func (r *runner) notes() (note string, warnings []string) {
	switch s := r.searcher.(type) {
	case *published:
		if s.solves > 0 {
			note = fmt.Sprintf("; LSQR took %d steps a solve", s.steps/s.solves)
		}
	case *repeats:
		f, ok := s.inverse.(*matrixFree)
		if !ok || f.systems == 0 {
			break
		}
		note = fmt.Sprintf("; LSQR took at most %d steps", f.steps)
		if f.stopped > 0 {
			warnings = append(warnings, fmt.Sprintf("LSQR did not converge for %d of %d systems: the bounds hold, but better witnesses may be missed", f.stopped, f.systems))
		}
	}
	return note, warnings
}

// start draws the starting vectors for size 1.
func (r *runner) start(index []int64) []float32 {
	_, n := r.model.Dims()
	restarts := r.experiment.Search.Restarts
	scale := r.experiment.Sigma / math.Sqrt(float64(n))
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
func (r *runner) factors(theta []float32) ([]*Factors, error) {
	p, _ := r.model.Dims()
	var all []*Factors
	for lo := 0; lo < len(theta); lo += r.size * p {
		fs, err := factorsAt(r.model, theta[lo:min(len(theta), lo+r.size*p)])
		if err != nil {
			return nil, err
		}
		all = append(all, fs...)
	}
	return all, nil
}

func factorsAt(m nn.Model, theta []float32) ([]*Factors, error) {
	x := make([]float64, len(theta))
	for i, v := range theta {
		x[i] = float64(v)
	}
	return factorAll(Jacobians(m, x), Jacobian.Factor)
}

// cramerRao fills in the figures of rows from first on, and returns the singular
// values.
func (e *examples) cramerRao(factors []*Factors, x Experiment, first int) [][]float64 {
	spectra := make([][]float64, len(factors))
	parallel(len(factors), func(i int) {
		f, row := factors[i], first+i
		cr := f.CramerRao(x.Coordinates, x.Sigma)
		copy(e.axis[row*e.m:], cr.Axis)
		copy(e.full[row*e.m:], cr.Full)
		copy(e.seen[row*e.m:], cr.Seen)
		e.rank[row] = int32(f.Rank())
		spectra[i] = f.S
	})
	return spectra
}

// finish merges the shards into the arrays, removes them, and loads the result.
func (r *runner) finish(reason string) (*Result, error) {
	p, _ := r.model.Dims()
	layout := r.experiment.layout(p)
	paths := make([]string, r.folder.Len())
	for i := range paths {
		paths[i] = r.folder.Path(i)
		if layout.rank == nil {
			continue
		}
		f, err := npy.Open(paths[i])
		if err != nil {
			return nil, err
		}
		rows, err := f.Rows(spectrumName)
		f.Close()
		if err != nil {
			return nil, err
		}
		layout.width = max(layout.width, rows.Shape()[1])
	}
	path := filepath.Join(r.options.Dir, ArraysFile)
	err := run.WriteFile(path, func(w io.Writer) error { return layout.merge(w, len(r.indices), paths) })
	if err != nil {
		return nil, err
	}
	if err := os.RemoveAll(filepath.Join(r.options.Dir, shardsDir)); err != nil {
		return nil, fmt.Errorf("remove the merged shards: %w", err)
	}
	res, err := Load(path, r.experiment)
	if err != nil {
		return nil, err
	}
	note, warnings := r.notes()
	res.Reason, res.Warnings = reason+note, warnings
	return res, nil
}
