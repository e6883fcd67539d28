package run

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"tattle/internal/file"
)

// A Pool computes work: alone, or together with other processes.
type Pool interface {
	// Run computes the shards that are missing and returns the folder of all of them. A
	// shard that fails MaxAttempts times is set aside and does not stop the rest; Run
	// then returns a *FailedError once the rest is done. If ctx ends, its error
	// wraps ctx's; what was committed is kept.
	Run(ctx context.Context, w Work) (*Folder, error)
}

// Leader is the pool of the process that leads a run; the zero value is the usual one. It
// computes the shards together with any processes that share the folder, or alone.
type Leader struct {
	Files      *file.Dir // changes the files of the run; nil: any files
	KeepFailed bool      // do not try again what was set aside before
}

// Run implements Pool.
func (l Leader) Run(ctx context.Context, w Work) (*Folder, error) {
	f, unlock, err := w.Open(l.Files)
	if err != nil {
		return nil, err
	}
	defer unlock()
	merging := filepath.Join(w.Dir, mergingName)
	if err := l.Files.Remove(merging); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, &StoreError{w.Dir, err}
	}
	if !l.KeepFailed {
		if err := f.retryAll(); err != nil {
			return nil, err
		}
	}
	err = w.share(ctx, f)
	if err == nil && len(f.Remaining()) > 0 {
		failures, listed := f.Failures()
		if err = listed; err == nil {
			err = &FailedError{Dir: w.Dir, Shards: f.Len(), Failures: failures}
		}
	}
	if err == nil {
		err = l.Files.WriteBytes(merging, nil)
	}
	return f, err
}

// mergingName is a file in the folder of a stage that is complete: its shards may go, and are not
// to be computed again.
const mergingName = ".merging"

// Preparer is a pool that begins the first stage that has shards to compute, and then stops
// the process: others compute them.
type Preparer struct {
	Files *file.Dir // as in Leader
	Stop  func()    // ends the context of the work
}

// Run implements Pool.
func (p Preparer) Run(ctx context.Context, w Work) (*Folder, error) {
	f, unlock, err := w.Open(p.Files)
	if err != nil {
		return nil, err
	}
	unlock()
	if len(f.Remaining()) > 0 {
		p.Stop()
		return nil, &InterruptedError{"the run is prepared", context.Canceled}
	}
	return f, nil
}

// Follower is the pool of a process that helps the one that leads a run. It carries out
// the same work in a folder of its own, Scratch, a copy of the run's as Copy makes it. The
// shards of the stage under way are computed in Root.
type Follower struct {
	Root, Scratch string
	Files         *file.Dir // changes the files in Root; nil: any files
	Stop          func()    // ends the context of the work
	Log           func(format string, a ...any)
}

// Run computes shards of a stage that is incomplete until none is left, and then stops the
// process's work: the leader merges them. It returns the folder of a complete stage, which the
// leader still needs. A stage that the leader has not begun is waited for.
func (p Follower) Run(ctx context.Context, w Work) (*Folder, error) {
	name, err := filepath.Rel(p.Scratch, w.Dir)
	if err != nil || !filepath.IsLocal(name) {
		return nil, fmt.Errorf("the folder of a stage, %s, is not in %s", w.Dir, p.Scratch)
	}
	w.Dir = filepath.Join(p.Root, name)
	for !file.Exists(filepath.Join(w.Dir, ManifestName)) {
		select {
		case <-ctx.Done():
			return nil, ctx.Err()
		case <-time.After(pollEvery):
		}
	}
	f, err := p.join(ctx, w)
	if f == nil && err == nil || errors.Is(err, fs.ErrNotExist) { // the leader merges it
		p.Stop()
		err = &InterruptedError{"the stage is computed", context.Canceled}
	}
	return f, err
}

// join returns the folder of a complete stage. Of an incomplete one it computes what is left, and
// returns nil.
func (p Follower) join(ctx context.Context, w Work) (*Folder, error) {
	unlock, err := file.Share(w.Dir)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", w.Dir, err)
	}
	defer unlock()
	f, err := Join(p.Files, w.Dir, w.Manifest)
	if err != nil {
		return nil, err
	}
	if len(f.Remaining()) == 0 {
		if err := f.Whole(ctx); err != nil {
			return nil, err
		}
		return f, nil
	}
	w.Progress, w.Do = nil, p.logged(w)
	return nil, w.share(ctx, f)
}

// logged is Do with a line in the log for each shard.
func (p Follower) logged(w Work) func(ctx context.Context, i int, to io.Writer) error {
	return func(ctx context.Context, i int, to io.Writer) error {
		began := time.Now()
		err := w.Do(ctx, i, to)
		switch {
		case err == nil:
			p.Log("shard %d (%s) done in %.1f s", i, w.ShardName(i), time.Since(began).Seconds())
		case ctx.Err() == nil:
			p.Log("shard %d (%s) failed: %s", i, w.ShardName(i), file.Name(err.Error()))
		}
		return err
	}
}

// Waits reports whether a stage of the run in a folder has shards to compute.
func Waits(ctx context.Context, dir string) (bool, error) {
	runs, err := Scan(ctx, dir)
	for _, r := range runs {
		for _, s := range r.Stages {
			dir := filepath.Join(r.Dir, filepath.FromSlash(s.Name))
			if !s.Merged && s.Problem == "" && s.Done+s.Failed < s.Shards && !file.Exists(filepath.Join(dir, mergingName)) {
				return true, nil
			}
		}
	}
	return false, err
}

// Copy copies the results of a run under way in root into dir: all files but shards. The
// manifests of stages are among them.
func Copy(ctx context.Context, root, dir string) error {
	return filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		switch {
		case errors.Is(err, fs.ErrNotExist):
			return nil // the leader has removed it
		case err != nil:
			return err
		case ctx.Err() != nil:
			return ctx.Err()
		}
		name, err := filepath.Rel(root, path)
		if err != nil {
			return err
		}
		to := filepath.Join(dir, name)
		if d.IsDir() {
			return os.MkdirAll(to, 0o700)
		}
		if _, _, shard := shardFile(d.Name()); shard || strings.HasPrefix(d.Name(), ".") || !d.Type().IsRegular() {
			return nil
		}
		err = (*file.Dir)(nil).LinkOrCopy(path, to) // files are replaced and never written again
		if errors.Is(err, fs.ErrNotExist) {
			return nil
		}
		return err
	})
}
