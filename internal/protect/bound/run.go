package bound

import (
	"context"
	"fmt"
	"slices"
	"sync"

	"tattle/internal/engine/nn"
	"tattle/internal/file"
	"tattle/internal/run"
)

// Work is divided into shards, which are what an interrupted run keeps and what
// processes share, and a shard into batches, whose restarts go through the net together:
// enough of them to keep a matrix product busy, fewer where an example is large, and fewer
// where it takes LSQR seconds. A shard is a few batches, one where each takes long.
const (
	shardExamples = 64
	shardBatches  = 2
	batchExamples = 32
	batchSlow     = 8
	batchFloats   = 1 << 24 // in the perturbations, features or Jacobians of a batch
	slowFloats    = 1 << 20 // in the vectors of one of LSQR's products: after each the run can be interrupted
)

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
	Files    *file.Dir             // changes the files in Dir; nil: any files
	Dir      string                // holds arrays.npz and manifest.json when the run is done, and its shards before
	Resume   bool                  // go on with what is in Dir, be it shards, finished arrays or nothing
	Hashes   map[string]string     // SHA-256 by role, such as "model", which a resumed run must share
	Progress func(done, total int) // examples, those under way counted by what is done of them; never fewer than before
	// Pool computes the shards; nil is run.Leader{}.
	Pool run.Pool
}

// Run searches for witnesses, certifies their bounds and stores both in the
// folder's arrays.npz, for the examples of data that indices name. A cancelled
// ctx ends it soon, with an error that wraps ctx's and says how many examples are
// kept; a run with Resume goes on with them. The same experiment gives the same
// arrays however often it was interrupted, and on any number of cores. Resuming another experiment is a
// *run.MismatchError; shards that the pool set aside are a *run.FailedError, and the
// others are kept.
func Run(ctx context.Context, m Model, data nn.Source, indices []int, e Experiment, o RunOptions) (*Result, error) {
	r, err := newRunner(m, data, indices, e, o)
	if err != nil {
		return nil, err
	}
	return r.locked(ctx)
}

// newRunner settles all that is to be known before a shard is computed.
func newRunner(m Model, data nn.Source, indices []int, e Experiment, o RunOptions) (*runner, error) {
	p, _ := m.Dims()
	if len(indices) == 0 {
		return nil, fmt.Errorf("no examples to bound")
	}
	first := make([]float32, min(len(indices), batchExamples)*p)
	data.Examples(first, indices[:len(first)/p])
	var begun *settings
	if o.Resume {
		begun = settingsIn(o.Dir)
	}
	f := lookAt(m, first)
	e, leftOut, err := e.resolve(f, begun)
	if err != nil {
		return nil, err
	}
	r := &runner{model: m, front: f, data: data, indices: indices, experiment: e, options: o, leftOut: leftOut, tally: tally{reported: -1}}
	r.searcher, r.certifier = e.searcher(m), e.certifier(m)
	return r, r.divide(f.jacobian(), begun)
}

// locked does the run, or loads it where it is done, while no other may work in
// its folder.
func (r *runner) locked(ctx context.Context) (*Result, error) {
	dir := r.options.Dir
	if err := r.options.Files.MkdirAll(dir); err != nil {
		return nil, err
	}
	unlock, err := file.Lock(dir)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", dir, err)
	}
	defer unlock()
	if finished, err := r.finished(); finished != nil || err != nil {
		return finished, err
	}
	if err := r.compute(ctx); err != nil {
		return nil, err
	}
	if err := r.merge(ctx); err != nil {
		return nil, err
	}
	res, err := Load(r.path(ArraysFile), r.experiment)
	if err != nil {
		return nil, err
	}
	return r.annotate(res), nil
}

// divide settles shards and batches, for Jacobians of that size, where a run that had
// begun left them. Shards do not depend on the budget: what several processes share, and
// what is resumed, may be computed with another.
func (r *runner) divide(j jacobianSize, begun *settings) error {
	e, most := r.experiment, batchExamples
	r.explicit = !e.SkipCramerRao || e.Barankin.Witnesses > 0 && e.decomposes(j, begun)
	switch e.Search.Search {
	case Direct:
		r.explicit = true
	case Cholesky:
		r.explicit, most = false, 1
	case Algorithm1:
		p, n := r.model.Dims()
		most = max(1, min(batchSlow, slowFloats/(e.Search.Restarts*max(p, n))))
	case Published:
		r.explicit = r.explicit || updates(j.rows, r.model)
	}
	rows := j.rows
	if !r.explicit {
		rows = 0
	}
	r.size = batchOf(r.model, most, max(e.Search.Restarts, e.Far.Starts, e.Barankin.Witnesses), rows)
	switch e.Search.Search {
	case Algorithm1, Cholesky:
		r.shard = most
	case Published:
		r.shard = e.Search.Stack
	default:
		r.shard = min(shardExamples, shardBatches*r.size)
	}
	return r.fit(e.needs(r.model, j, r.explicit))
}

// fit lowers shards and batches to what the budget allows, and gives the model its share.
// It returns an error if not even one example fits.
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
	if r.experiment.Search.Search == Cholesky {
		r.spare = max(0, model-w.model-gramProducts)
		model -= r.spare
	}
	budgetModel(r.model, model)
	return nil
}

type runner struct {
	model      Model
	front      *front
	data       nn.Source
	indices    []int
	experiment Experiment
	options    RunOptions
	leftOut    []string // further bounds that were asked for and are not possible, and why
	shard      int      // examples
	size       int      // examples in a batch
	explicit   bool     // Jacobians are formed and decomposed
	spare      int64    // bytes for files of a factor that stay in memory
	tally      tally
	folder     *run.Folder // of all shards, once they are done
	damaged    string      // what a resumed run found unfit

	computing sync.Mutex // guards what follows, and the model: a shard takes all cores
	searcher  searcher
	certifier *Certifier
	along     [][]float32 // directions of groups of coordinates; nil before the first pairs
}

// span returns the positions in indices of shard i.
func (r *runner) span(i int) (lo, hi int) { return i * r.shard, min(len(r.indices), (i+1)*r.shard) }

// annotate adds notes to a result.
func (r *runner) annotate(res *Result) *Result {
	note, warnings := res.effort.notes(r.experiment.Search.Search)
	if note != "" {
		res.Experiment.Reasons = append(slices.Clone(res.Experiment.Reasons), note)
	}
	res.Warnings, res.Damaged = append(sentences(r.leftOut), warnings...), r.damaged
	return res
}
