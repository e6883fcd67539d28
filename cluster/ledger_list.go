package cluster

import (
	"context"
	"slices"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
)

// list calls each with every key that matches, and again from the start, after again,
// where the server went away on the way. More than one pattern is no good idea: then a
// server searches all keys for each that it delivers.
func (l *ledger) list(ctx context.Context, keys []string, again func(), each func(jetstream.KeyValueEntry) error, opts ...jetstream.WatchOpt) error {
	return l.retry(ctx, "read the ledger", listing, func(ctx context.Context) error {
		again()
		w, err := l.kv.WatchFiltered(ctx, slices.Clone(keys), append(opts, jetstream.IgnoreDeletes())...)
		if err != nil {
			return err
		}
		defer drop(w)
		for {
			select {
			case e, ok := <-w.Updates():
				if !ok {
					return nats.ErrTimeout // the watch broke off
				}
				if e == nil {
					return nil
				}
				if err := each(e); err != nil {
					return err
				}
			case <-ctx.Done():
				return ctx.Err()
			}
		}
	})
}

// follow calls each with every key that matches, first with those that exist, then once with
// nil, then with every change, until ctx ends. After a reconnection it begins again, so each may
// be called twice with a key.
func (l *ledger) follow(ctx context.Context, keys []string, each func(jetstream.KeyValueEntry)) {
	connected := l.js.Conn().StatusChanged(nats.CONNECTED)
	defer l.js.Conn().RemoveStatusListener(connected)
	for ctx.Err() == nil {
		l.followOnce(ctx, connected, keys, each)
		pause(ctx, 50*time.Millisecond)
	}
}

// followOnce follows until the connection is made anew.
func (l *ledger) followOnce(ctx context.Context, connected <-chan nats.Status, keys []string, each func(jetstream.KeyValueEntry)) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	go func() {
		defer cancel()
		select {
		case <-connected:
		case <-ctx.Done():
		}
	}()
	w, err := l.kv.WatchFiltered(ctx, slices.Clone(keys))
	if err != nil {
		pause(ctx, time.Second)
		return
	}
	defer drop(w)
	for {
		select {
		case e, open := <-w.Updates():
			if !open {
				return
			}
			each(e)
		case <-ctx.Done():
			return
		}
	}
}

// drop ends a watch. What it still has to say is read: its goroutine would wait for that.
func drop(w jetstream.KeyWatcher) {
	w.Stop()
	go func() {
		for range w.Updates() {
		}
	}()
}
