package cluster

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"tattle/internal/file"
	"tattle/run"
)

// A refusalError says why a worker does not take part in a run.
type refusalError struct{ cause error }

func (e *refusalError) Error() string { return e.cause.Error() }
func (e *refusalError) Unwrap() error { return e.cause }

func refuse(format string, a ...any) error { return &refusalError{fmt.Errorf(format, a...)} }

// fits returns an error if this program is not the run's.
func (w *shardWorker) fits(j Job) error {
	p := w.o.Program
	switch {
	case p.Version != j.Program.Version:
		return refuse("its program is %s, the run's %s", p.Version, j.Program.Version)
	case p.Kernels != j.Program.Kernels:
		return refuse("its program computes with %s, the run's with %s", p.Kernels, j.Program.Kernels)
	case p.Executable != j.Program.Executable:
		return refuse("its program is another build (SHA-256 %.16s…) than the run's (%.16s…), and the version %s does not tell them apart", p.Executable, j.Program.Executable, p.Version)
	}
	return nil
}

// carryOut executes the command line of a run, after checking that this program can compute the same.
func (w *shardWorker) carryOut(ctx context.Context, j Job, l *ledger) (worked bool, err error) {
	if err := w.fits(j); err != nil {
		return false, err
	}
	h, err := w.home(ctx, j, l)
	if err == nil {
		err = h.layOut(ctx)
	}
	if err != nil {
		return false, err
	}
	state := WorkerState{Name: w.o.Name, At: time.Now().UTC(), Done: h.done}
	if err := l.recordWorker(ctx, state); err != nil {
		return false, err
	}
	w.o.Log("run %s: tattle %s", j.ID, file.Line(strings.Join(j.Args, " ")))
	reporting, stop := context.WithCancel(ctx)
	var reports sync.WaitGroup
	reports.Go(func() { h.reportState(reporting) })
	err = h.execute(ctx, w.o.Execute)
	stop()
	reports.Wait()
	worked = h.done > state.Done
	state.At, state.Done = time.Now().UTC(), h.done
	if ctx.Err() == nil {
		if failed := l.recordWorker(ctx, state); failed != nil && err == nil {
			err = failed
		}
	}
	return worked, err
}

// home returns the worker's place for a run, with all inputs there.
func (w *shardWorker) home(ctx context.Context, j Job, l *ledger) (*home, error) {
	known := w.of(j.ID)
	if h := known.home; h != nil && slices.Equal(h.job.Inputs, j.Inputs) && h.job.Shared == j.Shared && h.job.Cwd == j.Cwd {
		h.job, h.l, h.blobs.l = j, l, l
		if j.Shared == "" {
			for _, path := range h.paths {
				w.cache.touch(path)
			}
		}
		return h, nil
	}
	known.leave() // it was resumed otherwise
	switch {
	case !isID(j.ID):
		return nil, refuse("its ID is %q", j.ID)
	case j.Shared != "" && !filepath.IsAbs(j.Shared):
		return nil, refuse("its shared folder is %q, as seen from nobody knows where", j.Shared)
	}
	b, err := openBlobs(ctx, l, false)
	if err != nil {
		return nil, err
	}
	h := &home{job: j, l: l, blobs: b, name: w.o.Name, log: w.o.Log, better: w.better, comeBack: w.o.comeBack, dir: filepath.Join(w.scratch, j.ID), laid: map[string]bool{}, paths: map[string]string{}}
	h.root = filepath.Join(h.dir, "out")
	if err := os.MkdirAll(h.root, 0o700); err != nil {
		return nil, &run.StoreError{Dir: h.root, Err: err}
	}
	for _, i := range j.Inputs {
		if h.paths[i.Path], err = w.input(ctx, j, b, i); err != nil {
			return nil, err
		}
	}
	known.home = h
	return h, nil
}

// input returns where an input is, which is what the submitter has.
func (w *shardWorker) input(ctx context.Context, j Job, b blobs, i Input) (string, error) {
	if j.Shared == "" {
		return w.cache.get(ctx, b, i)
	}
	path := pathFrom(j.Cwd, i.Path)
	found, _, _, err := hashInput(ctx, path)
	switch {
	case ctx.Err() != nil:
		return "", ctx.Err()
	case err != nil:
		return "", refuse("%s: %w: with --shared every worker must see the submitter's files", i.Name, err)
	case found != i.SHA256:
		return "", refuse("%s %s is not what the submitter has: its SHA-256 is %.16s… here and %.16s… there", i.Name, path, found, i.SHA256)
	}
	return path, nil
}

const stateEvery = 20 * time.Second // how far a worker is

// home is a worker's place for a run, and the pool of its command line.
type home struct {
	job      Job
	l        *ledger
	blobs    blobs
	name     string // of the worker
	log      func(format string, a ...any)
	better   func(ctx context.Context, id string, older bool) bool // is there another run to work on
	comeBack time.Duration                                         // after which it asks for an older one, too
	dir      string
	root     string            // the copy of the run's folder
	laid     map[string]bool   // stages whose manifest was put there, by name and digest
	paths    map[string]string // of inputs

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
	if !run.IsDigest(s.Manifest) {
		return refuse("the manifest of %s has the digest %q", s.Name, s.Manifest)
	}
	var data bytes.Buffer
	if err := h.blobs.get(ctx, manifestBlob(s.Manifest), s.Manifest, mostManifest, &data); errors.Is(err, errDamaged) {
		return refuse("the manifest of %s: %w", s.Name, err)
	} else if err != nil {
		return err
	}
	if err = os.RemoveAll(dir); err == nil {
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
	case run.IsFull(err):
		return &run.StoreError{Dir: h.root, Err: err}
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

// reportState stores the state of this worker regularly, until ctx ends.
func (h *home) reportState(ctx context.Context) {
	for pause(ctx, stateEvery); ctx.Err() == nil; pause(ctx, stateEvery) {
		h.mu.Lock()
		state := WorkerState{Name: h.name, At: time.Now().UTC(), Done: h.done}
		h.mu.Unlock()
		h.l.recordWorker(ctx, state) // or the next time
	}
}
