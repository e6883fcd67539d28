package cluster

import (
	"context"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
)

// firstWatch is how long a server may take to begin a watch, when it is first asked; then twice as
// long.
const firstWatch = time.Second / 4

// list calls each with every key that matches, and again from the start, after again,
// where the server went away on the way.
func (l *ledger) list(ctx context.Context, keys string, again func(), each func(jetstream.KeyValueEntry) error, opts ...jetstream.WatchOpt) error {
	patient := firstWatch
	return l.retry(ctx, "read the ledger", listing, func(ctx context.Context) error {
		again()
		ctx, cancel := context.WithCancel(ctx)
		defer cancel()
		late := time.AfterFunc(patient, cancel) // it may have been given to a server that is down
		patient *= 2
		w, err := l.kv.Watch(ctx, keys, append(opts, jetstream.IgnoreDeletes())...)
		late.Stop()
		if err != nil {
			return err
		}
		defer func() {
			w.Stop()
			go func() { // reads what the watch still has to say: its goroutine would wait for that
				for range w.Updates() {
				}
			}()
		}()
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
