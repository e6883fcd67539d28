package cluster

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"tattle/run"
)

const (
	maxLost    = 10              // workers that vanish with a shard before it is set aside
	maxCause   = 2000            // bytes of a cause that are kept
	retryAfter = time.Second / 4 // and twice that after the second failure: meanwhile another may take it
	pollEvery  = 5 * time.Second
	pollPulse  = time.Second // of the server while a lease is waited for
	lastWord   = time.Second // that a shard's acknowledgement may take
)

// A lease gives this process exclusive work on a shard, until the shard is committed, failed or
// given back. The process renews it every third of the lease's time. A process that does not
// renew loses the lease, but may continue to compute: if two processes commit, the first wins.
type lease struct {
	s       *stage
	Shard   int
	Attempt int // how often the shard was leased, this time included
	msg     jetstream.Msg

	mu    sync.Mutex
	timer *time.Timer // nil once the lease has ended
}

// lease waits for a shard that is to be done and takes it. Shards that turn out to be
// committed are passed over; those that too many workers were lost on are set aside.
func (s *stage) lease(ctx context.Context) (*lease, error) {
	for {
		l, err := s.next(ctx)
		if err != nil {
			return nil, err
		}
		if l != nil {
			return l, nil
		}
	}
}

// next takes the next message of the queue; nil if it is of no use.
func (s *stage) next(ctx context.Context) (*lease, error) {
	var msg jetstream.Msg
	err := s.l.retry(ctx, "lease a shard", attempt, func(context.Context) (err error) {
		wait, cancel := context.WithTimeout(context.WithoutCancel(ctx), pollEvery) // the server limits its wait by this deadline
		defer cancel()
		defer context.AfterFunc(ctx, cancel)()
		msg, err = s.consumer.Next(jetstream.FetchContext(wait), jetstream.FetchHeartbeat(pollPulse))
		if idle(err) && ctx.Err() == nil {
			return nil
		}
		return s.orGone(ctx, err)
	})
	if err != nil || msg == nil {
		return nil, err
	}
	l, err := s.take(msg)
	if err != nil {
		s.l.o.Log("%v", err)
		msg.Term()
		return nil, nil
	}
	if l == nil {
		return nil, nil
	}
	ok, err := l.check(ctx)
	if err != nil {
		l.giveBack()
		return nil, err
	}
	if !ok {
		return nil, nil
	}
	return l, nil
}

// idle says that there was nothing to lease.
func idle(err error) bool {
	return errors.Is(err, nats.ErrTimeout) || errors.Is(err, context.DeadlineExceeded) || errors.Is(err, jetstream.ErrNoMessages)
}

// orGone returns err, or that the stage is gone if that is why nobody answers.
func (s *stage) orGone(ctx context.Context, err error) error {
	if !errors.Is(err, nats.ErrNoResponders) && !errors.Is(err, jetstream.ErrNoHeartbeat) && !errors.Is(err, jetstream.ErrConsumerDeleted) {
		return err
	}
	return within(ctx, attempt/5, func(ctx context.Context) error {
		if _, err := s.l.queue.Consumer(ctx, consumerName(s.Number)); err != nil {
			return err
		}
		return nats.ErrTimeout // it is there: another attempt
	})
}

// take makes a lease of a message. It returns nil if this process computes the shard already:
// its earlier lease has lapsed, as happens when a machine sleeps.
func (s *stage) take(msg jetstream.Msg) (*lease, error) {
	meta, err := msg.Metadata()
	if err != nil {
		return nil, err
	}
	i, err := s.shardOf(msg.Subject())
	if err != nil {
		return nil, err
	}
	l := &lease{s: s, Shard: i, Attempt: int(meta.NumDelivered), msg: msg}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.held[i] != nil {
		msg.InProgress()
		return nil, nil
	}
	s.held[i] = l
	l.mu.Lock()
	defer l.mu.Unlock()
	l.timer = time.AfterFunc(s.lapse/3, l.pulse)
	return l, nil
}

// pulse informs the server that the shard is still being computed. If the message is lost, the
// next pulse is enough.
func (l *lease) pulse() {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.timer != nil {
		l.msg.InProgress()
		l.timer.Reset(l.s.lapse / 3)
	}
}

// end stops the heartbeat.
func (l *lease) end() {
	l.mu.Lock()
	if l.timer != nil {
		l.timer.Stop()
		l.timer = nil
	}
	l.mu.Unlock()
	l.s.mu.Lock()
	defer l.s.mu.Unlock()
	if l.s.held[l.Shard] == l {
		delete(l.s.held, l.Shard)
	}
}

// check says whether the shard is to be done, and ends the lease where it is not.
func (l *lease) check(ctx context.Context) (bool, error) {
	_, done, err := l.s.committed(ctx, l.Shard)
	if err != nil {
		return false, err
	}
	if done {
		return false, l.done(ctx)
	}
	if l.Attempt <= maxLost {
		return true, nil
	}
	f, err := l.change(ctx, func(f *failure) bool {
		lost := l.Attempt - 1 - f.Ended
		if lost < maxLost || f.Aside {
			return false
		}
		f.Aside, f.Causes = true, append(f.Causes, fmt.Sprintf("%d workers were lost on it", lost))
		return true
	})
	if err != nil || !f.Aside {
		return err == nil, err
	}
	defer l.end()
	return false, l.msg.Term()
}

