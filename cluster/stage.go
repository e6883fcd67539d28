package cluster

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/nats-io/nats.go/jetstream"
)

// A stage is a run.Work in the ledger.
type stage struct {
	stageInfo
	l        *ledger
	consumer jetstream.Consumer
	lapse    time.Duration          // the lease, as the server has it
	onAside  func(i int, f failure) // unless nil, told of shards that lease set aside
	mu       sync.Mutex
	held     map[int]*lease // by this process
}

// commitRecord is what was committed of a shard.
type commitRecord struct {
	Digest  string `json:"digest"` // SHA-256 of its bytes, in hexadecimal
	Size    int64  `json:"size"`
	Worker  string `json:"worker"`
	Attempt int    `json:"attempt"` // how often it was leased, this time included
}

// failure is what went wrong with a shard.
type failure struct {
	Causes []string `json:"causes,omitempty"` // of each attempt, in order
	Lost   int      `json:"lost,omitempty"`   // workers that leased it and were not heard of again
	Aside  bool     `json:"aside,omitempty"`  // it is not tried again

	Message uint64 `json:"message,omitempty"` // in the queue, that Ended and Last are about
	Ended   int    `json:"ended,omitempty"`   // leases of it that ended with a word
	Last    int    `json:"last,omitempty"`    // the lease that did so last
}

func consumerName(stage int) string { return "stage-" + strconv.Itoa(stage) }

// join opens a stage that the ledger lists. Where make is set its leases are made ready
// as well, which is for whoever fills the queue.
func (l *ledger) join(ctx context.Context, info stageInfo, make bool) (*stage, error) {
	s := &stage{stageInfo: info, l: l, held: map[int]*lease{}}
	err := l.retry(ctx, "open a stage", attempt, func(ctx context.Context) (err error) {
		name := consumerName(info.Number)
		if !make {
			s.consumer, err = l.queue.Consumer(ctx, name)
			return err
		}
		if l.o.Sole {
			if err := l.queue.DeleteConsumer(ctx, name); err != nil && !errors.Is(err, jetstream.ErrConsumerNotFound) {
				return err
			}
		}
		s.consumer, err = l.queue.CreateOrUpdateConsumer(ctx, jetstream.ConsumerConfig{
			Durable: name, FilterSubject: l.subject(info.Number, "*"), Replicas: l.o.Replicas,
			AckPolicy: jetstream.AckExplicitPolicy, AckWait: l.o.Lease, MaxAckPending: -1, MaxWaiting: 4096,
		})
		return err
	})
	if err != nil {
		return nil, err
	}
	s.lapse = s.consumer.CachedInfo().Config.AckWait
	return s, nil
}

func (s *stage) key(kind string, shard int) string {
	return fmt.Sprintf("%s.%d.%d", kind, s.Number, shard)
}

// shardOf reads the shard from a key or subject.
func (s *stage) shardOf(key string) (int, error) {
	i, err := strconv.Atoi(key[strings.LastIndexByte(key, '.')+1:])
	if err != nil || i < 0 || i >= s.Shards {
		return 0, &unreadableError{key, fmt.Sprintf("stage %s has %d shards", s.Name, s.Shards)}
	}
	return i, nil
}

// read returns what was committed and what failed, by shard.
func (s *stage) read(ctx context.Context) (commits map[int]commitRecord, failures map[int]failure, err error) {
	keys := []string{s.keys("commit"), s.keys("fail")}
	again := func() { commits, failures = map[int]commitRecord{}, map[int]failure{} }
	err = s.l.list(ctx, keys, again, func(e jetstream.KeyValueEntry) error {
		i, err := s.shardOf(e.Key())
		if err != nil {
			return err
		}
		if strings.HasPrefix(e.Key(), "commit.") {
			var c commitRecord
			err = decode(e, &c)
			commits[i] = c
		} else {
			var f failure
			err = decode(e, &f)
			failures[i] = f
		}
		return err
	})
	return commits, failures, err
}

func (s *stage) keys(kind string) string { return fmt.Sprintf("%s.%d.*", kind, s.Number) }

func decode(e jetstream.KeyValueEntry, to any) error {
	if err := json.Unmarshal(e.Value(), to); err != nil {
		return unreadable(e, err)
	}
	return nil
}

// committed returns what was committed of shard i, if anything.
func (s *stage) committed(ctx context.Context, i int) (c commitRecord, ok bool, err error) {
	err = s.get(ctx, s.key("commit", i), &c)
	if errors.Is(err, jetstream.ErrKeyNotFound) {
		return c, false, nil
	}
	return c, err == nil, err
}

func (s *stage) get(ctx context.Context, key string, to any) error {
	return s.l.retry(ctx, "read the ledger", attempt, func(ctx context.Context) error {
		e, err := s.l.kv.Get(ctx, key)
		if err != nil {
			return err
		}
		return decode(e, to)
	})
}

// uncommit takes back what was committed of shard i, because its data are not as they
// were, and queues it again.
func (s *stage) uncommit(ctx context.Context, i int) error {
	if err := s.drop(ctx, "commit", i); err != nil {
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
	commits, failures, err := s.read(ctx)
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

// finish notes that the submitter has all shards: workers go on to the next stage.
func (s *stage) finish(ctx context.Context) error {
	s.Done = true
	return s.l.note(ctx, s.stageInfo, false)
}

// What happens to a shard.
type eventKind int

const (
	caughtUp  eventKind = iota // all that had happened was told
	committed                  // Commit says what
	failed                     // an attempt: Failure says why
	aside                      // Failure says why
	refilled                   // what was committed was taken back, or what was aside is tried anew
)

// An event tells of a shard.
type event struct {
	Kind    eventKind
	Shard   int
	Commit  commitRecord
	Failure failure
}

// watch tells what has happened, then caughtUp, then what happens, until ctx ends; then
// it closes the channel. An event may come twice where the server went away.
func (s *stage) watch(ctx context.Context) <-chan event {
	to := make(chan event, 64)
	go func() {
		defer close(to)
		s.l.follow(ctx, []string{s.keys("commit"), s.keys("fail")}, func(e jetstream.KeyValueEntry) {
			v, ok := s.event(e)
			if !ok {
				return
			}
			select {
			case to <- v:
			case <-ctx.Done():
			}
		})
	}()
	return to
}

func (s *stage) event(e jetstream.KeyValueEntry) (v event, ok bool) {
	if e == nil {
		return v, true
	}
	i, err := s.shardOf(e.Key())
	v.Shard = i
	switch {
	case err != nil:
	case e.Operation() != jetstream.KeyValuePut:
		v.Kind = refilled
	case strings.HasPrefix(e.Key(), "commit."):
		v.Kind, err = committed, decode(e, &v.Commit)
	default:
		if err = decode(e, &v.Failure); v.Failure.Aside {
			v.Kind = aside
		} else if v.Kind = failed; len(v.Failure.Causes) == 0 {
			return v, false // a lease that was given back
		}
	}
	if err != nil {
		s.l.o.Log("%v", err)
	}
	return v, err == nil
}
