package cluster

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
)

// goneAfter is how long the servers of a cluster must say that something is not there,
// until that is believed without the list of runs: one that has just come back may say so
// of what it has not yet heard of.
var goneAfter = 5 * time.Second

// errNoStage says that the queue of a stage is no longer on the server, though the run is.
var errNoStage = fmt.Errorf("%w as it was: the queue of a stage is gone", errGone)

// gone says that what an operation is about is not on the server that answered.
func gone(err error) bool {
	return errors.Is(err, jetstream.ErrStreamNotFound) || errors.Is(err, jetstream.ErrBucketNotFound) || noConsumer(err)
}

func noConsumer(err error) bool {
	return errors.Is(err, jetstream.ErrConsumerNotFound) || errors.Is(err, jetstream.ErrConsumerDeleted) || errors.Is(err, jetstream.ErrConsumerDoesNotExist)
}

// missing says that a server answers that what an operation is about is not there.
// Errors of what is gone are of many kinds: then the run's queue is asked for.
func (l *ledger) missing(ctx context.Context, err error) bool {
	if err == nil || gone(err) {
		return err != nil
	}
	if l.queue == nil || ctx.Err() != nil || errors.Is(err, context.DeadlineExceeded) || definite(err) || noRoom(err) {
		return false
	}
	return within(ctx, attempt/5, func(ctx context.Context) error {
		_, err := l.js.Stream(ctx, queueName(l.id))
		if errors.Is(err, jetstream.ErrStreamNotFound) {
			return nil
		}
		return nats.ErrTimeout
	}) == nil
}

// surelyGone returns errGone or errNoStage if it is certain that something is gone, and nil if it is
// not certain yet. err is the answer of a server that misses it, and since is how long this has been
// the answer. The answer of a single server is certain at once. One server of several may have been
// down, and may lack recent data. Its answer is certain if the list of runs, which is read from the
// leader, says that the run has ended, or if the answer has been the same for goneAfter.
func (l *ledger) surelyGone(ctx context.Context, err error, since time.Duration) error {
	switch one := l.oneServer(); {
	case !one && l.hasEnded(ctx):
		return errGone
	case !one && since < goneAfter:
		return nil
	case noConsumer(err):
		return errNoStage
	}
	return errGone
}

// oneServer reports whether the server is not one of a cluster.
func (l *ledger) oneServer() bool {
	nc := l.js.Conn()
	return nc.IsConnected() && nc.ConnectedClusterName() == "" && nc.IsConnected() // it has no name while nobody is there
}

// hasEnded asks the leader of the list of runs whether the run is finished or was removed;
// without an answer that is not known. A run is listed before it has a ledger, and no longer
// when that is removed.
func (l *ledger) hasEnded(ctx context.Context) bool {
	if l.id == "" {
		return false
	}
	var e entry
	err := within(ctx, attempt/5, func(ctx context.Context) error {
		runs, err := l.js.KeyValue(ctx, registryBucket)
		if err != nil {
			return err
		}
		kept, err := runs.Get(ctx, l.id)
		if err != nil {
			return err
		}
		return decode(kept, &e)
	})
	return errors.Is(err, jetstream.ErrKeyNotFound) || err == nil && !e.Finished.IsZero()
}
