package bound

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"

	"tattle/internal/file"
	"tattle/npy"
	"tattle/run"
)

// Work is divided into shards, which are what an interrupted run keeps, and a
// shard into batches, whose restarts go through the net together: enough of them
// to keep a matrix product busy, fewer where an example is large, and fewer where
// it takes LSQR seconds.
const (
	shardExamples = 64
	batchExamples = 32
	shardSlow     = 16
	batchSlow     = 8
	batchFloats   = 1 << 24 // in the perturbations, features or Jacobians of a batch
	slowFloats    = 1 << 20 // in the vectors of one of LSQR's products: after each the run can be interrupted
)

// partsGrain is the least part of all examples that Parts is told of.
const partsGrain = 1e-3

// batchOf returns how many examples go through the net together, at most so
// many, Jacobians having that many rows, 0 for none.
func batchOf(m Net, most, restarts, rows int) int {
	p, n := m.Dims()
	return max(1, min(most, batchFloats/max(restarts*max(p, n), rows*p)))
}

// The files of a run.
const (
	ArraysFile = "arrays.npz"
	shardsDir  = "shards"
)

// RunOptions says where a run keeps its results and how it reports progress.
type RunOptions struct {
	Dir      string                // holds arrays.npz and manifest.json when the run is done, and its shards before
	Resume   bool                  // go on with what is in Dir, be it shards, finished arrays or nothing
	Hashes   map[string]string     // SHA-256 by role, such as "model", which a resumed run must share
	Progress func(done, total int) // examples, those under way counted by what is done of them; never fewer than before
	// Parts is Progress in fractions of examples, for runs of a few that take long: what
	// is done of the steps of a search counts, as far as their number can be foreseen.
	Parts func(done float64, total int)
}

// Run searches for witnesses, certifies their bounds and stores both in the
// folder's arrays.npz, for the examples of data that indices name. A cancelled
// ctx ends it soon, with an error that wraps ctx's and says how many examples are
// kept; a run with Resume goes on with them. The same experiment gives the same
// arrays however often it was interrupted, and on any number of cores; but of the search
// Auto and large Jacobians only once resolved, as timings decide. Resuming another experiment is a
// *run.MismatchError.
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
	asked := e
	var begun *kept
	if o.Resume {
		begun = keptIn(o.Dir)
	}
	e, reason, err := e.resolve(m, first, begun)
	if err != nil {
		return nil, err
	}
	r := &runner{model: m, data: data, indices: indices, experiment: e, options: o, told: -1, toldParts: -1}
	asked.Search, asked.SkipCramerRao = e.Search, e.SkipCramerRao
	_, r.leftOut = asked.resolveRungs(m, first, begun)
	if err := r.divide(sizeUp(m, first), begun); err != nil {
		return nil, err
	}
	return r.locked(ctx, reason)
}

// locked does the run, or loads it where it is done, while no other may work in
// its folder.
func (r *runner) locked(ctx context.Context, reason string) (*Result, error) {
	dir := r.options.Dir
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return nil, err
	}
	unlock, err := file.Lock(dir)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", dir, err)
	}
	defer unlock()
	if finished, err := r.open(); err != nil {
		return nil, err
	} else if finished != nil {
		finished.Reason, finished.Warnings = reason, sentences(r.leftOut)
		return finished, nil
	}
	if err := r.run(ctx); err != nil {
		return nil, err
	}
	return r.finish(ctx, reason)
}

// divide settles shards and batches, for Jacobians of that size, where a run that had
// begun left them.
func (r *runner) divide(j jacobianSize, begun *kept) error {
	e, most := r.experiment, batchExamples
	r.shard = shardExamples
	r.explicit = !e.SkipCramerRao || e.Barankin.Witnesses > 0 && e.decomposes(j, begun)
	switch e.Search.Search {
	case Direct:
		r.explicit = true
	case Algorithm1:
		p, n := r.model.Dims()
		r.shard, most = shardSlow, max(1, min(batchSlow, slowFloats/(e.Search.Restarts*max(p, n))))
	case Published:
		r.shard = e.Search.Stack
		r.explicit = r.explicit || updates(j.rows, r.model)
	}
	if !r.explicit {
		j.rows = 0
	}
	r.size = batchOf(r.model, most, max(e.Search.Restarts, e.Far.Starts, e.Barankin.Witnesses), j.rows)
	return r.fit(e.needs(r.model, j, r.explicit))
}

