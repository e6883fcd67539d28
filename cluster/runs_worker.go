package cluster

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"slices"
	"strings"

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

// workers returns the last words of all workers, by name.
func (l *ledger) workers(ctx context.Context) ([]WorkerState, error) {
	var all []WorkerState
	err := l.list(ctx, []string{"worker.*"}, func() { all = nil }, func(e jetstream.KeyValueEntry) error {
		var w WorkerState
		if decode(e, &w) == nil {
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
