package bound

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"sync"

	"tattle/internal/run"
)

// compute has the pool compute the shards that are missing. Resources, options and model
// were seen to before: what fails here is about a shard, or the pool.
func (r *runner) compute(ctx context.Context) (err error) {
	r.prepare()
	pool := cmp.Or(r.options.Pool, run.Pool(run.Leader{}))
	r.folder, err = pool.Run(ctx, run.Work{
		Dir: r.path(shardsDir), Manifest: r.manifest(), Resume: r.options.Resume,
		AtOnce: 1, // a shard takes all cores
		Do:     r.do, Name: r.name, Progress: r.committed,
	})
	switch {
	case err == nil:
		if n := len(r.folder.Corrupt()); n > 0 {
			r.damaged = fmt.Sprintf("%d of %d shards were damaged: they were computed again", n, r.folder.Len())
		}
		return nil
	case ctx.Err() != nil:
		return r.interrupted(ctx)
	}
	return err
}

// prepare makes what computes shards.
func (r *runner) prepare() {
	r.searcher = r.experiment.searcher(r.model)
	r.certifier = r.experiment.certifier(r.model)
}

// do computes shard i and writes it. Of several at a time one is computed while others
// are written.
func (r *runner) do(ctx context.Context, i int, w io.Writer) error {
	rec, err := r.examples(ctx, i)
	if err != nil {
		return err
	}
	return rec.write(w)
}

// name says which examples shard i is about, by their positions in the run.
func (r *runner) name(i int) string {
	lo, hi := r.span(i)
	if hi-lo == 1 {
		return fmt.Sprintf("example %d", lo)
	}
	return fmt.Sprintf("examples %d to %d", lo, hi-1)
}

func (r *runner) interrupted(ctx context.Context) error {
	return &run.InterruptedError{Kept: fmt.Sprintf("%d of %d examples are finished and kept", r.tally.finished(), len(r.indices)), Cause: ctx.Err()}
}

// tally is the progress of a run: the examples of shards that are committed, wherever they were
// computed, and the examples that are done in shards that this process computes now.
type tally struct {
	mu       sync.Mutex
	kept     int
	under    map[int]float64 // examples done of each shard that is not committed
	reported int             // the last value passed to Progress; -1 before the first call
}

func newTally() *tally { return &tally{under: map[int]float64{}, reported: -1} }

// finished returns the number of examples that are committed.
func (t *tally) finished() int {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.kept
}

// committed counts the examples of the shards that are in the folder.
func (r *runner) committed(f *run.Folder) {
	t := r.tally
	t.mu.Lock()
	defer t.mu.Unlock()
	t.kept = len(r.indices)
	for _, i := range f.Remaining() {
		lo, hi := r.span(i)
		t.kept -= hi - lo
	}
	for i := range t.under {
		if f.Done(i) {
			delete(t.under, i)
		}
	}
	r.reportProgress()
}

// progress records how many examples of shard i are done, which this process computes.
func (r *runner) progress(i int, done float64) {
	t := r.tally
	t.mu.Lock()
	defer t.mu.Unlock()
	t.under[i] = done
	r.reportProgress()
}

// reportProgress reports the number of examples that are done, if it has changed. The tally must
// be locked.
func (r *runner) reportProgress() {
	t, total := r.tally, len(r.indices)
	done := float64(t.kept)
	for _, part := range t.under {
		done += part
	}
	done = min(done, float64(total)) // a shard may be committed elsewhere meanwhile
	if whole := int(done); whole > t.reported {
		t.reported = whole
		if r.options.Progress != nil {
			r.options.Progress(whole, total)
		}
	}
}