// fit lowers shards and batches to what the budget allows, and gives the model its
// share. It errs where not even one example fits.
func (r *runner) fit(w needs) error {
	most, stacked := r.size, r.experiment.Search.Search == Published
	if stacked { // its examples are one problem
		most, w.search = 1, w.search*int64(min(r.shard, len(r.indices)))
	} else {
		r.shard = w.shardOf(r.shard)
	}
	batch, model, err := w.share(r.experiment.budget(), most, r.shard)
	if err != nil && stacked {
		return fmt.Errorf("%w; a smaller stack needs less", err)
	}
	if err != nil {
		return err
	}
	r.size = min(r.size, batch)
	budgetModel(r.model, model)
	return nil
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
	damaged    string   // what a resumed run found unfit
	leftOut    []string // rungs that were asked for and cannot be had, and why
	searcher   searcher
	certifier  *Certifier
	finder     *TwinFinder // nil before the first twins
	done       int         // examples
	told       int         // of them, those that Progress was told of; -1 before the first time
	toldParts  float64     // what Parts was told last; -1 before the first time
}

// span returns the positions in indices of shard i.
func (r *runner) span(i int) (lo, hi int) { return i * r.shard, min(len(r.indices), (i+1)*r.shard) }

// run computes the shards that are not done, writing one while the next is
// computed.
func (r *runner) run(ctx context.Context) error {
	r.searcher = r.experiment.searcher(r.model)
	r.certifier = r.experiment.certifier(r.model)
	r.done = r.kept()
	r.progress(float64(r.done))
	written := make(chan error, 1)
	written <- nil
	for _, i := range r.folder.Remaining() {
		rec, err := r.examples(ctx, i)
		if w := <-written; w != nil {
			return w
		}
		if err != nil && ctx.Err() != nil {
			return r.interrupted(ctx)
		}
		if err != nil {
			return err
		}
		go func() { written <- r.folder.Commit(i, rec.write) }()
	}
	return <-written
}

// kept counts the examples of the shards that are done.
func (r *runner) kept() (examples int) {
	for i := range r.folder.Len() {
		if r.folder.Done(i) {
			lo, hi := r.span(i)
			examples += hi - lo
		}
	}
	return examples
}

// interruption is what a cancelled context makes of a run.
type interruption struct {
	kept, total int
	cause       error
}

func (e *interruption) Error() string {
	return fmt.Sprintf("interrupted: %d of %d examples are finished and kept", e.kept, e.total)
}

func (e *interruption) Unwrap() error { return e.cause }

func (r *runner) interrupted(ctx context.Context) error {
	return &interruption{r.kept(), len(r.indices), ctx.Err()}
}

// progress tells how many examples are done, where that is news.
func (r *runner) progress(done float64) {
	if total := len(r.indices); r.options.Parts != nil && (r.toldParts < 0 || done >= r.toldParts+partsGrain*float64(total)) {
		r.toldParts = done
		r.options.Parts(done, total)
	}
	if whole := int(done); whole > r.told {
		r.told = whole
		if r.options.Progress != nil {
			r.options.Progress(whole, len(r.indices))
		}
	}
}

// finish merges the shards into the arrays, puts their manifest beside, removes
// them, and loads the result.
func (r *runner) finish(ctx context.Context, reason string) (*Result, error) {
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
	if err := os.Remove(r.path(manifestFile)); err != nil && !errors.Is(err, os.ErrNotExist) {
		return nil, fmt.Errorf("remove the manifest of older arrays: %w", err)
	}
	path := r.path(ArraysFile)
	err := run.WriteFile(path, func(w io.Writer) error { return layout.merge(ctx, w, len(r.indices), paths) })
	if err != nil && ctx.Err() != nil {
		return nil, r.interrupted(ctx)
	}
	if err != nil {
		return nil, err
	}
	if err := os.Rename(r.path(shardsDir, manifestFile), r.path(manifestFile)); err != nil {
		return nil, fmt.Errorf("keep the manifest of the shards: %w", err)
	}
	if err := os.RemoveAll(r.path(shardsDir)); err != nil {
		return nil, fmt.Errorf("remove the merged shards: %w", err)
	}
	res, err := Load(path, r.experiment)
	if err != nil {
		return nil, err
	}
	note, warnings := r.notes()
	res.Reason, res.Warnings = reason+note, append(sentences(r.leftOut), warnings...)
	return res, nil
}
