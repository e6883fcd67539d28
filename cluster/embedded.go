package cluster

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"syscall"
	"time"

	"tattle/run"
)

// Embedded computes work in this process, with a ledger that nobody else can reach: a
// server in the process, without a socket, that keeps its store in the work's folder.
// The folder's records are what counts: a ledger that is missing or damaged is made anew,
// with what they lack. It implements run.Pool.
type Embedded struct {
	Lease time.Duration                 // 0 is 30 s
	Log   func(format string, a ...any) // is told, in a line each, what a user may wonder about; nil tells nobody
}

const (
	ledgerDir        = "ledger"         // in the folder of the work
	embeddedID       = "here"           // of a ledger that is one run's alone
	embeddedPatience = 30 * time.Second // for a server in the same process: only a disk can keep it waiting
)

// Run implements run.Pool.
func (e Embedded) Run(ctx context.Context, w run.Work) (*run.Folder, error) {
	f, unlock, err := w.Open()
	if err != nil {
		return nil, err
	}
	defer unlock()
	w.Tell(f)
	store := filepath.Join(w.Dir, ledgerDir)
	if left := len(f.Remaining()); left > 0 {
		failures, err := e.compute(ctx, w, f, store)
		if err != nil {
			return f, err
		}
		if len(failures) > 0 {
			return f, &run.FailedError{Dir: w.Dir, Shards: f.Len(), Failures: failures}
		}
	}
	if err := os.RemoveAll(store); err != nil {
		e.log("the ledger of a finished run stays: %v", err)
	}
	return f, nil
}

func (e Embedded) log(format string, a ...any) {
	if e.Log != nil {
		e.Log(format, a...)
	}
}

// compute does what is left, and returns what was set aside.
func (e Embedded) compute(ctx context.Context, w run.Work, f *run.Folder, store string) ([]run.Failure, error) {
	h, s, err := e.begin(ctx, w, f, store)
	if err != nil {
		return nil, err
	}
	defer h.stop()
	l := &loop{Work: w, folder: f, stage: s, left: len(f.Remaining())}
	failures, err := l.run(ctx)
	return failures, e.explain(ctx, w.Dir, h, err)
}

// begin starts the server and makes ledger and folder agree. A store that does not serve
// is made anew, once.
func (e Embedded) begin(ctx context.Context, w run.Work, f *run.Folder, store string) (*host, *stage, error) {
	_, statErr := os.Lstat(store)
	h, s, err := e.open(ctx, w, f, store)
	if err == nil || ctx.Err() != nil || h.full() || !hasRoom(w.Dir) || errors.Is(statErr, fs.ErrNotExist) {
		return h, s, e.explain(ctx, w.Dir, h, err)
	}
	e.log("the ledger in %s does not serve (%v): it is made anew, with what the folder lacks", store, err)
	if err := os.RemoveAll(store); err != nil {
		return nil, nil, &run.StoreError{Dir: w.Dir, Err: err}
	}
	h, s, err = e.open(ctx, w, f, store)
	return h, s, e.explain(ctx, w.Dir, h, err)
}

// open starts the server; where it errs the server is stopped.
func (e Embedded) open(ctx context.Context, w run.Work, f *run.Folder, store string) (*host, *stage, error) {
	manifest, err := manifestDigest(w.Dir)
	if err != nil {
		return nil, nil, err
	}
	h, err := startHost(store)
	if err != nil {
		return h, nil, err
	}
	s, err := e.enter(ctx, h, filepath.Base(w.Dir), manifest, f)
	if err == nil {
		err = h.damage()
	}
	if err != nil {
		h.stop()
	}
	return h, s, err
}

// enter opens the ledger and makes it agree with the folder.
func (e Embedded) enter(ctx context.Context, h *host, name, manifest string, f *run.Folder) (*stage, error) {
	l, err := openLedger(ctx, h.js, embeddedID, ledgerOptions{Lease: e.Lease, Patience: embeddedPatience, Sole: true, Broken: h.broken, Log: e.log})
	if err != nil {
		return nil, err
	}
	s, err := l.stage(ctx, name, manifest, f.Len())
	if err != nil {
		return nil, err
	}
	return s, s.reconcile(ctx, f)
}

// manifestDigest is what tells a stage from another of its name.
func manifestDigest(dir string) (string, error) {
	return run.Digest(filepath.Join(dir, "manifest.json"))
}

// explain says what an error of the ledger means to whoever runs the work.
func (e Embedded) explain(ctx context.Context, dir string, h *host, err error) error {
	var store *run.StoreError
	var lost *run.CommittedError
	switch {
	case err == nil:
		return nil
	case ctx.Err() != nil:
		return context.Cause(ctx)
	case errors.As(err, &store), errors.As(err, &lost):
		return err
	}
	if h.full() || !hasRoom(dir) {
		err = syscall.ENOSPC
	}
	return &run.StoreError{Dir: dir, Err: fmt.Errorf("its ledger: %w", err)}
}

// hasRoom tells whether a folder's disk still takes a little.
func hasRoom(dir string) bool {
	name := filepath.Join(dir, fmt.Sprintf(".room.%016x.tmp", rand.Uint64()))
	defer os.Remove(name)
	err := os.WriteFile(name, make([]byte, 1<<16), 0o666)
	return !errors.Is(err, syscall.ENOSPC) && !errors.Is(err, syscall.EDQUOT)
}

// worker is who commits in this process.
var worker = fmt.Sprintf("process %d", os.Getpid())

// sortFailures puts failures into the order of shards.
func sortFailures(f []run.Failure) []run.Failure {
	slices.SortFunc(f, func(a, b run.Failure) int { return a.Shard - b.Shard })
	return f
}
