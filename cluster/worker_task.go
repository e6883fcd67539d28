package cluster

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/nats-io/nats.go"

	"tattle/run"
)

const (
	fetchers   = 4 // results of earlier stages that are fetched at a time
	checkFirst = 50 * time.Millisecond
	checkLast  = 2 * time.Second
	ackTime    = time.Second // for the last word of a lease
)

// home is a worker's place for a run, and the pool of its command line.
type home struct {
	job   Job
	l     *ledger
	blobs blobs
	name  string // of the worker
	log   func(format string, a ...any)
	wake  *nats.Conn
	dir   string
	root  string            // the copy of the run's folder
	laid  map[string]bool   // stages whose manifest was put there, by name and digest
	paths map[string]string // of inputs

	mu      sync.Mutex
	done    int  // shards committed
	reached bool // by the command: the stage that is announced
	again   bool // the command must begin anew, with the manifests that came meanwhile
}

func laidKey(s stageInfo) string { return s.Name + " " + s.Manifest }

// layOut puts the manifests of all stages where the command finds them.
func (h *home) layOut(ctx context.Context) error {
	stages, err := h.l.stages(ctx)
	if err != nil {
		return err
	}
	for _, s := range stages {
		if err := h.lay(ctx, s); err != nil {
			return err
		}
	}
	return nil
}

// lay puts a manifest into the folder of its stage, once.
func (h *home) lay(ctx context.Context, s stageInfo) error {
	if h.laid[laidKey(s)] {
		return nil
	}
	dir, err := h.folder(s.Name)
	if err != nil {
		return err
	}
	var data bytes.Buffer
	if err := h.blobs.get(ctx, manifestBlob(s.Manifest), &data); errors.Is(err, errDamaged) {
		return refuse("the manifest of %s: %w", s.Name, err)
	} else if err != nil {
		return err
	}
	if found := run.ManifestDigest(data.Bytes()); found != s.Manifest {
		return refuse("the manifest of %s is damaged: its SHA-256 is %.16s…, not %.16s…", s.Name, found, s.Manifest)
	}
	if err := os.RemoveAll(dir); err == nil {
		err = run.WriteManifest(dir, data.Bytes())
	}
	if err != nil {
		return &run.StoreError{Dir: dir, Err: err}
	}
	h.laid[laidKey(s)] = true
	return nil
}

// folder is where a stage of that name lies.
func (h *home) folder(name string) (string, error) {
	local := filepath.FromSlash(name)
	if !filepath.IsLocal(local) {
		return "", refuse("a stage of it is called %q", name)
	}
	return filepath.Join(h.root, local), nil
}

// execute does the command line. It is done where that ended with run.ErrServed.
func (h *home) execute(ctx context.Context, do func(context.Context, Task) error) error {
	h.reached, h.again = false, false
	err := do(ctx, Task{Job: h.job, Root: h.root, Paths: h.paths, Pool: h})
	var store *run.StoreError
	var mismatch *run.MismatchError
	var lasting *clusterError
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case errors.Is(err, errGone) || errors.Is(err, run.ErrServed) && (h.reached || h.again):
		return nil
	case errors.As(err, &store):
		return err
	case errors.As(err, &lasting):
		return lasting.cause
	case errors.As(err, &mismatch):
		return refuse("its command line comes to another run: %w", err)
	case err == nil || errors.Is(err, run.ErrServed):
		if h.reached {
			return nil
		}
		return refuse("its command line ends without the stage that is to be done")
	}
	return refuse("its command line fails: %w", err)
}

// A clusterError is a failure of the cluster, not of the command.
type clusterError struct{ cause error }

func (e *clusterError) Error() string { return e.cause.Error() }
func (e *clusterError) Unwrap() error { return e.cause }

