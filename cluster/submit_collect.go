package cluster

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"tattle/internal/file"
	"tattle/run"
)

const (
	collectors  = 8                // results that are fetched at a time: several writers use a disk better
	lookEvery   = 5 * time.Second  // interval of checks whether the run is still in the cluster
	waitBefore  = 10 * time.Second // then a message says that no worker takes part
	sharedDelay = 50 * time.Millisecond
	sharedTries = 20 // until a file that another machine wrote appears here
)

// collector gathers the results of a stage.
type collector struct {
	s       *Submission
	w       run.Work
	f       *run.Folder
	st      *stage
	aside   map[int]failure
	damages map[int][]string // by shard, results that differed from what was committed
	queue   []event          // committed results that are to be fetched
	busy    map[int]bool
	heard   bool // whether any worker has taken part
	caught  int  // which earlier events have been received: 1 commits, 2 failures, 3 both
}

// fetched is the result of fetching a commit.
type fetched struct {
	event
	err error
}

// collect returns once each shard is either in the folder or set aside.
func (c *collector) collect(ctx context.Context) error {
	c.w.ReportProgress(c.f)
	c.s.checks.begin(c.w)
	ctx, cancel := context.WithCancel(ctx)
	results := make(chan fetched)
	c.busy = map[int]bool{}
	defer func() {
		cancel()
		for range c.busy {
			<-results
		}
	}()
	events, rewatch := c.watch(ctx)
	again := c.s.c.nc.StatusChanged(nats.CONNECTED)
	defer c.s.c.nc.RemoveStatusListener(again)
	look := time.NewTicker(lookEvery)
	defer look.Stop()
	news := make(chan *nats.Msg, 1)
	if sub, err := c.s.c.nc.ChanSubscribe(wakeSubject, news); err == nil {
		defer sub.Unsubscribe()
	}
	waiting := time.After(waitBefore)
	left := len(c.f.Remaining())
	for {
		if c.caught == 3 && left == len(c.aside) && len(c.busy)+len(c.queue) == 0 {
			return nil
		}
		lookNow := false
		select {
		case <-ctx.Done():
			return ctx.Err()
		case e := <-events:
			c.note(e)
		case r := <-results:
			delete(c.busy, r.Shard)
			done, err := c.settle(ctx, r)
			if err != nil {
				return err
			}
			if done {
				left--
				c.report()
			}
		case <-again: // a watch ends if its server goes away, which is reported late
			rewatch()
			events, rewatch = c.watch(ctx)
		case <-news: // the run may have been removed
			lookNow = true
		case <-look.C:
			lookNow = true
		case <-waiting:
			if !c.heard && !c.s.asked && !c.s.joined.Load() && !c.working(ctx) {
				c.s.asked = true
				c.s.o.Log("waiting for workers: tattle worker --cluster %s", c.s.c.dial.URL)
			}
		}
		if lookNow {
			missed, err := c.look(ctx, left)
			if err != nil {
				return err
			}
			if missed {
				rewatch()
				events, rewatch = c.watch(ctx)
			}
		}
		c.start(ctx, results)
	}
}

// watch returns a channel of all past and future events of the shards, until stop is called. It
// uses one watch for commits and one for failures: with two filters in one watch, the server
// searches through all keys for each change.
func (c *collector) watch(ctx context.Context) (events <-chan event, stop func()) {
	c.caught = 0
	ctx, stop = context.WithCancel(ctx)
	to := make(chan event, 64)
	for k, kind := range []string{"commit", "fail"} {
		go c.st.l.follow(ctx, []string{c.st.keys(kind)}, func(e jetstream.KeyValueEntry) {
			v, ok := c.st.event(e)
			if !ok || kind == "commit" && v.Kind == refilled { // only a shard that is no longer set aside matters here
				return
			}
			if v.Kind == caughtUp {
				v.Shard = k
			}
			select {
			case to <- v:
			case <-ctx.Done():
			}
		})
	}
	return to, stop
}

// note records an event of a shard.
func (c *collector) note(e event) {
	c.heard = c.heard || e.Kind == committed && e.Commit.Worker != byFolder || e.Kind == failed
	switch e.Kind {
	case caughtUp:
		c.caught |= 1 << e.Shard
	case committed:
		delete(c.aside, e.Shard)
		if !c.f.Done(e.Shard) {
			c.queue = append(c.queue, e)
		}
	case failed, aside:
		if c.caught == 3 {
			c.s.o.Log("%s failed: %s", c.w.ShardName(e.Shard), run.Failure{Causes: e.Failure.Causes}.Cause())
		}
		if e.Kind == aside && !c.f.Done(e.Shard) {
			c.aside[e.Shard] = e.Failure
		}
	case refilled:
		delete(c.aside, e.Shard)
	}
}

// start fetches queued results, up to collectors at a time.
func (c *collector) start(ctx context.Context, results chan<- fetched) {
	for len(c.queue) > 0 && len(c.busy) < collectors {
		e := c.queue[0]
		c.queue = c.queue[1:]
		if c.busy[e.Shard] || c.f.Done(e.Shard) {
			continue // the event came twice
		}
		c.busy[e.Shard] = true
		go func() {
			err := c.s.checks.check(ctx, c.w, e.Shard, e.Commit)
			if err == nil {
				err = c.fetch(ctx, e)
			}
			results <- fetched{e, err}
		}()
	}
}

