package run

import (
	"context"
	"errors"
	"fmt"
	"sync"
)

// MaxAttempts is how often a shard may fail before it is set aside: a fault that
// passes (memory, a connection that broke) rarely strikes thrice.
const MaxAttempts = 3

// ErrServed is the error that a worker's pool returns instead of a folder: the worker has done
// its part, and the process that submitted the run continues.
var ErrServed = errors.New("served: what follows is the submitter's")

// Alone computes work in this process, with the folder as its only ledger.
type Alone struct{}

// Run implements Pool.
func (Alone) Run(ctx context.Context, w Work) (*Folder, error) {
	f, unlock, err := w.Open()
	if err != nil {
		return nil, err
	}
	defer unlock()
	failures, err := w.each(ctx, f, f.Remaining())
	if err == nil && len(failures) > 0 {
		err = &FailedError{Dir: w.Dir, Shards: f.Len(), Failures: failures}
	}
	return f, err
}

// each computes shards, AtOnce at a time, and commits them. What fails is tried again
// after the others, and set aside after MaxAttempts.
func (w Work) each(ctx context.Context, f *Folder, shards []int) ([]Failure, error) {
	w.ReportProgress(f)
	if len(shards) == 0 {
		return nil, ctx.Err()
	}
	within, cancel := context.WithCancel(ctx)
	defer cancel()
	l := &loop{Work: w, folder: f, left: len(shards), queue: make(chan attempt, len(shards))}
	for _, i := range shards {
		l.queue <- attempt{shard: i}
	}
	var workers sync.WaitGroup
	for range min(max(w.AtOnce, 1), len(shards)) {
		workers.Go(func() {
			if err := l.work(within); err != nil {
				l.stop(err)
				cancel()
			}
		})
	}
	workers.Wait()
	if l.err == nil && l.left > 0 {
		l.err = ctx.Err()
	}
	return sorted(l.failures), l.err
}

// attempt is a shard in the queue, with what went wrong so far.
type attempt struct {
	shard  int
	causes []string
	stack  string
}

// loop is work under way.
type loop struct {
	Work
	folder *Folder
	queue  chan attempt // has room for all shards

	mu       sync.Mutex
	left     int // shards neither committed nor set aside
	failures []Failure
	err      error // the first that stopped all
}

// work tries shards until there are none, or ctx ends.
func (l *loop) work(ctx context.Context) error {
	for {
		select {
		case <-ctx.Done():
			return nil
		case a, open := <-l.queue:
			if !open {
				return nil
			}
			if err := l.try(ctx, a); err != nil {
				return err
			}
		}
	}
}

// stop keeps the first error.
func (l *loop) stop(err error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.err == nil {
		l.err = err
	}
}

// try computes and commits a shard. It returns an error if the others cannot go on either.
func (l *loop) try(ctx context.Context, a attempt) error {
	digest, _, err := l.Compute(ctx, l.folder, a.shard)
	if err == nil {
		err = l.folder.Record(a.shard, digest)
	}
	var lost *CommittedError
	if errors.As(err, &lost) && !lost.Differs() {
		err = nil
	}
	if err == nil {
		l.finish(nil)
		return nil
	}
	if ctx.Err() != nil {
		return nil
	}
	var store *StoreError
	if errors.As(err, &store) || lost != nil {
		return err
	}
	a.fail(err)
	if len(a.causes) < MaxAttempts {
		l.queue <- a
		return nil
	}
	failure := Failure{a.shard, l.ShardName(a.shard), a.causes, a.stack}
	if err := l.folder.SetAside(failure); err != nil {
		return err
	}
	l.finish(&failure)
	return nil
}

// fail notes what went wrong.
func (a *attempt) fail(err error) {
	a.causes = append(a.causes, err.Error())
	var p *PanicError
	if errors.As(err, &p) {
		a.stack = string(p.Stack)
	}
}

// finish counts a shard that is committed, or set aside with that failure.
func (l *loop) finish(failure *Failure) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if failure != nil {
		l.failures = append(l.failures, *failure)
	}
	l.ReportProgress(l.folder)
	if l.left--; l.left == 0 {
		close(l.queue)
	}
}

// An InterruptedError says what is kept of work that was interrupted.
type InterruptedError struct {
	Kept  string
	Cause error // of the context that ended
}

// Error implements error.
func (e *InterruptedError) Error() string { return "interrupted: " + e.Kept }

// Unwrap returns the cause.
func (e *InterruptedError) Unwrap() error { return e.Cause }

// A FailedError lists shards that were set aside; the others are done and kept.
type FailedError struct {
	Dir      string
	Shards   int // of the work
	Failures []Failure
}

// Error names the first shard and its last cause.
func (e *FailedError) Error() string {
	f := e.Failures[0]
	return fmt.Sprintf("%d of %d shards failed and were set aside; the first, %s: %s", len(e.Failures), e.Shards, f.Name, f.Cause())
}
