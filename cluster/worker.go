package cluster

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/nats-io/nats.go"

	"tattle/internal/file"
)

const (
	workerPatience = 10 * time.Minute // to wait for a server that is away while a shard is computed
	lookAgain      = 2 * time.Second  // time between looks for work, if no message comes
	farewell       = time.Second
	mostSaid       = 2 << 10 // bytes of a reason that is stored for others

	// Folders with this prefix are removed if no process has locked them.
	scratchName = ".tattle-worker-"
)

// Work computes shards of the cluster's runs until ctx ends, the named run ends, or there was
// no work for as long as Idle. If this worker cannot take part in a run, it stores the reason
// for the submitter and leaves the run alone; for the named run, Work returns the reason as an
// error.
func (c *Conn) Work(ctx context.Context, o WorkerOptions) error {
	w := &shardWorker{c: c, o: o, known: map[string]*knownRun{}}
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
	return w.loop(ctx, news)
}

// shardWorker is the state of a process that computes shards of a cluster's runs.
type shardWorker struct {
	c       *Conn
	o       WorkerOptions
	runs    registry
	cache   cache
	scratch string // of this process alone
	unlock  func()
	known   map[string]*knownRun // by ID
	last    time.Time            // when there was work
	seen    bool                 // the named run was found
}

// prepare fills in the options that are not set, and makes a folder of its own.
func (w *shardWorker) prepare() (err error) {
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
	if o.comeBack == 0 {
		o.comeBack = comeBack
	}
	w.cache = cache(filepath.Join(o.Scratch, "inputs"))
	w.last = time.Now()
	w.scratch, w.unlock, err = ownFolder(o.Scratch)
	if err != nil {
		return fmt.Errorf("--scratch: %w", err)
	}
	return nil
}

// ownFolder makes a folder for this process alone, and removes the folders of processes that
// have ended.
func ownFolder(dir string) (own string, unlock func(), err error) {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return "", nil, err
	}
	left, _ := filepath.Glob(filepath.Join(dir, scratchName+"*"))
	for _, old := range left {
		if info, err := os.Stat(old); err != nil || time.Since(info.ModTime()) < time.Minute {
			continue // it may be about to be locked
		}
		if unlock, err := file.Lock(old); err == nil {
			os.RemoveAll(old)
			unlock()
		}
	}
	if own, err = os.MkdirTemp(dir, scratchName+"*"); err != nil {
		return "", nil, err
	}
	if unlock, err = file.Lock(own); err != nil {
		return "", nil, err
	}
	return own, unlock, nil
}

// release records in each run that this worker has gone, and removes its unfinished results.
func (w *shardWorker) release() {
	ctx, cancel := context.WithTimeout(context.Background(), farewell)
	defer cancel()
	for _, r := range w.known {
		if h := r.home; h != nil {
			h.l.recordWorker(ctx, WorkerState{Name: w.o.Name, At: time.Now().UTC(), Done: h.done, Gone: true})
		}
	}
	os.RemoveAll(w.scratch)
	w.unlock()
}

// loop works on the runs there are, the oldest first.
func (w *shardWorker) loop(ctx context.Context, news <-chan *nats.Msg) error {
	wait := lookAgain
	if w.o.Idle > 0 {
		wait = min(wait, w.o.Idle)
	}
	for {
		e, err := w.next(ctx)
		if errors.Is(err, errOver) {
			return nil
		}
		if err != nil {
			return err
		}
		if e != nil {
			left := w.of(e.Job.ID).left
			worked, err := w.serve(ctx, *e)
			if err != nil {
				return err
			}
			if worked {
				w.last = time.Now()
			}
			if worked || w.refuses(e.Job) || w.of(e.Job.ID).left != left { // then another run is for this worker
				continue
			}
		}
		if w.o.Idle > 0 && time.Since(w.last) > w.o.Idle {
			w.o.Log("no work for %v", w.o.Idle)
			return nil
		}
		select {
		case <-news:
		case <-time.After(wait):
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// serve takes part in a run until nothing is left to do of what is announced. It says
// whether it did anything.
func (w *shardWorker) serve(ctx context.Context, e entry) (worked bool, err error) {
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
	why := file.Line(refusal.Error())
	why = strings.ToValidUTF8(why[:min(len(why), mostSaid)], "")
	news := w.leaveAlone(e.Job, why)
	w.of(e.Job.ID).leave()
	said := WorkerState{Name: w.o.Name, Refused: why, At: time.Now().UTC()}
	if err := l.recordWorker(ctx, said); err != nil && !errors.Is(err, errGone) {
		return worked, err
	}
	if w.o.Run != "" {
		return worked, fmt.Errorf("run %s: %w", e.Job.ID, refusal)
	}
	if news {
		w.o.Log("run %s is left to others: %s", e.Job.ID, why)
	}
	return worked, nil
}
