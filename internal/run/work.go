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
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime/debug"
	"strings"
	"syscall"

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
