package cluster

import (
	"context"
	"errors"
	"fmt"
	"os"
	"reflect"
	"slices"
	"time"

	"github.com/nats-io/nats.go/jetstream"
)

const (
	comeBack   = 2 * time.Minute  // after which a worker looks whether an earlier run has something again
	refusedFor = 10 * time.Minute // after which a worker looks at a run again that it refused: files come and go
)

// knownRun is what a worker keeps of a run that has not ended.
type knownRun struct {
	home *home     // nil if it takes no part now
	left time.Time // when the run was left because other workers have its last shards

	// Why this worker refused the run, what that was then, and when.
	refused string
	job     Job
	at      time.Time
}

// of returns what the worker keeps of a run.
func (w *shardWorker) of(id string) *knownRun {
	if w.known[id] == nil {
		w.known[id] = &knownRun{}
	}
	return w.known[id]
}

// leave gives up the place for a run.
func (r *knownRun) leave() {
	if r.home != nil {
		os.RemoveAll(r.home.dir)
		r.home = nil
	}
}

// refuses says whether this worker leaves a run alone. It looks again after a while, and where the
// run was resumed otherwise.
func (w *shardWorker) refuses(j Job) bool {
	r := w.of(j.ID)
	return reflect.DeepEqual(r.job, j) && time.Since(r.at) < refusedFor
}

// leaveAlone notes that this worker leaves a run alone, and says whether that is news.
func (w *shardWorker) leaveAlone(j Job, why string) (news bool) {
	r := w.of(j.ID)
	news = why != r.refused || !reflect.DeepEqual(j, r.job)
	r.refused, r.job, r.at = why, j, time.Now()
	return news
}

// errOver says that the run that a worker was to work on has ended.
var errOver = errors.New("the run has ended")

// next returns the oldest run that has shards for this worker, nil if none has. It
// returns errOver where the named run is not open.
func (w *shardWorker) next(ctx context.Context) (*entry, error) {
	all, err := w.runs.entries(ctx)
	if err != nil {
		return nil, err
	}
	w.forget(all)
	if w.o.Run != "" {
		k := slices.IndexFunc(all, func(e entry) bool { return e.Job.ID == w.o.Run })
		switch {
		case k >= 0 && !all[k].Finished.IsZero():
			return nil, errOver
		case k < 0 && w.seen:
			return nil, errOver
		case k < 0:
			return nil, fmt.Errorf("the cluster knows no run %s: tattle runs --cluster %s lists those it knows", w.o.Run, w.c.dial.URL)
		}
		w.seen = true
	}
	return w.choose(ctx, all)
}

// choose returns the oldest run that has something for this worker.
func (w *shardWorker) choose(ctx context.Context, all []entry) (*entry, error) {
	for k, e := range all {
		if !e.Finished.IsZero() || w.refuses(e.Job) || w.o.Run != "" && e.Job.ID != w.o.Run {
			continue
		}
		waiting, some, err := w.hasShards(ctx, e.Job.ID)
		if err != nil {
			return nil, err
		}
		if waiting || some && time.Since(w.of(e.Job.ID).left) > w.o.comeBack {
			return &all[k], nil
		}
	}
	return nil, nil
}

// better reports whether this worker should go on to another run. Without older no shard of its
// run waits, and any other run will do; with older some wait, and only an older run will do.
func (w *shardWorker) better(ctx context.Context, id string, older bool) bool {
	all, err := w.runs.entries(ctx)
	if err != nil || w.o.Run != "" {
		return false
	}
	at := slices.IndexFunc(all, func(e entry) bool { return e.Job.ID == id })
	if at < 0 {
		return false
	}
	others := slices.Clone(all[:at])
	if !older {
		others = append(others, all[at+1:]...)
	}
	e, err := w.choose(ctx, others)
	if err != nil || e == nil {
		return false
	}
	if !older {
		w.of(id).left = time.Now()
	}
	return true
}

// forget drops what is kept of runs that have ended.
func (w *shardWorker) forget(all []entry) {
	for id, r := range w.known {
		if !slices.ContainsFunc(all, func(e entry) bool { return e.Job.ID == id && e.Finished.IsZero() }) {
			r.leave()
			delete(w.known, id)
		}
	}
}

// hasShards reports whether shards of a run wait, and whether any are left: other workers may
// give back those that they have.
func (w *shardWorker) hasShards(ctx context.Context, id string) (waiting, some bool, err error) {
	if !isID(id) {
		return false, false, nil
	}
	err = w.runs.retry(ctx, "look for work", attempt, func(ctx context.Context) error {
		waiting, some = false, false
		s, err := w.c.js.Stream(ctx, queueName(id))
		if err == nil && s.CachedInfo().State.Msgs > 0 {
			some = true
			consumers := s.ListConsumers(ctx)
			for c := range consumers.Info() {
				waiting = waiting || c.NumPending > 0
			}
			err = consumers.Err()
		}
		if errors.Is(err, jetstream.ErrStreamNotFound) {
			return nil
		}
		return err
	})
	return waiting, some, err
}
