package cluster

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
)

// Where a process may be told to die, at the third time that it comes there.
const (
	beforePut    = "before put"    // of a result in the cluster
	beforeCommit = "before commit" // of what is put
	afterCommit  = "after commit"
	beforeAck    = "before ack" // of what is committed, and recorded
)

// DieAt has this process die as if by kill -9 once it comes to a point the third time.
func (c *Conn) DieAt(point string) { c.js = mortal(c.js, point) }

func mortal(js jetstream.JetStream, point string) jetstream.JetStream {
	return mortalStore{js, &death{at: point}}
}

// death counts how often a point was come to.
type death struct {
	at    string
	times atomic.Int32
}

func (d *death) pass(point string) {
	if point != d.at || d.times.Add(1) < 3 {
		return
	}
	self, err := os.FindProcess(os.Getpid())
	if err == nil {
		err = self.Kill()
	}
	if err != nil {
		panic(err)
	}
	select {}
}

type mortalStore struct {
	jetstream.JetStream
	d *death
}

func (m mortalStore) KeyValue(ctx context.Context, name string) (jetstream.KeyValue, error) {
	kv, err := m.JetStream.KeyValue(ctx, name)
	return mortalKeys{kv, m.d}, err
}

func (m mortalStore) Stream(ctx context.Context, name string) (jetstream.Stream, error) {
	s, err := m.JetStream.Stream(ctx, name)
	return mortalQueue{s, m.d}, err
}

func (m mortalStore) CreateOrUpdateStream(ctx context.Context, c jetstream.StreamConfig) (jetstream.Stream, error) {
	s, err := m.JetStream.CreateOrUpdateStream(ctx, c)
	return mortalQueue{s, m.d}, err
}

type mortalKeys struct {
	jetstream.KeyValue
	d *death
}

func (m mortalKeys) Create(ctx context.Context, key string, value []byte, o ...jetstream.KVCreateOpt) (uint64, error) {
	if strings.HasPrefix(key, "blob.result.") {
		m.d.pass(beforePut)
	}
	commits := strings.HasPrefix(key, "commit.")
	if commits {
		m.d.pass(beforeCommit)
	}
	revision, err := m.KeyValue.Create(ctx, key, value, o...)
	if commits && err == nil {
		m.d.pass(afterCommit)
	}
	return revision, err
}

type mortalQueue struct {
	jetstream.Stream
	d *death
}

func (m mortalQueue) Consumer(ctx context.Context, name string) (jetstream.Consumer, error) {
	c, err := m.Stream.Consumer(ctx, name)
	return mortalConsumer{c, m.d}, err
}

func (m mortalQueue) CreateOrUpdateConsumer(ctx context.Context, o jetstream.ConsumerConfig) (jetstream.Consumer, error) {
	c, err := m.Stream.CreateOrUpdateConsumer(ctx, o)
	return mortalConsumer{c, m.d}, err
}

type mortalConsumer struct {
	jetstream.Consumer
	d *death
}

func (m mortalConsumer) Next(o ...jetstream.FetchOpt) (jetstream.Msg, error) {
	msg, err := m.Consumer.Next(o...)
	return mortalMessage{msg, m.d}, err
}

type mortalMessage struct {
	jetstream.Msg
	d *death
}

func (m mortalMessage) DoubleAck(ctx context.Context) error {
	m.d.pass(beforeAck)
	return m.Msg.DoubleAck(ctx)
}

// TestEmbeddedKilledAt kills -9 a process exactly between the steps of a shard: what was
// committed is not computed again.
func TestEmbeddedKilledAt(t *testing.T) {
	t.Parallel()
	const n = 6
	if point, dir, ok := strings.Cut(os.Getenv("TATTLE_DIE_AT"), ":"); ok {
		jetStream = func(nc *nats.Conn, o ...jetstream.JetStreamOpt) (jetstream.JetStream, error) {
			js, err := jetstream.New(nc, o...)
			return mortal(js, point), err
		}
		_, err := Embedded{Log: t.Errorf}.Run(t.Context(), work(dir, n, nil))
		t.Fatalf("lives on: %v", err)
	}
	var all sync.WaitGroup
	for point, want := range map[string]string{beforeCommit: "[2 3 4 5]", afterCommit: "[3 4 5]", beforeAck: "[3 4 5]"} {
		dir := filepath.Join(t.TempDir(), "shards")
		all.Go(func() {
			cmd := exec.Command(os.Args[0], "-test.run=^TestEmbeddedKilledAt$")
			cmd.Env = append(os.Environ(), "TATTLE_DIE_AT="+point+":"+dir)
			if out, err := cmd.CombinedOutput(); err == nil || !strings.Contains(err.Error(), "killed") {
				t.Errorf("%s: %v\n%s", point, err, out)
				return
			}
			var calls []int
			f, err := Embedded{Log: t.Errorf}.Run(t.Context(), work(dir, n, func(_ context.Context, i int) error {
				calls = append(calls, i)
				return nil
			}))
			if err != nil {
				t.Errorf("%s: %v", point, err)
			} else if whole(t, f, dir); fmt.Sprint(calls) != want {
				t.Errorf("%s: computed were %v, not %s", point, calls, want)
			}
		})
	}
	all.Wait()
}
