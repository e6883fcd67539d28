// Package run carries a long computation through: random numbers that belong
// to an example and not to the order of work, files that are written whole or
// not at all, and folders of shards from which an interrupted run goes on.
package run

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime/debug"
	"strings"
	"syscall"
	"time"

	"tattle/internal/file"
)

// Work is one stage of a run: shards that do not need one another, each computed from
// its number alone, so that it does not matter who computes which, when, or how often.
type Work struct {
	Dir      string   // keeps the shards; made where there is none
	Manifest Manifest // says what they are of, and how many
	Resume   bool     // go on with what is in Dir, be it a run of the same manifest or nothing
	AtOnce   int      // shards that one process computes at a time; 0 is 1
	// Do computes shard i. It is called at least once for each, by any process that
	// takes part, and must write the same bytes each time.
	Do func(ctx context.Context, i int, w io.Writer) error
	// Name says what shard i is, such as "examples 64 to 127"; nil names it by number.
	Name func(i int) string
	// Progress, unless nil, is called with the folder when work begins and after each commit,
	// also of a shard that another process computed. Calls do not overlap.
	Progress func(f *Folder)
}

// ShardName says what shard i is.
func (w Work) ShardName(i int) string {
	if w.Name != nil {
		return w.Name(i)
	}
	return fmt.Sprintf("shard %d", i)
}

// ReportProgress calls Progress, if it is set, with the folder.
func (w Work) ReportProgress(f *Folder) {
	if w.Progress != nil {
		w.Progress(f)
	}
}

// Open opens the folder of the work, or makes it, as Resume says, and shares it until unlock is
// called: others who share it can commit shards meanwhile. Its files are changed by files. The error
// is a *MismatchError if the folder holds another run.
func (w Work) Open(files *file.Dir) (f *Folder, unlock func(), err error) {
	if err := files.MkdirAll(w.Dir); err != nil {
		return nil, nil, fmt.Errorf("start a run: %w", err)
	}
	open := Create
	if _, err := os.Lstat(filepath.Join(w.Dir, ManifestName)); err == nil && w.Resume {
		open = Open
	}
	if f, err = open(files, w.Dir, w.Manifest); err != nil {
		return nil, nil, err
	}
	if unlock, err = file.Share(w.Dir); err != nil {
		return nil, nil, fmt.Errorf("%s: %w", w.Dir, err)
	}
	return f, unlock, nil
}

// A StoreError says that results could not be kept: the disk is full, or the folder is
// gone. That is no shard's fault: it does not count as an attempt.
type StoreError struct {
	Dir string
	Err error
}

// Error names the folder and the fix.
func (e *StoreError) Error() string {
	fix := "see that the folder is there and can be written"
	if IsFull(e.Err) {
		fix = "make room there"
	}
	return fmt.Sprintf("results cannot be kept in %s: %v: %s, then go on; what is finished is kept", file.Name(e.Dir), e.Err, fix)
}

// Unwrap returns the cause.
func (e *StoreError) Unwrap() error { return e.Err }

// IsFull reports whether an error says that a disk is full.
func IsFull(err error) bool {
	return errors.Is(err, syscall.ENOSPC) || errors.Is(err, syscall.EDQUOT) || errors.Is(err, syscall.EFBIG)
}

// A PanicError is what became of a shard that panicked.
type PanicError struct {
	Value any
	Stack []byte // of the goroutine, for a bug report
}

// Error is one line, without the stack.
func (e *PanicError) Error() string {
	return "a bug in tattle: " + strings.ReplaceAll(fmt.Sprint(e.Value), "\n", " ")
}

// Compute computes shard i and puts its data into the folder, without committing them.
// It returns an error of Do unchanged, and a panic as a *PanicError; both count as an attempt.
// If the data cannot be written it returns a *StoreError, and if ctx ended meanwhile an error
// that wraps ctx's; these do not count.
func (w Work) Compute(ctx context.Context, f *Folder, i int) (digest string, err error) {
	if err := ctx.Err(); err != nil {
		return "", err
	}
	return f.Put(i, func(to io.Writer) error {
		err := w.do(ctx, i, to)
		switch {
		case err == nil:
		case ctx.Err() != nil:
			err = fmt.Errorf("%s: %w", w.ShardName(i), ctx.Err())
		case IsFull(err):
			err = &StoreError{f.dir, err}
		}
		return err
	})
}

// do computes shard i; it does not panic.
func (w Work) do(ctx context.Context, i int, to io.Writer) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = &PanicError{p, debug.Stack()}
		}
	}()
	return w.Do(ctx, i, to)
}

// Interruptible returns what f does, or ctx's error as soon as that ends: f is
// then left to itself, and what it works with must not be touched again.
func Interruptible[T any](ctx context.Context, f func() (T, error)) (T, error) {
	type outcome struct {
		value T
		err   error
	}
	done := make(chan outcome, 1)
	go func() {
		v, err := f()
		done <- outcome{v, err}
	}()
	select {
	case o := <-done:
		return o.value, o.err
	case <-ctx.Done():
		var none T
		return none, ctx.Err()
	}
}

// Rand returns the generator of one restart (or draw) of one example: ChaCha8
// keyed by the SHA-256 of seed, example and restart, each as 8 bytes, big
// endian. What it draws depends on these three alone, however examples are
// batched, ordered or spread over machines.
func Rand(seed uint64, example, restart int) *rand.Rand {
	b := make([]byte, 0, 24)
	b = binary.BigEndian.AppendUint64(b, seed)
	b = binary.BigEndian.AppendUint64(b, uint64(example))
	b = binary.BigEndian.AppendUint64(b, uint64(restart))
	return rand.New(rand.NewChaCha8(sha256.Sum256(b)))
}

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
