package run

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"sync"
	"time"

	"tattle/internal/file"
)

// MaxAttempts is how often a process tries a shard before it is set aside: a fault that
// passes (memory, a connection that broke) rarely strikes thrice.
const MaxAttempts = 3

// team computes the shards of a stage in this process, together with any others that
// share the folder.
type team struct {
	Work
	folder *Folder
	claims *claims

	mu     sync.Mutex
	busy   map[int]bool     // shards that this process computes
	tried  map[int]*attempt // and has failed of
	failed map[int]bool     // set aside, by whichever process
	done   int              // shards when progress was last reported
	err    error            // the first that stopped all
}

// attempt is what went wrong so far with a shard.
type attempt struct {
	causes []string
	stack  string
}

// share computes free shards, AtOnce at a time, until all of the folder's are committed or set
// aside, whichever process does it. What fails is tried again after the others, and set aside
// after MaxAttempts.
func (w Work) share(ctx context.Context, f *Folder) error {
	within, cancel := context.WithCancel(ctx)
	defer cancel()
	t := &team{Work: w, folder: f, claims: newClaims(f.files), busy: map[int]bool{}, tried: map[int]*attempt{}, failed: map[int]bool{}}
	defer t.claims.close()
	w.ReportProgress(f)
	t.done = f.Len() - len(f.Remaining())
	if err := t.look(); err != nil {
		return err
	}
	var all sync.WaitGroup
	for range min(max(w.AtOnce, 1), f.Len()-t.done) {
		all.Go(func() {
			if err := t.work(within); err != nil {
				t.stop(err)
				cancel()
			}
		})
	}
	all.Wait()
	if t.err == nil {
		t.err = ctx.Err()
	}
	return t.err
}

// stop keeps the first error.
func (t *team) stop(err error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.err == nil {
		t.err = err
	}
}

// work computes shards until none is left, or ctx ends.
func (t *team) work(ctx context.Context) error {
	for ctx.Err() == nil {
		i, left, err := t.next()
		switch {
		case err != nil:
			return err
		case i >= 0:
			err = t.try(ctx, i)
			t.put(i)
			if err != nil {
				return err
			}
		case !left:
			return nil
		default: // others compute the rest
			select {
			case <-ctx.Done():
			case <-time.After(pollEvery):
			}
			if err := t.look(); err != nil {
				return err
			}
		}
	}
	return nil
}

// next claims a free shard, -1 for none: those that this process has not failed of first. It
// reports whether any shard is neither committed nor set aside.
func (t *team) next() (i int, left bool, err error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	for failures := range MaxAttempts {
		for _, i := range t.folder.Remaining() {
			if t.failed[i] {
				continue
			}
			left = true
			if t.busy[i] || t.failures(i) != failures {
				continue
			}
			won, err := t.claims.take(t.folder.claimPath(i))
			if err != nil {
				return -1, left, err
			}
			if !won {
				continue
			}
			if file.Exists(filepath.Join(t.folder.dir, mergingName)) { // all are committed, and may be gone
				t.claims.give(t.folder.claimPath(i))
				return -1, false, nil
			}
			if committed, err := t.folder.readRecord(i); err == nil && committed != "" { // before the claim
				t.folder.done(i, committed)
				t.claims.give(t.folder.claimPath(i))
				continue
			}
			t.busy[i] = true
			return i, left, nil
		}
	}
	return -1, left, nil
}

func (t *team) failures(i int) int {
	if a := t.tried[i]; a != nil {
		return len(a.causes)
	}
	return 0
}

// put lays a shard down again.
func (t *team) put(i int) {
	t.mu.Lock()
	defer t.mu.Unlock()
	delete(t.busy, i)
	t.claims.give(t.folder.claimPath(i))
}

// look takes in what other processes have committed and set aside.
func (t *team) look() error {
	t.mu.Lock()
	defer t.mu.Unlock()
	n, err := t.folder.refresh()
	if err != nil {
		return err
	}
	for i := range n.failed {
		t.failed[i] = t.failed[i] || !n.records[i]
	}
	t.report()
	return nil
}

// report calls Progress if more shards are done than before.
func (t *team) report() {
	if done := t.folder.Len() - len(t.folder.Remaining()); done > t.done {
		t.done = done
		t.ReportProgress(t.folder)
	}
}

// try computes and commits a shard. It returns an error if the others cannot go on either.
func (t *team) try(ctx context.Context, i int) error {
	digest, err := t.Compute(ctx, t.folder, i)
	if err == nil {
		err = t.folder.Record(i, digest)
	}
	var lost *CommittedError
	if errors.As(err, &lost) && !lost.Differs() {
		err = nil
	}
	if err == nil {
		t.mu.Lock()
		defer t.mu.Unlock()
		t.report()
		return nil
	}
	if ctx.Err() != nil {
		return nil
	}
	var store *StoreError
	if errors.As(err, &store) || lost != nil {
		return err
	}
	return t.fail(i, err)
}

// fail notes what went wrong with a shard, and sets it aside after MaxAttempts.
func (t *team) fail(i int, err error) error {
	t.mu.Lock()
	defer t.mu.Unlock()
	a := t.tried[i]
	if a == nil {
		a = &attempt{}
		t.tried[i] = a
	}
	a.causes = append(a.causes, err.Error())
	if p, ok := errors.AsType[*PanicError](err); ok {
		a.stack = string(p.Stack)
	}
	if len(a.causes) < MaxAttempts {
		return nil
	}
	t.failed[i] = true
	return t.folder.SetAside(Failure{i, t.ShardName(i), a.causes, a.stack})
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
