package cluster

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/nats-io/nats.go/jetstream"

	"tattle/internal/file"
	"tattle/run"
)

const (
	collectors  = 8                      // results that are fetched at a time: several writers use a disk better
	lookEvery   = 100 * time.Millisecond // at the queue of a stage
	meetEvery   = 5 * time.Second        // the workers, and once more the queue and all commits
	waitBefore  = 10 * time.Second       // then a message says that no worker takes part
	sharedDelay = 50 * time.Millisecond
	sharedTries = 20 // until a file that another machine wrote appears here
)

// collector gathers the results of a stage.
type collector struct {
	s       *Submission
	w       run.Work
	f       *run.Folder
	st      *stage
	seen    uint64           // revision of the ledger up to which changes are known
	aside   map[int]failure  // by shard
	damages map[int][]string // by shard, results that differed from what was committed
	queue   []fetched        // committed results that are to be fetched
	busy    map[int]bool     // shards that are being fetched
	queued  [3]uint64        // what the server last said of the queue
}

// fetched is a result that was committed, and what fetching it came to.
type fetched struct {
	shard  int
	commit commitRecord
	err    error
}

// collect returns once each shard is either in the folder or set aside. It looks at the queue again
// and again; if that has changed, it reads what was committed and what failed since.
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
	look := time.NewTicker(lookEvery)
	defer look.Stop()
	var met time.Time
	for {
		often := time.Since(met) > meetEvery
		if often {
			met = time.Now()
			c.s.meet(ctx)
		}
		if err := c.look(ctx, often); err != nil {
			return err
		}
		for waiting := true; waiting; {
			c.start(ctx, results)
			if c.idle() && c.complete() {
				return nil
			}
			select {
			case <-ctx.Done():
				return ctx.Err()
			case <-look.C:
				waiting = false
			case r := <-results:
				delete(c.busy, r.shard)
				if err := c.settle(ctx, r); err != nil {
					return err
				}
			}
		}
	}
}

// idle says that no result is being fetched.
func (c *collector) idle() bool { return len(c.busy)+len(c.queue) == 0 }

// complete says that each shard is in the folder or set aside.
func (c *collector) complete() bool { return len(c.f.Remaining()) == len(c.aside) }

// look reads what has changed, if the queue has, or anyway. It returns an error if the run is no
// longer in the cluster. If shards are missing and none is queued, it queues those that must be
// computed again; if none must be, it reads all commits again, because one was passed over.
func (c *collector) look(ctx context.Context, anyway bool) error {
	var now [3]uint64
	err := c.st.l.retry(ctx, "look after the run", attempt, func(ctx context.Context) error {
		info, err := c.st.consumer.Info(ctx)
		if err == nil {
			now = [3]uint64{info.NumPending, uint64(info.NumAckPending), info.Delivered.Consumer}
		}
		return err
	})
	if err != nil {
		return err
	}
	if now == c.queued && !anyway {
		return nil
	}
	c.queued = now
	if err := c.update(ctx); err != nil {
		return err
	}
	if !anyway || now[0]+now[1] > 0 || !c.idle() || c.complete() {
		return nil
	}
	queued, err := c.st.fill(ctx)
	if c.seen = 0; queued > 0 {
		c.s.c.wake()
	}
	return err
}

// update reads what was committed and what failed since the last call.
func (c *collector) update(ctx context.Context) error {
	var since []jetstream.WatchOpt
	if c.seen > 0 {
		since = append(since, jetstream.ResumeFromRevision(c.seen+1))
	}
	first := c.seen == 0
	return c.st.l.list(ctx, c.st.keys("*"), func() {}, func(e jetstream.KeyValueEntry) error {
		c.seen = max(c.seen, e.Revision())
		i, err := c.st.shardOf(e.Key())
		if err != nil {
			return err
		}
		if strings.HasPrefix(e.Key(), "commit.") {
			r := fetched{shard: i}
			if err := decode(e, &r.commit); err != nil {
				return err
			}
			delete(c.aside, i)
			c.queue = append(c.queue, r)
			return nil
		}
		var f failure
		if err := decode(e, &f); err != nil {
			return err
		}
		if len(f.Causes) > 0 && !first {
			c.s.o.Log("%s failed: %s", c.w.ShardName(i), run.Failure{Causes: f.Causes}.Cause())
		}
		if f.Aside && !c.f.Done(i) {
			c.aside[i] = f
		}
		return nil
	}, since...)
}

// start fetches queued results, up to collectors at a time.
func (c *collector) start(ctx context.Context, results chan<- fetched) {
	for len(c.queue) > 0 && len(c.busy) < collectors {
		r := c.queue[0]
		c.queue = c.queue[1:]
		if c.busy[r.shard] || c.f.Done(r.shard) {
			continue // it was read twice
		}
		c.busy[r.shard] = true
		go func() {
			if r.err = c.s.checks.check(ctx, c.w, r.shard, r.commit); r.err == nil {
				r.err = c.fetch(ctx, r.shard, r.commit)
			}
			results <- r
		}()
	}
}

// fetch brings a result into the folder.
func (c *collector) fetch(ctx context.Context, i int, commit commitRecord) error {
	switch {
	case !run.IsDigest(commit.Digest):
		return &run.DamagedError{Shard: i, Want: commit.Digest}
	case c.s.job.Shared == "":
		return c.s.blobs.fetch(ctx, c.f, c.st.Number, i, commit)
	}
	var err error
	for range sharedTries { // until what a worker wrote into the folder appears here
		err = c.f.Adopt(i, commit.Digest)
		if lost, ok := errors.AsType[*run.DamagedError](err); !ok || lost.Have != "" {
			return err
		}
		pause(ctx, sharedDelay)
	}
	return err
}

// settle takes in what fetching a result came to. If it was damaged, the shard is computed
// again.
func (c *collector) settle(ctx context.Context, r fetched) error {
	if r.err == nil {
		c.report()
		return nil
	}
	if !damaged(r.err) {
		return r.err
	}
	now, ok, err := c.st.committed(ctx, r.shard)
	if err != nil || !ok || now != r.commit { // another result came meanwhile, or will
		return err
	}
	cause := fmt.Sprintf("what worker %s committed is damaged (%v)", file.Name(r.commit.Worker), r.err)
	c.damages[r.shard] = append(c.damages[r.shard], cause)
	hopeless := len(c.damages[r.shard]) >= run.MaxAttempts
	if !hopeless {
		cause += ": it is computed again"
	}
	c.s.o.Log("%s: %s", c.w.ShardName(r.shard), cause)
	if c.s.job.Shared == "" && run.IsDigest(r.commit.Digest) {
		if err := c.s.blobs.drop(ctx, resultBlob(c.st.Number, r.shard, r.commit.Digest)); err != nil {
			return err
		}
	}
	if hopeless {
		if err := c.st.put(ctx, "fail", r.shard, failure{Causes: c.damages[r.shard], Aside: true}); err != nil {
			return err
		}
		delete(c.damages, r.shard)
		return c.st.drop(ctx, "commit", r.shard)
	}
	if err := c.st.uncommit(ctx, r.shard); err != nil {
		return err
	}
	c.s.c.wake()
	return nil
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
