package cluster

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"sync"

	"tattle/run"
)

const fetchers = 4 // results of earlier stages that are fetched at a time

// Run implements run.Pool. If the stage is complete, its results are fetched; if it is announced,
// its shards are computed together with other workers. If only a later stage is announced, the
// cluster has lost this one: it is computed here alone.
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
	if info.Shards != w.Manifest.Shards {
		return nil, refuse("%s has %d shards in the cluster and %d here", name, info.Shards, w.Manifest.Shards)
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
				if err := h.fetch(ctx, w, st, f, shared, i, commits[i]); err != nil {
					cancel(fmt.Errorf("%s of %s, an earlier stage: %w", w.ShardName(i), st.Name, err))
				}
			}
		})
	}
	all.Wait()
	return context.Cause(ctx)
}

// fetch brings a result into the folder, unless it was computed here. Where it is
// damaged it is computed again, which gives the same.
func (h *home) fetch(ctx context.Context, w run.Work, st *stage, f, shared *run.Folder, i int, c commitRecord) error {
	err := h.bring(ctx, st, f, shared, i, c)
	var damaged *run.DamagedError
	if !errors.As(err, &damaged) && !errors.Is(err, errDamaged) {
		return err
	}
	h.log("%s of %s, an earlier stage, is damaged (%v): it is computed here", w.ShardName(i), st.Name, err)
	digest, _, err := w.Compute(ctx, f, i)
	if err == nil && digest != c.Digest {
		err = &run.CommittedError{Shard: i, Committed: c.Digest, Other: digest}
	}
	if err != nil {
		return err
	}
	return f.Record(i, digest)
}

func (h *home) bring(ctx context.Context, st *stage, f, shared *run.Folder, i int, c commitRecord) error {
	digest := c.Digest
	if !run.IsDigest(digest) {
		return &run.DamagedError{Shard: i, Want: digest}
	}
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
	return fetchResult(f, i, c, func(to io.Writer) error {
		if shared != nil {
			_, err := copyFile(ctx, to, shared.Path(i))
			return err
		}
		return h.blobs.get(ctx, resultBlob(st.Number, i, digest), to)
	})
}

// joinShared opens the folder of a stage that all see.
func (h *home) joinShared(st *stage, w run.Work) (*run.Folder, error) {
	is, err := readSubmitted(h.job.Shared)
	if err != nil {
		return nil, refuse("--shared: %w: every worker must see the run's folder under this path", err)
	}
	if is.ID != h.job.ID {
		return nil, refuse("--shared: %s is the folder of run %.16q here: every worker must see the run's folder under this path", h.job.Shared, is.ID)
	}
	dir := filepath.Join(h.job.Shared, filepath.FromSlash(st.Name))
	f, err := run.Join(dir, w.Manifest)
	if err != nil {
		return nil, refuse("--shared: %w", err)
	}
	return f, nil
}
