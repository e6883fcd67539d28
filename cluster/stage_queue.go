package cluster

import (
	"context"
	"errors"
	"slices"
	"strconv"
	"strings"

	"github.com/nats-io/nats.go/jetstream"
)

// uncommit takes back what was committed of shard i, because its data are not as they
// were, and queues it again: what is still in the queue may be about to be acknowledged.
func (s *stage) uncommit(ctx context.Context, i int) error {
	if err := s.drop(ctx, "commit", i); err != nil {
		return err
	}
	err := s.l.retry(ctx, "change the queue", attempt, func(ctx context.Context) error {
		return s.l.queue.Purge(ctx, jetstream.WithPurgeSubject(s.l.subject(s.Number, strconv.Itoa(i))))
	})
	if err != nil {
		return err
	}
	return s.publish(ctx, []int{i})
}

// drop removes a key.
func (s *stage) drop(ctx context.Context, kind string, i int) error {
	return s.l.retry(ctx, "change the ledger", attempt, func(ctx context.Context) error {
		return s.l.kv.Delete(ctx, s.key(kind, i))
	})
}

// fill queues all shards that are neither committed nor set aside, in order, and says
// how many these are. Those in the queue already stay there once.
func (s *stage) fill(ctx context.Context) (int, error) {
	commits, err := readShards[commitRecord](ctx, s, "commit")
	if err != nil {
		return 0, err
	}
	failures, err := readShards[failure](ctx, s, "fail")
	if err != nil {
		return 0, err
	}
	var todo []int
	for i := range s.Shards {
		if _, ok := commits[i]; !ok && !failures[i].Aside {
			todo = append(todo, i)
		}
	}
	return len(todo), s.publish(ctx, todo)
}

// publish queues shards.
func (s *stage) publish(ctx context.Context, shards []int) error {
	s.fresh = s.fresh && len(shards) == 0
	return s.all(ctx, "fill the queue", shards, func(js jetstream.JetStream, i int) (jetstream.PubAckFuture, error) {
		return js.PublishAsync(s.l.subject(s.Number, strconv.Itoa(i)), nil, jetstream.WithStallWait(attempt))
	}, func(_ int, err error) error {
		var api *jetstream.APIError
		if errors.As(err, &api) && strings.Contains(api.Description, "maximum messages per subject") {
			return nil // it is there
		}
		return err
	})
}

// all publishes something for each shard, many at a time, until all is stored. Excuse
// may forgive an error.
func (s *stage) all(ctx context.Context, what string, shards []int, send func(jetstream.JetStream, int) (jetstream.PubAckFuture, error), excuse func(i int, err error) error) error {
	if len(shards) == 0 {
		return nil
	}
	js, err := jetstream.New(s.l.js.Conn(), jetstream.WithPublishAsyncMaxPending(maxPending), jetstream.WithPublishAsyncTimeout(attempt))
	if err != nil {
		return err
	}
	defer js.CleanupPublisher()
	left := slices.Clone(shards)
	return s.l.retry(ctx, what, listing, func(ctx context.Context) error {
		var again []int
		var failed error
		for chunk := range slices.Chunk(left, 4*maxPending) {
			futures := make([]jetstream.PubAckFuture, len(chunk))
			for k, i := range chunk {
				f, err := send(js, i)
				if err != nil {
					return err
				}
				futures[k] = f
			}
			for k, f := range futures {
				var err error
				select {
				case <-f.Ok():
				case err = <-f.Err():
					err = excuse(chunk[k], err)
				case <-ctx.Done():
					return ctx.Err()
				}
				if err != nil {
					again, failed = append(again, chunk[k]), err
				}
			}
		}
		left = again
		return failed
	})
}