// commit says that the shard's data are stored. Won is false if another was first:
// what it committed stands, and the caller drops its own data unless they are the same.
// Where they differ, that is logged: the work is not deterministic. The lease goes on
// until done.
func (l *lease) commit(ctx context.Context, c commitRecord) (won bool, err error) {
	data, err := json.Marshal(c)
	if err != nil {
		return false, err
	}
	err = l.s.l.retry(ctx, "commit a shard", attempt, func(ctx context.Context) error {
		_, err := l.s.l.kv.Create(ctx, l.s.key("commit", l.Shard), data)
		return err
	})
	if err == nil {
		return true, nil
	}
	if !changed(err) {
		return false, err
	}
	first, ok, err := l.standing(ctx)
	if err != nil {
		return false, err
	}
	if !ok { // it was taken back meanwhile: the shard is queued again
		return false, nil
	}
	if first == c {
		return true, nil // it was ours, unanswered
	}
	if first.Digest != c.Digest {
		l.s.l.o.Log("%s, shard %d is not deterministic: %s (attempt %d) committed %.16s… and %s (attempt %d) computed %.16s…; the first stands",
			l.s.Name, l.Shard, first.Worker, first.Attempt, first.Digest, c.Worker, c.Attempt, c.Digest)
	}
	return false, nil
}

// standing returns what was committed of the shard, once it is known that something was:
// of several servers one may hear of it a little later than the others.
func (l *lease) standing(ctx context.Context) (c commitRecord, ok bool, err error) {
	for wait := 10 * time.Millisecond; ; wait *= 2 {
		c, ok, err = l.s.committed(ctx, l.Shard)
		if ok || err != nil || wait > lastWord/3 {
			return c, ok, err
		}
		pause(ctx, wait)
	}
}

// done ends the lease of a shard that is committed: the shard leaves the queue. It does not wait
// long for an answer, because a server that was killed may not know the lease any more. The shard
// is then leased once more, and found to be committed.
func (l *lease) done(ctx context.Context) error {
	defer l.end()
	brief, cancel := context.WithTimeout(ctx, lastWord)
	defer cancel()
	err := l.s.l.retry(brief, "acknowledge a shard", attempt, func(ctx context.Context) error {
		return l.s.orGone(ctx, l.msg.DoubleAck(ctx))
	})
	if errors.Is(err, errGone) || brief.Err() != nil && ctx.Err() == nil {
		return nil
	}
	return err
}

// fail notes why an attempt at the shard failed, and ends the lease: the shard is tried
// again, unless it has failed run.MaxAttempts times; then it is set aside.
func (l *lease) fail(ctx context.Context, cause error) error {
	text := cause.Error()
	f, err := l.change(ctx, func(f *failure) bool {
		f.Causes = append(f.Causes, text[:min(len(text), maxCause)])
		f.Aside = len(f.Causes) >= run.MaxAttempts
		f.Ended++
		return true
	})
	if err != nil {
		l.giveBack()
		return err
	}
	defer l.end()
	if f.Aside {
		return l.msg.Term()
	}
	return l.msg.NakWithDelay(time.Duration(len(f.Causes)) * retryAfter)
}

// giveBack ends the lease at once, if the server can be reached, so that another process can take
// the shard. It does not count as a failure.
func (l *lease) giveBack() {
	ctx, cancel := context.WithTimeout(context.Background(), 2*time.Second)
	defer cancel()
	defer l.end()
	l.change(ctx, func(f *failure) bool {
		f.Ended++
		return true
	})
	l.msg.Nak()
	l.s.l.js.Conn().FlushWithContext(ctx)
}

// change rewrites what is known of the shard's failures, where by says that something
// changes, and returns what then stands.
func (l *lease) change(ctx context.Context, by func(*failure) bool) (f failure, err error) {
	kv, key := l.s.l.kv, l.s.key("fail", l.Shard)
	var written []byte // perhaps, if no answer came
	err = l.s.l.retry(ctx, "note a failure", attempt, func(ctx context.Context) error {
		for {
			f = failure{}
			e, err := kv.Get(ctx, key)
			if err == nil {
				err = decode(e, &f)
			}
			if err != nil && !errors.Is(err, jetstream.ErrKeyNotFound) {
				return err
			}
			if e != nil && bytes.Equal(e.Value(), written) || !by(&f) {
				return nil
			}
			if written, err = json.Marshal(f); err != nil {
				return err
			}
			if e == nil {
				_, err = kv.Create(ctx, key, written)
			} else {
				_, err = kv.Update(ctx, key, written, e.Revision())
			}
			if !changed(err) {
				return err
			}
		}
	})
	return f, err
}

// changed reports whether an error says that a key was changed since it was read.
func changed(err error) bool {
	if errors.Is(err, jetstream.ErrKeyExists) {
		return true
	}
	var api *jetstream.APIError
	return errors.As(err, &api) && (api.ErrorCode == jetstream.JSErrCodeStreamWrongLastSequence || api.ErrorCode == jetstream.JSErrCodeStreamWrongLastSequenceConstant)
}
