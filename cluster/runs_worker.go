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

// workerKey returns the key of a worker's latest state in a run.
func workerKey(name string) string {
	sum := sha256.Sum256([]byte(name))
	return "worker." + hex.EncodeToString(sum[:8])
}

// recordWorker stores the latest state of a worker.
func (l *ledger) recordWorker(ctx context.Context, w WorkerState) error {
	data, err := json.Marshal(w)
	if err != nil {
		return err
	}
	return l.retry(ctx, "note the worker", attempt, func(ctx context.Context) error {
		_, err := l.kv.Put(ctx, workerKey(w.Name), data)
		return err
	})
}

// workers returns the latest states of all workers, sorted by name. Only the server's clock
// decides which workers are gone.
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
			w.Gone = w.Gone || now.Sub(e.Created()) > 3*stateEvery
			all = append(all, w)
		}
		return nil
	})
	slices.SortFunc(all, func(a, b WorkerState) int { return strings.Compare(a.Name, b.Name) })
	return all, err
}

// watchWorkers calls each with the states of workers as they change, until ctx ends.
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
