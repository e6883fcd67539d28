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

	"tattle/internal/file"
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
	err = l.list(ctx, "worker.*", func() { all = nil }, func(e jetstream.KeyValueEntry) error {
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

// meet logs, once for each worker, which workers do not take part, and why; and how many do. If none
// does for a while, a person is asked for one.
func (s *Submission) meet(ctx context.Context) {
	all, err := s.l.workers(ctx)
	if err != nil {
		return // or the next time
	}
	n := 0
	for _, w := range all {
		switch {
		case w.Refused != "" && s.told[w.Name] != w.Refused:
			s.told[w.Name] = w.Refused
			s.o.Log("worker %s refused: %s", file.Name(w.Name), file.Line(w.Refused))
		case w.Refused == "" && !w.Gone:
			n++
		}
	}
	if s.o.Workers != nil {
		s.o.Workers(n)
	}
	if n == 0 && !s.asked && time.Since(s.begun) > waitBefore {
		s.asked = true
		s.o.Log("waiting for workers: tattle worker --cluster %s", s.c.dial.URL)
	}
}
