package cluster

import (
	"context"
	"errors"
	"sync"

	"tattle/run"
)

// errFinished ends the wait for leases once nothing is left.
var errFinished = errors.New("finished")

// A loop computes shards of a stage in this process, into a folder that is this
// process's alone.
type loop struct {
	run.Work
	folder *run.Folder
	stage  *stage

	mu       sync.Mutex
	left     int // shards neither committed nor set aside
	failures []run.Failure
	stop     context.CancelCauseFunc
}

// run computes until nothing is left, AtOnce shards at a time, and returns what was set
// aside.
func (l *loop) run(ctx context.Context) ([]run.Failure, error) {
	ctx, l.stop = context.WithCancelCause(ctx)
	defer l.stop(nil)
	l.stage.onAside = func(i int, f failure) {
		if err := l.finish(l.setAside(i, f, "")); err != nil {
			l.stop(err)
		}
	}
	var workers sync.WaitGroup
	for range min(max(l.AtOnce, 1), l.left) {
		workers.Go(func() { l.stop(l.work(ctx)) }) // the first cause is kept
	}
	workers.Wait()
	if err := context.Cause(ctx); err != errFinished {
		return nil, err
	}
	return sortFailures(l.failures), nil
}

// work computes one shard after another until ctx ends.
func (l *loop) work(ctx context.Context) error {
	for {
		lease, err := l.stage.lease(ctx)
		if err == nil {
			err = l.try(ctx, lease)
		}
		if err != nil {
			return err
		}
	}
}

// try computes and commits a shard, unless the folder has it: the queue may be older. It
// errs where there is no use in going on: then the shard is given back.
func (l *loop) try(ctx context.Context, lease *lease) error {
	if l.folder.Done(lease.Shard) {
		return lease.done(context.WithoutCancel(ctx))
	}
	digest, size, err := l.Compute(ctx, l.folder, lease.Shard)
	ended := ctx.Err() != nil
	ctx = context.WithoutCancel(ctx) // what is computed is committed
	var store *run.StoreError
	switch {
	case err == nil:
		err = l.commit(ctx, lease, commitRecord{digest, size, worker, lease.Attempt})
	case !ended && !errors.As(err, &store):
		return l.fail(ctx, lease, err)
	}
	if err != nil {
		lease.giveBack()
		return err
	}
	return l.finish(nil, nil)
}

// commit commits a shard to the ledger, then to the folder; then it leaves the queue.
func (l *loop) commit(ctx context.Context, lease *lease, c commitRecord) error {
	won, err := lease.commit(ctx, c)
	if err != nil {
		return err
	}
	if !won {
		first, ok, err := l.stage.committed(ctx, lease.Shard)
		if err != nil {
			return err
		}
		if ok && first.Digest != c.Digest {
			return &run.CommittedError{Shard: lease.Shard, Committed: first.Digest, Other: c.Digest}
		}
	}
	var lost *run.CommittedError
	if err := l.folder.Record(lease.Shard, c.Digest); err != nil && (!errors.As(err, &lost) || lost.Differs()) {
		return err
	}
	return lease.done(ctx)
}

// fail notes a failed attempt.
func (l *loop) fail(ctx context.Context, lease *lease, cause error) error {
	aside, err := lease.fail(ctx, cause)
	if err != nil || !aside {
		return err
	}
	stack := ""
	var p *run.PanicError
	if errors.As(cause, &p) {
		stack = string(p.Stack)
	}
	return l.finish(l.setAside(lease.Shard, lease.failure, stack))
}

// setAside notes in the folder that a shard failed for good.
func (l *loop) setAside(i int, f failure, stack string) (*run.Failure, error) {
	failure := &run.Failure{Shard: i, Name: l.ShardName(i), Causes: f.Causes, Stack: stack}
	return failure, l.folder.SetAside(*failure)
}

// finish counts a shard that is committed, or set aside with that failure.
func (l *loop) finish(f *run.Failure, err error) error {
	if err != nil {
		return err
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if f != nil {
		l.failures = append(l.failures, *f)
	}
	l.Tell(l.folder)
	if l.left--; l.left == 0 {
		l.stop(errFinished)
	}
	return nil
}