// Run implements run.Pool. A stage that is complete is fetched, one that is announced
// served; one that nobody announced while a later one is, because the cluster forgot
// it, is computed here alone.
func (h *home) Run(ctx context.Context, w run.Work) (*run.Folder, error) {
	f, err := h.run(ctx, w)
	if errors.Is(err, errGone) {
		return nil, run.ErrServed
	}
	return f, err
}

func (h *home) run(ctx context.Context, w run.Work) (*run.Folder, error) {
	name, err := stageName(h.root, w.Dir)
	if err != nil {
		return nil, err
	}
	stages, err := h.l.stages(ctx)
	if err != nil {
		return nil, &clusterError{err}
	}
	at := slices.IndexFunc(stages, func(s stageInfo) bool { return s.Name == name })
	if at < 0 {
		if slices.ContainsFunc(stages, func(s stageInfo) bool { return !s.Done }) {
			h.log("run %s: the cluster has nothing of %s, which comes first: it is computed here", h.job.ID, name)
			w.Resume = true
			return run.Alone{}.Run(ctx, w)
		}
		h.again = true // it may be announced at any time, with what its submitter has settled
		return nil, run.ErrServed
	}
	info := stages[at]
	if !h.laid[laidKey(info)] {
		h.again = true
		return nil, run.ErrServed
	}
	if _, err := os.Stat(filepath.Join(w.Dir, manifestFile)); errors.Is(err, os.ErrNotExist) {
		delete(h.laid, laidKey(info)) // it was merged and discarded
		if err := h.lay(ctx, info); err != nil {
			return nil, err
		}
	}
	w.Resume = true
	f, unlock, err := w.Open()
	if err != nil {
		return nil, err
	}
	defer unlock()
	st, err := h.l.join(ctx, info, false)
	if err != nil {
		return nil, &clusterError{err}
	}
	if info.Done {
		return f, h.fetchAll(ctx, w, st, f)
	}
	h.reached = true
	return nil, h.serve(ctx, w, st, f)
}

// fetchAll brings all results of a stage into the folder.
func (h *home) fetchAll(ctx context.Context, w run.Work, st *stage, f *run.Folder) error {
	commits, _, err := st.read(ctx)
	if err != nil {
		return &clusterError{err}
	}
	var shared *run.Folder
	if h.job.Shared != "" {
		if shared, err = h.joinShared(st, w); err != nil {
			return err
		}
	}
	todo := make(chan int, st.Shards)
	for i := range st.Shards {
		_, ok := commits[i]
		if !ok {
			return fmt.Errorf("%s is said to be complete, but %s is not committed", st.Name, w.ShardName(i))
		}
		todo <- i
	}
	close(todo)
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	var all sync.WaitGroup
	for range fetchers {
		all.Go(func() {
			for i := range todo {
				if ctx.Err() != nil {
					return
				}
				if err := h.fetch(ctx, st, f, shared, i, commits[i].Digest); err != nil {
					cancel(fmt.Errorf("%s of %s, an earlier stage: %w", w.ShardName(i), st.Name, err))
				}
			}
		})
	}
	all.Wait()
	return context.Cause(ctx)
}

// fetch brings a result into the folder, unless it was computed here.
func (h *home) fetch(ctx context.Context, st *stage, f, shared *run.Folder, i int, digest string) error {
	if f.Done(i) && f.Digest(i) != digest {
		if err := f.Drop(i); err != nil {
			return err
		}
	}
	err := f.Adopt(i, digest)
	var damaged *run.DamagedError
	if !errors.As(err, &damaged) {
		return err
	}
	return fetchResult(f, i, digest, func(to io.Writer) error {
		if shared != nil {
			_, err := copyFile(ctx, to, shared.Path(i))
			return err
		}
		return h.blobs.get(ctx, resultBlob(st.Number, i, digest), to)
	})
}

// joinShared opens the folder of a stage that all see.
func (h *home) joinShared(st *stage, w run.Work) (*run.Folder, error) {
	dir := filepath.Join(h.job.Shared, filepath.FromSlash(st.Name))
	f, err := run.Join(dir, w.Manifest)
	if err != nil {
		return nil, refuse("--shared: %w", err)
	}
	return f, nil
}

