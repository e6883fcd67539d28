package cluster

import (
	"context"
	"errors"
	"slices"
	"strconv"
	"strings"

	"github.com/nats-io/nats.go/jetstream"
	"golang.org/x/sync/errgroup"
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

// publish queues shards, in order.
func (s *stage) publish(ctx context.Context, shards []int) error {
	return s.l.retry(ctx, "fill the queue", listing, func(ctx context.Context) error {
		for chunk := range slices.Chunk(shards, maxPending) {
			var sent []jetstream.PubAckFuture
			for _, i := range chunk {
				f, err := s.l.js.PublishAsync(s.l.subject(s.Number, strconv.Itoa(i)), nil)
				if err != nil {
					return err
				}
				sent = append(sent, f)
			}
			for _, f := range sent {
				select {
				case <-f.Ok():
				case err := <-f.Err():
					var api *jetstream.APIError
					if !errors.As(err, &api) || !strings.Contains(api.Description, "maximum messages per subject") { // then it is there
						return err
					}
				case <-ctx.Done():
					return ctx.Err()
				}
			}
		}
		return nil
	})
}

// each does something for each shard, many at a time.
func each(shards []int, do func(i int) error) error {
	var all errgroup.Group
	all.SetLimit(maxPending)
	for _, i := range shards {
		all.Go(func() error { return do(i) })
	}
	return all.Wait()
}
