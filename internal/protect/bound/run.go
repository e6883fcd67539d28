package bound

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"

	"tattle/internal/engine/nn"
	"tattle/internal/file"
	"tattle/internal/run"
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
	return r.inFolder(ctx)
}

// Certify bounds what the release of one input θ gives away, in memory: it searches for
// witnesses and certifies their bounds as Run does for the examples of a data set.
// Coordinates that are nil are the inputs themselves.
func Certify(ctx context.Context, m Model, theta []float32, e Experiment) (*Result, error) {
	p, _ := m.Dims()
	if len(theta) != p {
		return nil, fmt.Errorf("an input of %d numbers: the model takes %d", len(theta), p)
	}
	e.Coordinates = cmp.Or(e.Coordinates, Pixels(p))
	r, err := newRunner(m, nn.Rows{P: p, X: theta}, []int{0}, e, RunOptions{})
	if err != nil {
		return nil, err
	}
	rec, err := r.examples(ctx, 0)
	if err != nil {
		return nil, err
	}
	return r.annotate(r.experiment.result(rec)), nil
}

// A runner takes a model through a run in five stages: its front (newRunner), the Jacobians
// (jacobians), the searches (kind.seek), the certificates (Bounds.certify) and the result
// (Experiment.result). What concerns the folder of its shards is in folder.go.
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

// newRunner looks at the front of the model, and settles all that is to be known before a shard is computed.
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
		last := min(hi-lo, first+size)
		err := r.batch(ctx, rec.rows(first, last), func(part float64) {
			r.count(func(t *tally) { t.shard, t.done = i, float64(first)+part*float64(last-first) })
		})
		if err != nil {
			return nil, err
		}
	}
	return rec, nil
}

// batch takes the examples of rec from their Jacobians over searches to certificates. It calls progress with the part that
// is done.
func (r *runner) batch(ctx context.Context, rec *record, progress func(part float64)) (err error) {
	b, closeFiles, err := r.jacobians(ctx, rec)
	if err != nil {
		return err
	}
	defer func() {
		err = closeFiles(err)
		*b = batch{} // the searcher still refers to it
	}()
	for k, s := range rec.sets {
		report := func(part float64) { progress((float64(k) + part) / float64(len(rec.sets))) }
		if err := s.kind.seek(ctx, r, s, b, report); err != nil {
			return err
		}
		if err := s.certify(ctx, r.certifier, r.experiment.Coordinates, rec.theta); err != nil {
			return err
		}
	}
	progress(1)
	return nil
}

// annotate adds notes to a result.
func (r *runner) annotate(res *Result) *Result {
	note, warnings := res.effort.notes(r.experiment.Search.Search)
	if note != "" {
		res.Experiment.Reasons = append(slices.Clone(res.Experiment.Reasons), note)
	}
	res.Warnings, res.Damaged = append(sentences(r.leftOut), warnings...), r.damaged
	return res
}

// sentences makes notes into sentences.
func sentences(notes []string) []string {
	var out []string
	for _, s := range notes {
		out = append(out, strings.ToUpper(s[:1])+s[1:]+".")
	}
	return out
}
