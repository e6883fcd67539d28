package cluster

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/nats-io/nats.go/jetstream"
)

const (
	defaultLease = 30 * time.Second
	patience     = 2 * time.Minute  // for a server that is away: restarted, or electing a leader
	placing      = 15 * time.Second // for a cluster to hear of enough servers
	attempt      = 10 * time.Second // one request of an operation; the first ones have less
	listing      = time.Minute      // one that is about all shards
	maxPending   = 64               // requests at a time
)

// errGone says that a run's ledger, or a stage of it, is no longer on the server: the
// run is finished, or was removed.
var errGone = errors.New("the run is no longer in the cluster")

// ledgerOptions are how a ledger is kept.
type ledgerOptions struct {
	Replicas int           // servers that keep it; 0 is 1
	Lease    time.Duration // a shard is anybody's again once its worker was silent for so long; 0 is 30 s
	Patience time.Duration // how long an operation waits for a server that is away; 0 is two minutes
	Join     bool          // the ledger must be there already: a worker does not make one
	Log      func(format string, a ...any)
}

// A ledger says of each shard of a run whether it is to be done, who has leased it, and
// what was committed, once. Shards to be done are messages of a work queue, at most one
// each; what was committed and what failed are keys of a bucket:
//
//	stage.<stage>           stageInfo
//	commit.<stage>.<shard>  commitRecord, made by Create: the first one stands
//	fail.<stage>.<shard>    failure
//
// Its operations wait for a server that is away, as long as Patience says.
type ledger struct {
	id    string
	js    jetstream.JetStream
	queue jetstream.Stream
	kv    jetstream.KeyValue
	o     ledgerOptions
}

func queueName(id string) string  { return "TATTLE-" + id }
func bucketName(id string) string { return "tattle-" + id }

// subject is where shards of a stage queue.
func (l *ledger) subject(stage int, shard string) string {
	return fmt.Sprintf("tattle.%s.%d.%s", l.id, stage, shard)
}

// openLedger opens the ledger of a run, and makes it where there is none, unless Join
// says that there must be one: then it returns errGone.
func openLedger(ctx context.Context, js jetstream.JetStream, id string, o ledgerOptions) (*ledger, error) {
	if o.Replicas == 0 {
		o.Replicas = 1
	}
	if o.Lease == 0 {
		o.Lease = defaultLease
	}
	if o.Patience == 0 {
		o.Patience = patience
	}
	if o.Log == nil {
		o.Log = func(string, ...any) {}
	}
	l := &ledger{id: id, js: js, o: o}
	err := l.retry(ctx, "open the ledger", attempt, l.open)
	if err != nil {
		return nil, err
	}
	return l, nil
}

func (l *ledger) open(ctx context.Context) (err error) {
	if l.o.Join {
		if l.queue, err = l.js.Stream(ctx, queueName(l.id)); err == nil {
			l.kv, err = l.js.KeyValue(ctx, bucketName(l.id))
		}
		return err
	}
	l.queue, err = l.js.CreateOrUpdateStream(ctx, jetstream.StreamConfig{
		Name: queueName(l.id), Subjects: []string{"tattle." + l.id + ".>"}, Replicas: l.o.Replicas,
		Retention: jetstream.WorkQueuePolicy, MaxMsgsPerSubject: 1, Discard: jetstream.DiscardNew, DiscardNewPerSubject: true,
	})
	if err != nil {
		return err
	}
	l.kv, err = openBucket(ctx, l.js, bucketName(l.id), l.o.Replicas)
	return err
}

// openBucket opens a bucket, and makes it where there is none. Unlike the client's own buckets
// it is read from its leader only: a server that has just come back does not yet have what the
// others confirmed, and would pass a result that was just stored for lost.
func openBucket(ctx context.Context, js jetstream.JetStream, name string, replicas int) (jetstream.KeyValue, error) {
	stream, err := js.Stream(ctx, "KV_"+name)
	if errors.Is(err, jetstream.ErrStreamNotFound) || err == nil && stream.CachedInfo().Config.AllowDirect {
		_, err = js.CreateOrUpdateStream(ctx, jetstream.StreamConfig{
			Name: "KV_" + name, Subjects: []string{"$KV." + name + ".>"}, Replicas: replicas,
			MaxMsgsPerSubject: 1, Discard: jetstream.DiscardNew, AllowRollup: true, DenyDelete: true,
		})
	}
	if err != nil {
		return nil, err
	}
	return js.KeyValue(ctx, name)
}

// remove takes the ledger off the server, for good.
func (l *ledger) remove(ctx context.Context) error {
	err := l.retry(ctx, "remove the ledger", attempt, func(ctx context.Context) error { return l.js.DeleteStream(ctx, queueName(l.id)) })
	if err != nil && !errors.Is(err, errGone) {
		return err
	}
	err = l.retry(ctx, "remove the ledger", attempt, func(ctx context.Context) error { return l.js.DeleteKeyValue(ctx, bucketName(l.id)) })
	if errors.Is(err, errGone) {
		return nil
	}
	return err
}
