package cluster

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"testing"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"tattle/internal/must"
)

// TestLateAcknowledgement takes back what was committed before its worker has
// acknowledged it: the shard is to be done all the same.
func TestLateAcknowledgement(t *testing.T) {
	t.Parallel()
	h := listen(t)
	s := filled(t, h.js, 2, ledgerOptions{Log: t.Logf})
	l := leased(t, s)
	if won, err := l.commit(t.Context(), recordOf(l.Shard, "w", l)); !won || err != nil {
		t.Fatal(won, err)
	}
	must.Do(t, s.uncommit(t.Context(), l.Shard))
	if err := l.done(t.Context()); err != nil { // of a delivery that the server forgot: nobody answers
		t.Fatal(err)
	}
	if q := inQueue(t, s); q != 2 {
		t.Errorf("%d of 2 shards are in the queue", q)
	}
	for range 2 {
		l := leased(t, s)
		if won, err := l.commit(t.Context(), recordOf(l.Shard, "w", l)); !won || err != nil {
			t.Fatal(won, err)
		}
		must.Do(t, l.done(t.Context()))
	}
	nothing(t, s)
}

// answers is a bucket that loses or changes the answers to Create, and after each hears
// late of what it holds.
type answers struct {
	jetstream.KeyValue
	next []func(revision uint64, err error) (uint64, error)
	late int // answers to Get
}

func (a *answers) Get(ctx context.Context, key string) (jetstream.KeyValueEntry, error) {
	if a.late--; a.late >= 0 {
		return nil, jetstream.ErrKeyNotFound
	}
	return a.KeyValue.Get(ctx, key)
}

func (a *answers) Create(ctx context.Context, key string, value []byte, opts ...jetstream.KVCreateOpt) (uint64, error) {
	revision, err := a.KeyValue.Create(ctx, key, value, opts...)
	if len(a.next) > 0 {
		revision, err = a.next[0](revision, err)
		a.next = a.next[1:]
	}
	return revision, err
}

// TestCommitUnanswered has a commit that is made though its answer is lost, and then
// refused, in the words of one server and of several.
func TestCommitUnanswered(t *testing.T) {
	t.Parallel()
	h := listen(t)
	s := filled(t, h.js, 2, ledgerOptions{Log: t.Logf})
	lost := func(uint64, error) (uint64, error) { return 0, nats.ErrTimeout }
	refused := func(_ uint64, err error) (uint64, error) {
		if !errors.Is(err, jetstream.ErrKeyExists) {
			t.Errorf("created twice: %v", err)
		}
		return 0, &jetstream.APIError{Code: 400, ErrorCode: jetstream.JSErrCodeStreamWrongLastSequenceConstant, Description: "wrong last sequence"}
	}
	kv := &answers{KeyValue: s.l.kv}
	s.l.kv = kv
	for _, next := range [][]func(uint64, error) (uint64, error){{lost}, {lost, refused}} {
		l := leased(t, s)
		kv.next, kv.late = next, 2
		if won, err := l.commit(t.Context(), recordOf(l.Shard, "w", l)); !won || err != nil {
			t.Errorf("shard %d: %v, %v", l.Shard, won, err)
		}
		if won, err := l.commit(t.Context(), recordOf(l.Shard, "another", l)); won || err != nil {
			t.Errorf("shard %d, another's: %v, %v", l.Shard, won, err)
		}
		must.Do(t, l.done(t.Context()))
	}
}

// TestDefinite checks what is tried again.
func TestDefinite(t *testing.T) {
	for code, want := range map[int]bool{400: true, 404: true, 408: false, 409: false, 429: false, 500: false, 503: false} {
		if got := definite(fmt.Errorf("refused: %w", &jetstream.APIError{Code: code})); got != want {
			t.Errorf("%d is definite: %v", code, got)
		}
	}
}

// TestListLeavesNothing breaks off a listing of more keys than its watch holds.
func TestListLeavesNothing(t *testing.T) {
	const n = 400
	h := listen(t)
	s := filled(t, h.js, 1, ledgerOptions{Log: t.Logf})
	for i := range n {
		must.Get(h.js.PublishAsync(fmt.Sprintf("$KV.%s.worker.%d", bucketName("test"), i), nil))(t)
	}
	<-h.js.PublishAsyncComplete()
	before := runtime.NumGoroutine()
	for range 8 {
		stop := &unreadableError{"key", "enough"}
		err := s.l.list(t.Context(), "worker.*", func() {}, func(jetstream.KeyValueEntry) error {
			time.Sleep(10 * time.Millisecond) // more comes meanwhile
			return stop
		})
		if !errors.Is(err, stop) {
			t.Fatal(err)
		}
	}
	for tries := 0; runtime.NumGoroutine() > before+3; tries++ {
		if tries == 300 {
			t.Fatalf("%d goroutines were there and %d are", before, runtime.NumGoroutine())
		}
		time.Sleep(10 * time.Millisecond)
	}
}
