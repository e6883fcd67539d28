package cluster

import (
	"context"
	"errors"
	"os"
	"sync"
	"sync/atomic"
	"time"

	"tattle/internal/file"
	"tattle/run"
)

// restEvery is how often a worker looks whether there is nothing left for it.
const restEvery = 200 * time.Millisecond

// service is a stage under way in a worker.
type service struct {
	*home
	run.Work
	st   *stage
	f    *run.Folder  // takes results: all workers', or this one's own, from which they are sent
	idle atomic.Int32 // goroutines that wait for a shard
}

// serve computes shards until none is left, or another run comes first, and returns
// run.ErrServed.
func (h *home) serve(ctx context.Context, w run.Work, st *stage, f *run.Folder) error {
	s := &service{home: h, Work: w, st: st, f: f}
	outer := ctx
	ctx, end := context.WithCancelCause(ctx)
	defer end(nil)
	leasing, depart := context.WithCancel(ctx) // departing finishes what is under way
	defer depart()
	goroutines := max(w.AtOnce, 1)
	watched := make(chan struct{})
	go func() {
		defer close(watched)
		s.watch(ctx, end, depart, goroutines)
	}()
	var all sync.WaitGroup
	for range goroutines {
		all.Go(func() {
			for leasing.Err() == nil {
				if err := s.one(ctx, leasing); err != nil {
					end(err) // the first stands
				}
			}
		})
	}
	all.Wait()
	end(run.ErrServed)
	<-watched
	if outer.Err() != nil {
		return outer.Err()
	}
	return context.Cause(ctx)
}

// watch ends the work where all goroutines wait and nothing is left to do, or others
// have what is left and another run has something, and where the run is not in the
// cluster any more. Now and then it departs to an earlier run.
func (s *service) watch(ctx context.Context, end context.CancelCauseFunc, depart func(), goroutines int) {
	asked, begun := time.Now(), time.Now() // for another run; for an earlier one
	look := time.NewTicker(restEvery)
	defer look.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-look.C:
		}
		resting := int(s.idle.Load()) == goroutines
		info, err := s.st.consumer.Info(ctx)
		switch {
		case err != nil:
			if gone(err) && s.l.surelyGone(ctx, err, 0) != nil {
				end(errGone)
			}
		case resting && int(s.idle.Load()) == goroutines && info.NumPending == 0:
			if info.NumAckPending > 0 && time.Since(asked) < lookAgain {
				continue
			}
			if asked = time.Now(); info.NumAckPending == 0 || s.better(ctx, s.job.ID, false) {
				depart()
			}
		case !resting && time.Since(begun) > s.comeBack:
			if begun = time.Now(); s.better(ctx, s.job.ID, true) {
				depart()
			}
		}
	}
}

// one leases a shard and computes it. It returns nil, too, if the worker leaves for another run.
func (s *service) one(ctx, leasing context.Context) error {
	s.idle.Add(1)
	l, err := s.st.lease(leasing)
	s.idle.Add(-1)
	if err != nil && leasing.Err() != nil && ctx.Err() == nil {
		return nil
	}
	if err != nil {
		return s.lasting(err)
	}
	r, err := s.compute(ctx, l)
	var store *run.StoreError
	switch {
	case err == nil:
		return s.deliver(ctx, l, r)
	case ctx.Err() != nil:
		l.giveBack()
		return context.Cause(ctx)
	case errors.As(err, &store):
		l.giveBack()
		return err
	}
	s.log("%s failed: %s", s.ShardName(l.Shard), file.Line(err.Error()))
	return s.lasting(l.fail(ctx, err))
}

// compute computes a shard into the folder, once more if that was swept meanwhile: a submitter
// that resumes the run removes what looks half-written from a folder that all see.
func (s *service) compute(ctx context.Context, l *lease) (r commitRecord, err error) {
	r = commitRecord{Worker: s.name, Attempt: l.Attempt}
	for range 2 {
		if r.Digest, r.Size, err = s.Compute(ctx, s.f, l.Shard); !errors.Is(err, os.ErrNotExist) {
			break
		}
	}
	return r, err
}

// lasting marks an error of the ledger; one of the disk, or that the run is gone, stays what it is.
func (s *service) lasting(err error) error {
	if _, disk := errors.AsType[*run.StoreError](err); err == nil || disk || errors.Is(err, errGone) || errors.Is(err, context.Canceled) {
		return err
	}
	return &clusterError{err}
}

// deliver commits a shard that is computed.
func (s *service) deliver(ctx context.Context, l *lease, r commitRecord) error {
	won, err := false, s.send(ctx, l.Shard, r.Digest)
	if err == nil {
		won, err = l.commit(ctx, r)
	}
	stands, ok := r, true
	if err == nil && !won {
		stands, ok, err = s.st.committed(ctx, l.Shard)
	}
	if err == nil && stands.Digest != r.Digest && ok {
		err = s.drop(ctx, l.Shard, r.Digest)
	}
	if err != nil || !ok { // not ok: it was taken back meanwhile
		l.giveBack()
		return s.lasting(err)
	}
	if won {
		s.mu.Lock()
		s.done++
		s.mu.Unlock()
	}
	return s.lasting(l.done(ctx))
}

// send puts a result where the submitter finds it, unless that sees the folder.
func (s *service) send(ctx context.Context, i int, digest string) error {
	if s.job.Shared != "" {
		return nil
	}
	return putFile(ctx, s.blobs, resultBlob(s.st.Number, i, digest), s.f.DataPath(i, digest))
}

// drop removes a result that came too late, and is not what stands.
func (s *service) drop(ctx context.Context, i int, digest string) error {
	if err := file.Remove(s.f.DataPath(i, digest)); err != nil && !errors.Is(err, os.ErrNotExist) {
		return &run.StoreError{Dir: s.f.Dir(), Err: err}
	}
	if s.job.Shared != "" {
		return nil
	}
	return s.blobs.drop(ctx, resultBlob(s.st.Number, i, digest))
}