// serve computes shards until none is left, and returns run.ErrServed.
func (h *home) serve(ctx context.Context, w run.Work, st *stage, f *run.Folder) error {
	target := f
	if h.job.Shared != "" {
		var err error
		if target, err = h.joinShared(st, w); err != nil {
			return err
		}
	}
	outer := ctx
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	s := &service{home: h, Work: w, st: st, f: target}
	watched := make(chan struct{})
	go func() {
		defer close(watched)
		s.watch(ctx, cancel, max(w.AtOnce, 1))
	}()
	var all sync.WaitGroup
	for range max(w.AtOnce, 1) {
		all.Go(func() {
			for ctx.Err() == nil {
				if err := s.one(ctx); err != nil {
					cancel(err) // the first stands
				}
			}
		})
	}
	all.Wait()
	cancel(nil)
	<-watched
	if outer.Err() != nil {
		return outer.Err()
	}
	return context.Cause(ctx)
}

// service is a stage under way in a worker.
type service struct {
	*home
	run.Work
	st   *stage
	f    *run.Folder  // takes the results
	idle atomic.Int32 // goroutines that wait for a shard
}

// watch ends the work where all goroutines wait and nothing is left to do, and where
// the run is not in the cluster any more.
func (s *service) watch(ctx context.Context, end context.CancelCauseFunc, goroutines int) {
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
		case err == nil && resting && int(s.idle.Load()) == goroutines && info.NumPending == 0 && info.NumAckPending == 0:
			end(run.ErrServed)
		case err != nil && gone(err):
			end(errGone)
		}
	}
}

// one leases a shard and computes it.
func (s *service) one(ctx context.Context) error {
	s.idle.Add(1)
	l, err := s.st.lease(ctx)
	s.idle.Add(-1)
	if err != nil {
		return s.lasting(err)
	}
	i := l.Shard
	r, err := s.compute(ctx, i)
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
		s.log("%s failed: %v", s.ShardName(i), err)
		_, err := l.fail(ctx, err)
		return s.lasting(err)
	}
	return s.deliver(ctx, l, r)
}

// compute computes a shard: into the folder that all see, or else to be sent.
func (s *service) compute(ctx context.Context, i int) (*result, error) {
	if s.job.Shared == "" {
		return computeResult(ctx, s.Work, i, s.f.Dir())
	}
	digest, size, err := s.Compute(ctx, s.f, i)
	return &result{digest: digest, size: size, path: dataPath(s.f.Dir(), i, digest)}, err
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
	if s.job.Shared == "" {
		data, err := r.reader()
		if err == nil {
			err = s.blobs.put(ctx, blob, data)
		}
		if err != nil {
			l.giveBack()
			return s.lasting(err)
		}
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
		err = s.drop(ctx, r, blob)
	} else if s.job.Shared == "" {
		err = r.keep(dataPath(s.f.Dir(), i, r.digest))
	}
	if err != nil {
		l.giveBack()
		return err
	}
	return s.end(ctx, l)
}

// end takes a committed shard out of the queue. A server that was killed meanwhile may
// know nothing of the lease, and does not answer then: the shard is leased again, and
// found to be done.
func (s *service) end(ctx context.Context, l *lease) error {
	brief, cancel := context.WithTimeout(ctx, ackTime)
	defer cancel()
	if err := l.done(brief); err != nil && brief.Err() == nil {
		return s.lasting(err)
	}
	return nil
}

// drop removes a result that came too late, and is not what stands.
func (s *service) drop(ctx context.Context, r *result, blob string) error {
	if s.job.Shared == "" {
		return s.lasting(s.blobs.drop(ctx, blob))
	}
	if err := os.Remove(r.path); err != nil && !errors.Is(err, os.ErrNotExist) {
		return &run.StoreError{Dir: s.f.Dir(), Err: err}
	}
	return nil
}
