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
	pool := cmp.Or(r.options.Pool, run.Pool(run.Leader{}))
	r.folder, err = pool.Run(ctx, run.Work{
		Dir: r.path(shardsDir), Manifest: r.manifest(), Resume: r.options.Resume,
		AtOnce: 1, // a shard takes all cores
		Do: func(ctx context.Context, i int, w io.Writer) error { // of several at a time one is computed while others are written
			rec, err := r.examples(ctx, i)
			if err != nil {
				return err
			}
			return rec.write(w)
		},
		Name: r.name, Progress: r.committed,
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

// name says which examples shard i is about, by their positions in the run.
func (r *runner) name(i int) string {
	lo, hi := r.span(i)
	if hi-lo == 1 {
		return fmt.Sprintf("example %d", lo)
	}
	return fmt.Sprintf("examples %d to %d", lo, hi-1)
}

func (r *runner) interrupted(ctx context.Context) error {
	var kept int
	r.count(func(t *tally) { kept = t.kept })
	return &run.InterruptedError{Kept: fmt.Sprintf("%d of %d examples are finished and kept", kept, len(r.indices)), Cause: ctx.Err()}
}

// tally is the progress of a run, in examples.
type tally struct {
	sync.Mutex
	kept     int     // of shards that are committed, wherever they were computed
	shard    int     // the last one that this process began
	done     float64 // of that shard; 0 once it is committed
	reported int     // the last value passed to Progress; -1 before the first call
}

// count updates the tally, and reports the examples that are done if there are more than before.
func (r *runner) count(update func(t *tally)) {
	t, total := &r.tally, len(r.indices)
	t.Lock()
	defer t.Unlock()
	update(t)
	done := min(int(float64(t.kept)+t.done), total) // a shard may be committed elsewhere meanwhile
	if done > t.reported && r.options.Progress != nil {
		t.reported = done
		r.options.Progress(done, total)
	}
}

// committed counts the examples of the shards that are in the folder.
func (r *runner) committed(f *run.Folder) {
	r.count(func(t *tally) {
		t.kept = len(r.indices)
		for _, i := range f.Remaining() {
			lo, hi := r.span(i)
			t.kept -= hi - lo
		}
		if f.Done(t.shard) {
			t.done = 0
		}
	})
}
