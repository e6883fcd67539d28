package cluster

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"slices"
	"strings"
	"time"

	"github.com/nats-io/nats.go/jetstream"
)

// workerKey is where a worker's last word of a run stands.
func workerKey(name string) string {
	sum := sha256.Sum256([]byte(name))
	return "worker." + hex.EncodeToString(sum[:8])
}

// tell notes the last word of a worker.
func (l *ledger) tell(ctx context.Context, w WorkerState) error {
	data, err := json.Marshal(w)
	if err != nil {
		return err
	}
	return l.retry(ctx, "note the worker", attempt, func(ctx context.Context) error {
		_, err := l.kv.Put(ctx, workerKey(w.Name), data)
		return err
	})
}

// workers returns the last words of all workers, by name. Who is gone is told by the
// server's clock alone.
func (l *ledger) workers(ctx context.Context) ([]WorkerState, error) {
	var all []WorkerState
	var now time.Time
	err := l.retry(ctx, "ask for the time", attempt, func(ctx context.Context) error {
		info, err := l.queue.Info(ctx)
		if err == nil {
			now = info.TimeStamp
		}
		return err
	})
	if err != nil {
		return nil, err
	}
	err = l.list(ctx, []string{"worker.*"}, func() { all = nil }, func(e jetstream.KeyValueEntry) error {
		var w WorkerState
		if decode(e, &w) == nil {
			w.Gone = w.Gone || now.Sub(e.Created()) > 3*tellEvery
			all = append(all, w)
		}
		return nil
	})
	slices.SortFunc(all, func(a, b WorkerState) int { return strings.Compare(a.Name, b.Name) })
	return all, err
}

// watchWorkers calls each with the words of workers, until ctx ends.
func (l *ledger) watchWorkers(ctx context.Context, each func(WorkerState)) {
	l.follow(ctx, []string{"worker.*"}, func(e jetstream.KeyValueEntry) {
		var w WorkerState
		if e != nil && e.Operation() == jetstream.KeyValuePut && decode(e, &w) == nil {
			each(w)
		}
	})
}

// Workers returns how many workers take part in the run.
func (s *Submission) Workers(ctx context.Context) (n int, err error) {
	all, err := s.l.workers(ctx)
	for _, w := range all {
		if w.Refused == "" && !w.Gone {
			n++
		}
	}
	return n, err
}