// fetch brings a result into the folder.
func (c *collector) fetch(ctx context.Context, e event) error {
	if !run.IsDigest(e.Commit.Digest) {
		return &run.DamagedError{Shard: e.Shard, Want: e.Commit.Digest}
	}
	if c.s.job.Shared != "" {
		return c.adopt(ctx, e)
	}
	name := resultBlob(c.st.Number, e.Shard, e.Commit.Digest)
	return fetchResult(c.f, e.Shard, e.Commit, func(w io.Writer) error { return c.s.blobs.get(ctx, name, w) })
}

// fetchResult commits to a folder what read writes, if it has the digest of the committed
// result; otherwise it returns a *run.DamagedError or errDamaged.
func fetchResult(f *run.Folder, i int, c commitRecord, read func(io.Writer) error) error {
	digest := c.Digest
	_, _, err := f.Put(i, func(to io.Writer) error {
		h := sha256.New()
		if err := read(io.MultiWriter(&limited{to, c.Size}, h)); err != nil {
			return err
		}
		if found := hex.EncodeToString(h.Sum(nil)); found != digest {
			return &run.DamagedError{Shard: i, Want: digest, Have: found}
		}
		return nil
	})
	if err != nil {
		return err
	}
	err = f.Record(i, digest)
	var lost *run.CommittedError
	if errors.As(err, &lost) && !lost.Differs() {
		return nil
	}
	return err
}

// adopt records a result that a worker wrote into the folder, once it appears here.
func (c *collector) adopt(ctx context.Context, e event) (err error) {
	for range sharedTries {
		err = c.f.Adopt(e.Shard, e.Commit.Digest)
		var damaged *run.DamagedError
		if !errors.As(err, &damaged) || damaged.Have != "" {
			return err
		}
		pause(ctx, sharedDelay)
	}
	return err
}

// settle returns whether a result is in the folder. If it was damaged, the shard is computed
// again.
func (c *collector) settle(ctx context.Context, r fetched) (done bool, err error) {
	var damaged *run.DamagedError
	switch {
	case r.err == nil:
		return true, nil
	case !errors.As(r.err, &damaged) && !errors.Is(r.err, errDamaged):
		return false, r.err
	}
	now, ok, err := c.st.committed(ctx, r.Shard)
	if err != nil {
		return false, err
	}
	if !ok || now != r.Commit { // another result came meanwhile, or will
		return false, nil
	}
	cause := fmt.Sprintf("what worker %s committed is damaged (%v)", file.Name(r.Commit.Worker), r.err)
	c.damages[r.Shard] = append(c.damages[r.Shard], cause)
	hopeless := len(c.damages[r.Shard]) >= run.MaxAttempts
	if !hopeless {
		cause += ": it is computed again"
	}
	c.s.o.Log("%s: %s", c.w.ShardName(r.Shard), cause)
	if c.s.job.Shared == "" && run.IsDigest(r.Commit.Digest) {
		if err := c.s.blobs.drop(ctx, resultBlob(c.st.Number, r.Shard, r.Commit.Digest)); err != nil {
			return false, err
		}
	}
	if hopeless {
		return false, c.setAside(ctx, r.Shard)
	}
	if err := c.st.uncommit(ctx, r.Shard); err != nil {
		return false, err
	}
	c.s.c.wake()
	return false, nil
}

// setAside gives up a shard whose result was damaged each time.
func (c *collector) setAside(ctx context.Context, i int) error {
	data, err := json.Marshal(failure{Causes: c.damages[i], Aside: true})
	if err != nil {
		return err
	}
	delete(c.damages, i)
	err = c.st.l.retry(ctx, "set a shard aside", attempt, func(ctx context.Context) error {
		_, err := c.st.l.kv.Put(ctx, c.st.key("fail", i), data)
		return err
	})
	if err != nil {
		return err
	}
	return c.st.drop(ctx, "commit", i)
}

// look returns an error if the run is no longer in the cluster. If shards are missing and none
// is queued, it queues those that must be computed again. If none must be, it fetches commits
// whose event was missed: servers may receive changes late.
func (c *collector) look(ctx context.Context, left int) (missed bool, err error) {
	var idle bool
	err = c.st.l.retry(ctx, "look after the run", attempt, func(ctx context.Context) error {
		info, err := c.st.consumer.Info(ctx)
		idle = err == nil && info.NumPending == 0 && info.NumAckPending == 0
		return err
	})
	if err != nil || !idle || len(c.busy)+len(c.queue) > 0 {
		return false, err
	}
	queued, err := c.st.fill(ctx)
	if queued > 0 {
		c.s.c.wake()
	}
	return err == nil && queued == 0 && c.caught == 3 && left != len(c.aside), err
}

// working reports whether a worker has leased a shard.
func (c *collector) working(ctx context.Context) bool {
	ctx, cancel := context.WithTimeout(ctx, attempt)
	defer cancel()
	info, err := c.st.consumer.Info(ctx)
	return err == nil && info.NumAckPending > 0
}

// failed returns an error that lists the shards that were set aside, and records them in the folder.
func (c *collector) failed() error {
	all := &run.FailedError{Dir: c.f.Dir(), Shards: c.f.Len()}
	for _, i := range slices.Sorted(maps.Keys(c.aside)) {
		failure := run.Failure{Shard: i, Name: c.w.ShardName(i), Causes: c.aside[i].Causes}
		if err := c.f.SetAside(failure); err != nil {
			return err
		}
		all.Failures = append(all.Failures, failure)
	}
	return all
}
