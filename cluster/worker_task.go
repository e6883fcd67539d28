package cluster

import (
	"context"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"slices"

	"golang.org/x/sync/errgroup"

	"tattle/internal/file"
	"tattle/run"
)

const fetchers = 4 // results of earlier stages that are fetched at a time

// Announced says whether a worker is to look at the stage in dir: not where that is
// complete. A command asks this of its pool where nothing of what follows needs the
// stage's shards, which are then not fetched.
func (h *home) Announced(ctx context.Context, dir string) bool {
	name, err := stageName(h.root, dir)
	if err != nil {
		return true // Run says what is wrong
	}
	stages, err := h.l.stages(ctx)
	return err != nil || !slices.ContainsFunc(stages, func(s stageInfo) bool { return s.Name == name && s.Done })
}

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
	w.Resume = true
	at := slices.IndexFunc(stages, func(s stageInfo) bool { return s.Name == name })
	if at < 0 && slices.ContainsFunc(stages, func(s stageInfo) bool { return !s.Done }) {
		h.log("run %s: the cluster has nothing of %s, which comes first: it is computed here", h.job.ID, name)
		return run.Alone{}.Run(ctx, w)
	}
	if at < 0 || !h.laid[laidKey(stages[at])] {
		h.again = true // it may be announced at any time, with what its submitter has settled
		return nil, run.ErrServed
	}
	info := stages[at]
	if !file.Exists(filepath.Join(w.Dir, run.ManifestName)) {
		delete(h.laid, laidKey(info)) // it was merged and discarded
		if err := h.lay(ctx, info); err != nil {
			return nil, err
		}
	}
	if info.Shards != w.Manifest.Shards {
		return nil, refuse("%s has %d shards in the cluster and %d here", name, info.Shards, w.Manifest.Shards)
	}
	f, release, err := h.open(w, name)
	if err != nil {
		return nil, err
	}
	defer release()
	st, err := h.l.join(ctx, info, false)
	if err != nil {
		return nil, &clusterError{err}
	}
	switch {
	case info.Done && h.job.Shared != "":
		return f, f.Whole(ctx)
	case info.Done:
		return f, h.fetchAll(ctx, w, st, f)
	}
	h.reached = true
	return nil, h.serve(ctx, w, st, f)
}

// open opens the folder for the shards of a stage: the run's, if all workers see that, and
// else one of this worker's own. Until release is called no link leads out of the run's.
func (h *home) open(w run.Work, stage string) (f *run.Folder, release func(), err error) {
	root := h.job.Shared
	if root == "" {
		return w.Open()
	}
	switch is, err := readSubmitted(root); {
	case err != nil:
		return nil, nil, refuse("--shared: %w: every worker must see the run's folder under this path", err)
	case is.ID != h.job.ID:
		return nil, nil, refuse("--shared: %s is the folder of run %.16q here: every worker must see the run's folder under this path", root, is.ID)
	}
	if release, err = file.Confine(root); err != nil {
		return nil, nil, refuse("--shared: %w", err)
	}
	if f, err = run.Join(filepath.Join(root, filepath.FromSlash(stage)), w.Manifest); err != nil {
		release()
		return nil, nil, refuse("--shared: %w", err)
	}
	return f, release, nil
}

// fetchAll brings all results of a stage into the folder.
func (h *home) fetchAll(ctx context.Context, w run.Work, st *stage, f *run.Folder) error {
	commits, err := readShards[commitRecord](ctx, st, "commit")
	if err != nil {
		return &clusterError{err}
	}
	all, ctx := errgroup.WithContext(ctx)
	all.SetLimit(fetchers)
	for i := range st.Shards {
		c, ok := commits[i]
		if !ok {
			return fmt.Errorf("%s is said to be complete, but %s is not committed", st.Name, w.ShardName(i))
		}
		all.Go(func() error {
			if err := h.fetch(ctx, w, st, f, i, c); err != nil {
				return fmt.Errorf("%s of %s, an earlier stage: %w", w.ShardName(i), st.Name, err)
			}
			return nil
		})
	}
	return all.Wait()
}

// fetch brings a result into the folder, unless it was computed here. Where it is
// damaged it is computed again, which gives the same.
func (h *home) fetch(ctx context.Context, w run.Work, st *stage, f *run.Folder, i int, c commitRecord) error {
	if ctx.Err() != nil {
		return ctx.Err()
	}
	if f.Done(i) && f.Digest(i) != c.Digest {
		if err := f.Drop(i); err != nil {
			return err
		}
	}
	err := fmt.Errorf("%w: its digest is %.80q", errDamaged, c.Digest)
	if run.IsDigest(c.Digest) {
		err = f.Adopt(i, c.Digest) // if it was computed here
		if damaged(err) {
			err = h.blobs.fetch(ctx, f, st.Number, i, c)
		}
	}
	if !damaged(err) {
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

// fetch commits a result in the cluster to a folder.
func (b blobs) fetch(ctx context.Context, f *run.Folder, stage, i int, c commitRecord) error {
	_, _, err := f.Put(i, func(to io.Writer) error {
		return b.get(ctx, resultBlob(stage, i, c.Digest), c.Digest, c.Size, to)
	})
	if err == nil {
		err = f.Record(i, c.Digest)
	}
	if lost, ok := errors.AsType[*run.CommittedError](err); ok && !lost.Differs() {
		return nil
	}
	return err
}

// damaged says that a result is not there, or not what was committed.
func damaged(err error) bool {
	_, ok := errors.AsType[*run.DamagedError](err)
	return ok || errors.Is(err, errDamaged)
}
