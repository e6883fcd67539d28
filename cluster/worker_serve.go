package cluster

import (
	"context"
	"errors"
	"io"
	"os"
	"sync"
	"sync/atomic"
	"time"

	"github.com/nats-io/nats.go"

	"tattle/internal/file"
	"tattle/run"
)

const (
	checkFirst = 50 * time.Millisecond
	checkLast  = 2 * time.Second
)

// service is a stage under way in a worker.
type service struct {
	*home
	run.Work
	st     *stage
	f      *run.Folder  // the worker's own, where results lie until they are sent
	shared *run.Folder  // takes them, unless nil
	idle   atomic.Int32 // goroutines that wait for a shard
}

// serve computes shards until none is left, or another run comes first, and returns
// run.ErrServed.
func (h *home) serve(ctx context.Context, w run.Work, st *stage, f *run.Folder) error {
	s := &service{home: h, Work: w, st: st, f: f}
	if h.job.Shared != "" {
		release, err := file.Confine(h.job.Shared) // links in the folder cannot lead out of it
		if err != nil {
			return refuse("%w: with --shared every worker must see the submitter's files", err)
		}
		defer release()
		if s.shared, err = h.joinShared(st, w); err != nil {
			return err
		}
	}
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
	begun := time.Now()
	news := make(chan *nats.Msg, 1)
	if sub, err := s.wake.ChanSubscribe(wakeSubject, news); err == nil {
		defer sub.Unsubscribe()
	}
	for wait := checkFirst; ; wait = min(2*wait, checkLast) {
		t := time.NewTimer(wait)
		select {
		case <-ctx.Done():
			t.Stop()
			return
		case <-news:
			t.Stop()
		case <-t.C:
		}
		resting := int(s.idle.Load()) == goroutines
		if !resting {
			if wait < checkLast {
				wait /= 2 // look again as soon as all rest
			}
		}
		info, err := s.st.consumer.Info(ctx)
		switch {
		case err == nil && resting && int(s.idle.Load()) == goroutines && info.NumPending == 0 && (info.NumAckPending == 0 || s.better(ctx, s.job.ID, false)):
			depart()
		case err == nil && !resting && time.Since(begun) > s.comeBack:
			if begun = time.Now(); s.better(ctx, s.job.ID, true) {
				depart()
			}
		case err != nil && gone(err) && s.l.surelyGone(ctx, err, 0) != nil:
			end(errGone)
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
	i := l.Shard
	r, err := computeResult(ctx, s.Work, i, s.f.Dir())
	defer r.close()
	var store *run.StoreError
	switch {
	case err == nil:
	case ctx.Err() != nil:
		l.giveBack()
		return context.Cause(ctx)
	case errors.As(err, &store):
		l.giveBack()
		return err
	default:
		s.log("%s failed: %s", s.ShardName(i), file.Line(err.Error()))
		_, err := l.fail(ctx, err)
		return s.lasting(err)
	}
	return s.deliver(ctx, l, r)
}

// lasting marks an error of the ledger; that the run is gone stays what it is.
func (s *service) lasting(err error) error {
	if err == nil || errors.Is(err, errGone) || errors.Is(err, context.Canceled) {
		return err
	}
	return &clusterError{err}
}

// deliver commits a shard that is computed.
func (s *service) deliver(ctx context.Context, l *lease, r *result) error {
	i, blob := l.Shard, resultBlob(s.st.Number, l.Shard, r.digest)
	if err := s.store(ctx, i, blob, r); err != nil {
		l.giveBack()
		return err
	}
	c := commitRecord{Digest: r.digest, Size: r.size, Worker: s.name, Attempt: l.Attempt}
	won, err := l.commit(ctx, c)
	stands, ok := c, true
	if err == nil && !won {
		stands, ok, err = s.st.committed(ctx, i)
	}
	if err != nil {
		l.giveBack()
		return s.lasting(err)
	}
	if !ok { // it was taken back meanwhile
		l.giveBack()
		return nil
	}
	if won {
		s.mu.Lock()
		s.done++
		s.mu.Unlock()
	}
	if stands.Digest != r.digest {
		err = s.drop(ctx, i, r, blob)
	} else {
		err = r.keep(s.f.DataPath(i, r.digest))
	}
	if err != nil {
		l.giveBack()
		return err
	}
	return s.lasting(l.done(ctx))
}

// store puts a result where the submitter finds it.
func (s *service) store(ctx context.Context, i int, blob string, r *result) error {
	if s.shared == nil {
		data, err := r.reader()
		if err != nil {
			return &run.StoreError{Dir: s.f.Dir(), Err: err}
		}
		return s.lasting(s.blobs.put(ctx, blob, data))
	}
	return putShared(s.shared, i, r.reader)
}

// putShared puts what read reads into a folder that all see. A submitter that resumes the
// run sweeps it of what looks half-written: then it is written once more.
func putShared(f *run.Folder, i int, read func() (io.Reader, error)) error {
	for try := 0; ; try++ {
		data, err := read()
		if err != nil {
			return &run.StoreError{Dir: f.Dir(), Err: err}
		}
		_, _, err = f.Put(i, func(w io.Writer) error {
			_, err := io.Copy(w, data)
			return err
		})
		if try > 0 || !errors.Is(err, os.ErrNotExist) {
			return err
		}
	}
}

// drop removes a result that came too late, and is not what stands.
func (s *service) drop(ctx context.Context, i int, r *result, blob string) error {
	if s.shared == nil {
		return s.lasting(s.blobs.drop(ctx, blob))
	}
	if err := file.Remove(s.shared.DataPath(i, r.digest)); err != nil && !errors.Is(err, os.ErrNotExist) {
		return &run.StoreError{Dir: s.shared.Dir(), Err: err}
	}
	return nil
}
