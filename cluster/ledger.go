package cluster

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
)

const (
	defaultLease = 30 * time.Second
	patience     = 2 * time.Minute  // for a server that is away: restarted, or electing a leader
	attempt      = 10 * time.Second // one request of an operation; the first ones have less
	listing      = time.Minute      // one that is about all shards
	maxPending   = 256              // publications that are not yet acknowledged
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
	Sole     bool          // nobody else takes part: leases are those of a dead process, and void
	Broken   func() error  // unless nil, errs where it is no use to wait for the server any longer
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

// stageInfo is what a ledger knows of a stage.
type stageInfo struct {
	Number   int    `json:"-"` // in subjects and keys; from 1, in the order of the run
	Name     string `json:"name"`
	Manifest string `json:"manifest"` // SHA-256 of manifest.json
	Shards   int    `json:"shards"`
	Done     bool   `json:"done,omitempty"`     // all its shards are with the submitter
	Replaced bool   `json:"replaced,omitempty"` // by a stage of the same name and another manifest
}

func queueName(id string) string  { return "TATTLE-" + id }
func bucketName(id string) string { return "tattle-" + id }

// subject is where shards of a stage queue.
func (l *ledger) subject(stage int, shard string) string {
	return fmt.Sprintf("tattle.%s.%d.%s", l.id, stage, shard)
}

// openLedger opens the ledger of a run, and makes it where there is none, unless Join
// says that there must be one: then it errs with errGone.
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
	l.kv, err = l.js.CreateOrUpdateKeyValue(ctx, jetstream.KeyValueConfig{Bucket: bucketName(l.id), Replicas: l.o.Replicas})
	return err
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

// stages lists the stages of the run that were not replaced, in order.
func (l *ledger) stages(ctx context.Context) ([]stageInfo, error) {
	all, err := l.allStages(ctx)
	return slices.DeleteFunc(all, func(s stageInfo) bool { return s.Replaced }), err
}

func (l *ledger) allStages(ctx context.Context) ([]stageInfo, error) {
	var all []stageInfo
	err := l.list(ctx, []string{"stage.*"}, func() { all = nil }, func(e jetstream.KeyValueEntry) error {
		s, err := decodeStage(e)
		all = append(all, s)
		return err
	})
	slices.SortFunc(all, func(a, b stageInfo) int { return a.Number - b.Number })
	return all, err
}

func decodeStage(e jetstream.KeyValueEntry) (s stageInfo, err error) {
	if err = json.Unmarshal(e.Value(), &s); err == nil {
		s.Number, err = strconv.Atoi(strings.TrimPrefix(e.Key(), "stage."))
	}
	if err != nil {
		return s, unreadable(e, err)
	}
	return s, nil
}

// unreadableError says that something in the ledger is not what a ledger holds.
type unreadableError struct{ key, why string }

func (e *unreadableError) Error() string {
	return fmt.Sprintf("the ledger's %s is not readable: %s", e.key, e.why)
}

func unreadable(e jetstream.KeyValueEntry, err error) error {
	return &unreadableError{e.Key(), err.Error()}
}

// watchStages tells of each stage that is there or comes, and again when it is done or
// replaced, until ctx ends; then it closes the channel.
func (l *ledger) watchStages(ctx context.Context) <-chan stageInfo {
	to := make(chan stageInfo, 16)
	go func() {
		defer close(to)
		l.follow(ctx, []string{"stage.*"}, func(e jetstream.KeyValueEntry) {
			if e == nil || e.Operation() != jetstream.KeyValuePut {
				return
			}
			s, err := decodeStage(e)
			if err != nil {
				l.o.Log("%v", err)
				return
			}
			select {
			case to <- s:
			case <-ctx.Done():
			}
		})
	}()
	return to
}

// stage opens the stage of that name and manifest, and makes it where there is none. A
// stage of the same name and another manifest is replaced: what it queued and committed
// is dropped. New stages have nothing in the queue; fill does that.
func (l *ledger) stage(ctx context.Context, name, manifest string, shards int) (*stage, error) {
	want := stageInfo{Name: name, Manifest: manifest, Shards: shards}
	for {
		all, err := l.allStages(ctx)
		if err != nil {
			return nil, err
		}
		for _, s := range all {
			switch {
			case s.Name != name || s.Replaced:
			case s.Manifest == manifest && s.Shards == shards:
				return l.join(ctx, s, true)
			default:
				if err := l.replace(ctx, s); err != nil {
					return nil, err
				}
			}
		}
		want.Number = 1
		if n := len(all); n > 0 {
			want.Number = all[n-1].Number + 1
		}
		err = l.note(ctx, want, true)
		if errors.Is(err, jetstream.ErrKeyExists) {
			continue // somebody else was first, or this is our own, unanswered
		}
		if err != nil {
			return nil, err
		}
		return l.join(ctx, want, true)
	}
}

// note writes what is known of a stage.
func (l *ledger) note(ctx context.Context, s stageInfo, create bool) error {
	data, err := json.Marshal(s)
	if err != nil {
		return err
	}
	key := "stage." + strconv.Itoa(s.Number)
	return l.retry(ctx, "note a stage", attempt, func(ctx context.Context) error {
		if create {
			_, err = l.kv.Create(ctx, key, data)
		} else {
			_, err = l.kv.Put(ctx, key, data)
		}
		return err
	})
}

// replace drops what a stage queued and committed. Its number is not used again, so
// that a worker who still computes for it harms nobody.
func (l *ledger) replace(ctx context.Context, s stageInfo) error {
	s.Replaced = true
	if err := l.note(ctx, s, false); err != nil {
		return err
	}
	return l.retry(ctx, "drop a stage", attempt, func(ctx context.Context) error {
		if err := l.queue.DeleteConsumer(ctx, consumerName(s.Number)); err != nil && !errors.Is(err, jetstream.ErrConsumerNotFound) {
			return err
		}
		if err := l.queue.Purge(ctx, jetstream.WithPurgeSubject(l.subject(s.Number, "*"))); err != nil {
			return err
		}
		return l.purge(ctx, "*", s.Number)
	})
}

// purge drops the keys of a kind ("commit", "fail", "*") of a stage.
func (l *ledger) purge(ctx context.Context, kind string, stage int) error {
	bucket, err := l.js.Stream(ctx, "KV_"+bucketName(l.id))
	if err != nil {
		return err
	}
	return bucket.Purge(ctx, jetstream.WithPurgeSubject(fmt.Sprintf("$KV.%s.%s.%d.*", bucketName(l.id), kind, stage)))
}

// list calls each with every key that matches, and again from the start, after again,
// where the server went away on the way.
func (l *ledger) list(ctx context.Context, keys []string, again func(), each func(jetstream.KeyValueEntry) error) error {
	return l.retry(ctx, "read the ledger", listing, func(ctx context.Context) error {
		again()
		w, err := l.kv.WatchFiltered(ctx, slices.Clone(keys), jetstream.IgnoreDeletes())
		if err != nil {
			return err
		}
		defer w.Stop()
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

// follow calls each with every key that matches, now and as they change, and with nil
// once it has told of all that there was, until ctx ends. After a reconnection it begins
// anew, so that each may hear of a key twice.
func (l *ledger) follow(ctx context.Context, keys []string, each func(jetstream.KeyValueEntry)) {
	connected := l.js.Conn().StatusChanged(nats.CONNECTED)
	defer l.js.Conn().RemoveStatusListener(connected)
	for ctx.Err() == nil {
		l.followOnce(ctx, connected, keys, each)
		pause(ctx, 50*time.Millisecond)
	}
}

// followOnce follows until the connection is made anew.
func (l *ledger) followOnce(ctx context.Context, connected <-chan nats.Status, keys []string, each func(jetstream.KeyValueEntry)) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	go func() {
		defer cancel()
		select {
		case <-connected:
		case <-ctx.Done():
		}
	}()
	w, err := l.kv.WatchFiltered(ctx, slices.Clone(keys))
	if err != nil {
		pause(ctx, time.Second)
		return
	}
	defer w.Stop()
	for {
		select {
		case e, open := <-w.Updates():
			if !open {
				return
			}
			each(e)
		case <-ctx.Done():
			return
		}
	}
}

// retry does an operation until it succeeds, fails for good, or the server has been away
// for longer than there is patience. Each attempt has a limited time, the first ones less.
func (l *ledger) retry(ctx context.Context, what string, limit time.Duration, do func(ctx context.Context) error) error {
	began, wait, patient := time.Now(), 20*time.Millisecond, limit/8 // an answer may be lost with a server
	var refused *jetstream.APIError
	for {
		err := within(ctx, patient, do)
		switch {
		case err == nil:
			return nil
		case ctx.Err() != nil:
			return ctx.Err()
		case gone(err):
			return fmt.Errorf("%s: %w", what, errGone)
		case definite(err):
			return fmt.Errorf("%s: %w", what, err)
		case l.queue != nil && !errors.Is(err, context.DeadlineExceeded) && l.isGone(ctx): // errors of what is gone are of many kinds
			return fmt.Errorf("%s: %w", what, errGone)
		case l.o.Broken != nil && l.o.Broken() != nil:
			return fmt.Errorf("%s: %w (%w)", what, l.o.Broken(), err)
		case l.o.Sole && errors.As(err, &refused): // by a server that is all there
			return fmt.Errorf("%s: %w", what, err)
		case time.Since(began) > l.o.Patience:
			return fmt.Errorf("%s: the server has not answered for %v (%w): is it running, and can it be reached?", what, l.o.Patience, err)
		}
		pause(ctx, wait)
		wait, patient = min(2*wait, time.Second), min(2*patient, limit)
	}
}

func within(ctx context.Context, limit time.Duration, do func(ctx context.Context) error) error {
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	return do(ctx)
}

// pause waits, or until ctx ends.
func pause(ctx context.Context, d time.Duration) {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
	case <-ctx.Done():
	}
}

// gone says that what an operation is about is not on the server.
func gone(err error) bool {
	for _, e := range []error{jetstream.ErrStreamNotFound, jetstream.ErrBucketNotFound, jetstream.ErrConsumerNotFound, jetstream.ErrConsumerDeleted, jetstream.ErrConsumerDoesNotExist} {
		if errors.Is(err, e) {
			return true
		}
	}
	return false
}

// isGone asks the server whether the run's queue is not there.
func (l *ledger) isGone(ctx context.Context) bool {
	return within(ctx, attempt/5, func(ctx context.Context) error {
		_, err := l.js.Stream(ctx, queueName(l.id))
		if errors.Is(err, jetstream.ErrStreamNotFound) {
			return nil
		}
		return nats.ErrTimeout
	}) == nil
}

// definite says that trying again is no use.
func definite(err error) bool {
	var bad *unreadableError
	if errors.As(err, &bad) {
		return true
	}
	for _, e := range []error{nats.ErrConnectionClosed, nats.ErrAuthorization, nats.ErrPermissionViolation, nats.ErrMaxPayload, jetstream.ErrKeyNotFound, jetstream.ErrKeyExists, jetstream.ErrKeyDeleted} {
		if errors.Is(err, e) {
			return true
		}
	}
	var api *jetstream.APIError
	return errors.As(err, &api) && api.Code >= 400 && api.Code < 500
}
