package cluster

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"tattle/internal/file"
	"tattle/run"
)

const (
	workerPatience = 10 * time.Minute // for a server that is away while a shard is under way
	lookAgain      = 2 * time.Second  // for work, where nobody says that there is some
)

// Work takes shards of the cluster's runs until ctx ends, the named run ends, or
// nothing came for as long as Idle. A run that this worker cannot take part in it leaves
// alone, with the reason where the submitter finds it; of the named run that is the
// error that Work returns.
func (c *Conn) Work(ctx context.Context, o WorkerOptions) error {
	w := &taker{c: c, o: o, refused: map[string]bool{}, homes: map[string]*home{}}
	if err := w.prepare(); err != nil {
		return err
	}
	defer w.release()
	var err error
	if w.runs, err = c.registry(ctx); err != nil {
		return err
	}
	news := make(chan *nats.Msg, 1)
	sub, err := c.nc.ChanSubscribe(wakeSubject, news) // what does not fit is dropped
	if err != nil {
		return err
	}
	defer sub.Unsubscribe()
	touching, stop := context.WithCancel(ctx)
	defer stop()
	go w.touch(touching)
	return w.loop(ctx, news)
}

// touch says now and then which inputs are in use.
func (w *taker) touch(ctx context.Context) {
	for pause(ctx, touchEvery); ctx.Err() == nil; pause(ctx, touchEvery) {
		w.mu.Lock()
		for _, path := range w.inputs {
			w.cache.touch(filepath.Dir(path))
		}
		w.mu.Unlock()
	}
}

// taker is a process that takes shards.
type taker struct {
	c       *Conn
	o       WorkerOptions
	runs    registry
	cache   cache
	scratch string // of this process alone
	unlock  func()
	refused map[string]bool  // runs by ID
	homes   map[string]*home // by run
	last    time.Time        // that there was work

	mu     sync.Mutex
	inputs []string // in the cache
}

// prepare fills in what the options leave open, and makes room.
func (w *taker) prepare() (err error) {
	o := &w.o
	if o.Name == "" {
		host, _ := os.Hostname()
		o.Name = fmt.Sprintf("%s-%d", host, os.Getpid())
	}
	if o.Log == nil {
		o.Log = func(string, ...any) {}
	}
	if o.Scratch == "" {
		dir, err := os.UserCacheDir()
		if err != nil {
			return fmt.Errorf("%w: --scratch names a folder for inputs and results under way", err)
		}
		o.Scratch = filepath.Join(dir, "tattle", "worker")
	}
	if o.Scratch, err = filepath.Abs(o.Scratch); err != nil {
		return err
	}
	if o.Cache == 0 {
		o.Cache = defaultCache
	}
	w.cache = cache{filepath.Join(o.Scratch, "inputs"), o.Cache}
	w.last = time.Now()
	w.scratch, w.unlock, err = ownFolder(o.Scratch)
	if err != nil {
		return fmt.Errorf("--scratch: %w", err)
	}
	return nil
}

// ownFolder makes a folder of this process's own, and removes those of processes that
// are no more.
func ownFolder(dir string) (own string, unlock func(), err error) {
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return "", nil, err
	}
	left, _ := filepath.Glob(filepath.Join(dir, "run-*"))
	for _, old := range left {
		if info, err := os.Stat(old); err != nil || time.Since(info.ModTime()) < time.Minute {
			continue // it may be about to be locked
		}
		if unlock, err := file.Lock(old); err == nil {
			os.RemoveAll(old)
			unlock()
		}
	}
	if own, err = os.MkdirTemp(dir, "run-*"); err != nil {
		return "", nil, err
	}
	if unlock, err = file.Lock(own); err != nil {
		return "", nil, err
	}
	return own, unlock, nil
}

func (w *taker) release() {
	os.RemoveAll(w.scratch)
	w.unlock()
}

// loop works on what there is, the oldest run first.
func (w *taker) loop(ctx context.Context, news <-chan *nats.Msg) error {
	for {
		e, err := w.next(ctx)
		if errors.Is(err, errOver) {
			return nil
		}
		if err != nil {
			return err
		}
		if e != nil {
			worked, err := w.serve(ctx, *e)
			if err != nil {
				return err
			}
			if worked {
				w.last = time.Now()
				continue
			}
		}
		if w.o.Idle > 0 && time.Since(w.last) > w.o.Idle {
			w.o.Log("no work for %v", w.o.Idle)
			return nil
		}
		t := time.NewTimer(w.patience())
		select {
		case <-news:
		case <-t.C:
		case <-ctx.Done():
		}
		t.Stop()
		if ctx.Err() != nil {
			return ctx.Err()
		}
	}
}

// patience is how long nobody needs to look for work.
func (w *taker) patience() time.Duration {
	if w.o.Idle > 0 {
		return min(lookAgain, max(time.Until(w.last.Add(w.o.Idle)), 0)+time.Millisecond)
	}
	return lookAgain
}

// errOver says that the run that a worker was to work on has ended.
var errOver = errors.New("the run has ended")

