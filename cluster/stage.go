package cluster

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
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
	lapse    time.Duration // the lease, as the server has it
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
	Aside  bool     `json:"aside,omitempty"`  // it is not tried again
	Ended  int      `json:"ended,omitempty"`  // leases of it that ended with a word: the others were lost
}

func consumerName(stage int) string { return "stage-" + strconv.Itoa(stage) }

// join opens a stage that the ledger lists. If make is set, it also prepares the stage's
// leases, which the process that fills the queue needs.
func (l *ledger) join(ctx context.Context, info stageInfo, make bool) (*stage, error) {
	s := &stage{stageInfo: info, l: l, held: map[int]*lease{}}
	err := l.retry(ctx, "open a stage", attempt, func(ctx context.Context) (err error) {
		name := consumerName(info.Number)
		if !make {
			s.consumer, err = l.queue.Consumer(ctx, name)
			return err
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

// readShards returns what the keys of a kind hold, by shard.
func readShards[T any](ctx context.Context, s *stage, kind string) (found map[int]T, err error) {
	err = s.l.list(ctx, s.keys(kind), func() { found = map[int]T{} }, func(e jetstream.KeyValueEntry) error {
		i, err := s.shardOf(e.Key())
		if err != nil {
			return err
		}
		var v T
		err = decode(e, &v)
		found[i] = v
		return err
	})
	return found, err
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

// finish notes that the submitter has all shards: workers go on to the next stage.
func (s *stage) finish(ctx context.Context) error {
	s.Done = true
	return s.l.note(ctx, s.stageInfo, false)
}
