package cluster

import (
	"context"
	"os"
	"strings"
	"sync/atomic"

	"github.com/nats-io/nats.go/jetstream"
)

// Points at which a process can be made to exit, when it reaches them for the third time.
const (
	beforePut    = "before put"    // of a result in the cluster
	beforeCommit = "before commit" // of what is put
	afterCommit  = "after commit"
	beforeAck    = "before ack" // of what is committed, and recorded
)

// DieAt has this process die as if by kill -9 once it comes to a point the third time.
func (c *Conn) DieAt(point string) { c.js = mortalStore{c.js, &death{at: point}} }

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

func (m mortalKeys) Put(ctx context.Context, key string, value []byte) (uint64, error) {
	if strings.HasPrefix(key, "blob.result.") {
		m.d.pass(beforePut)
	}
	return m.KeyValue.Put(ctx, key, value)
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