// next returns the oldest run that has shards for this worker, nil where none has. It
// errs with errOver where the named run is not open.
func (w *taker) next(ctx context.Context) (*entry, error) {
	all, err := w.runs.entries(ctx)
	if err != nil {
		return nil, err
	}
	open := map[string]bool{}
	var found *entry
	for k, e := range all {
		open[e.Job.ID] = e.open()
		if found != nil || !e.open() || w.refused[e.Job.ID] || w.o.Run != "" && e.Job.ID != w.o.Run {
			continue
		}
		if some, err := w.hasShards(ctx, e.Job.ID); err != nil {
			return nil, err
		} else if some {
			found = &all[k]
		}
	}
	for id, h := range w.homes {
		if !open[id] {
			os.RemoveAll(h.dir)
			delete(w.homes, id)
		}
	}
	if w.o.Run != "" && !open[w.o.Run] {
		if _, known := open[w.o.Run]; known || w.last.IsZero() {
			return nil, errOver
		}
		return nil, fmt.Errorf("the cluster knows no run %s: tattle runs --cluster %s lists those it knows", w.o.Run, w.c.dial.URL)
	}
	return found, nil
}

// hasShards says whether shards of a run wait, or may yet be given back.
func (w *taker) hasShards(ctx context.Context, id string) (some bool, err error) {
	if !isID(id) {
		return false, nil
	}
	err = w.runs.retry(ctx, "look for work", attempt, func(ctx context.Context) error {
		s, err := w.c.js.Stream(ctx, queueName(id))
		if errors.Is(err, jetstream.ErrStreamNotFound) {
			return nil
		}
		if err == nil {
			some = s.CachedInfo().State.Msgs > 0
		}
		return err
	})
	return some, err
}

// serve takes part in a run until nothing is left to do of what is announced. It says
// whether it did anything.
func (w *taker) serve(ctx context.Context, e entry) (worked bool, err error) {
	l, err := openLedger(ctx, w.c.js, e.Job.ID, ledgerOptions{Join: true, Patience: workerPatience, Log: w.o.Log})
	if errors.Is(err, errGone) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	worked, err = w.carryOut(ctx, e.Job, l)
	var refusal *refusalError
	switch {
	case err == nil || errors.Is(err, errGone) && ctx.Err() == nil:
		return worked, nil
	case !errors.As(err, &refusal):
		return worked, err
	}
	w.refused[e.Job.ID] = true
	said := WorkerState{Name: w.o.Name, Refused: oneLine(refusal.Error()), At: time.Now().UTC()}
	if err := l.tell(ctx, said); err != nil && !errors.Is(err, errGone) {
		return worked, err
	}
	if w.o.Run != "" {
		return worked, fmt.Errorf("run %s: %w", e.Job.ID, refusal)
	}
	w.o.Log("run %s is left to others: %s", e.Job.ID, said.Refused)
	return worked, nil
}

func oneLine(s string) string { return strings.Join(strings.Fields(s), " ") }

// A refusalError says why a worker does not take part in a run.
type refusalError struct{ cause error }

func (e *refusalError) Error() string { return e.cause.Error() }
func (e *refusalError) Unwrap() error { return e.cause }

func refuse(format string, a ...any) error { return &refusalError{fmt.Errorf(format, a...)} }

// fits errs where this program is not the run's.
func (w *taker) fits(j Job) error {
	p := w.o.Program
	switch {
	case p.Version != j.Program.Version:
		return refuse("its program is %s, the run's %s", p.Version, j.Program.Version)
	case p.Kernels != j.Program.Kernels:
		return refuse("its program computes with %s, the run's with %s", p.Kernels, j.Program.Kernels)
	case !p.Definite() && j.Executable != "" && w.o.Executable != j.Executable:
		return refuse("its program is another build (SHA-256 %.16s…) than the run's (%.16s…), and the version %s does not tell them apart", w.o.Executable, j.Executable, p.Version)
	}
	return nil
}

// carryOut does the command line of a run, once it is clear that it is the same here.
func (w *taker) carryOut(ctx context.Context, j Job, l *ledger) (worked bool, err error) {
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
	if err := l.tell(ctx, state); err != nil {
		return false, err
	}
	w.o.Log("run %s: tattle %s", j.ID, strings.Join(j.Args, " "))
	err = h.execute(ctx, w.o.Execute)
	worked = h.done > state.Done
	state.At, state.Done = time.Now().UTC(), h.done
	if ctx.Err() == nil {
		if told := l.tell(ctx, state); told != nil && err == nil {
			err = told
		}
	}
	return worked, err
}

// home returns the worker's place for a run, with all inputs there.
func (w *taker) home(ctx context.Context, j Job, l *ledger) (*home, error) {
	if h := w.homes[j.ID]; h != nil {
		h.job, h.l, h.blobs.l = j, l, l
		return h, nil
	}
	if !isID(j.ID) {
		return nil, refuse("its ID is %q", j.ID)
	}
	b, err := openBlobs(ctx, l, false)
	if err != nil {
		return nil, err
	}
	h := &home{job: j, l: l, blobs: b, name: w.o.Name, log: w.o.Log, wake: w.c.nc, dir: filepath.Join(w.scratch, j.ID), laid: map[string]bool{}, paths: map[string]string{}}
	h.root = filepath.Join(h.dir, "out")
	if err := os.MkdirAll(h.root, 0o777); err != nil {
		return nil, &run.StoreError{Dir: h.root, Err: err}
	}
	for _, i := range j.Inputs {
		if h.paths[i.Path], err = w.input(ctx, j, b, i); err != nil {
			return nil, err
		}
	}
	w.homes[j.ID] = h
	return h, nil
}

// input returns where an input is, which is what the submitter has.
func (w *taker) input(ctx context.Context, j Job, b blobs, i Input) (string, error) {
	if j.Shared == "" {
		path, err := w.cache.get(ctx, b, i)
		if errors.Is(err, errDamaged) {
			return "", refuse("%w", err)
		}
		w.mu.Lock()
		defer w.mu.Unlock()
		w.inputs = append(w.inputs, path)
		return path, err
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
