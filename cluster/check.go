package cluster

import (
	"context"
	"fmt"
	"math/rand/v2"
	"sync"

	"tattle/internal/file"
	"tattle/run"
)

// DefaultCheck is the share of the workers' shards that the submitter computes again. A
// submitter then keeps up with twenty workers of its own speed, and a worker that falsifies
// 60 shards is found with a probability of 1 - 0.95^60 = 95 %. A worker that falsifies all of
// its shards, because its seed or model is another, is found by its first shard, which is
// always checked.
const DefaultCheck = 0.05

// Checked counts the shards of a run that the submitter computed again.
type Checked struct {
	Rate    float64 // see SubmitOptions.Check
	Workers int     // whose shards were collected
	Shards  int     // that they computed
	Checked int     // of them, those that were computed again, and came out the same
}

// A LieError says that a worker returned another result than the submitter computed.
type LieError struct {
	Worker, Shard string
	Theirs, Ours  string // SHA-256
	Dropped       int    // shards of that worker, in this stage
	Earlier       bool   // the worker also computed shards of earlier stages, which were used
}

// Error names the worker and says how to go on.
func (e *LieError) Error() string {
	how := "stop it, then use --resume"
	if e.Earlier {
		how = "stop it, and begin the run again in another folder, because it computed shards of earlier stages too"
	}
	return fmt.Sprintf("worker %s returned a false result for %s (SHA-256 %.16s…, and %.16s… as computed here); %d of its shards were dropped: %s",
		file.Name(e.Worker), e.Shard, e.Theirs, e.Ours, e.Dropped, how)
}

// checker computes a sample of the workers' shards again.
type checker struct {
	mu      sync.Mutex
	count   Checked
	workers map[string]int // the stage in which each worker was seen first
	stages  int            // begun so far
	shards  map[int]bool   // of the stage under way, those that workers computed
	turns   chan struct{}  // limits how many shards are computed at a time
	serial  bool           // the work computes one shard at a time
	running sync.Mutex     // held while a shard of such work is computed
}

// begin begins with the shards of a stage.
func (k *checker) begin(w run.Work) {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.stages++
	k.shards, k.turns, k.serial = map[int]bool{}, make(chan struct{}, max(w.AtOnce, 1)), w.AtOnce <= 1
}

// draw notes a worker's shard and reports whether it is to be checked.
func (k *checker) draw(i int, worker string) bool {
	k.mu.Lock()
	defer k.mu.Unlock()
	first := k.workers[worker] == 0
	if first {
		k.workers[worker] = k.stages
		k.count.Workers++
	}
	if !k.shards[i] {
		k.count.Shards++
	}
	k.shards[i] = true
	return k.count.Rate > 0 && (first || rand.Float64() < k.count.Rate)
}

// check computes shard i again if it is drawn. A result that differs from what the worker
// committed is a *LieError.
func (k *checker) check(ctx context.Context, w run.Work, i int, c commitRecord) error {
	if c.Worker == byFolder || !k.draw(i, c.Worker) {
		return nil
	}
	select {
	case k.turns <- struct{}{}:
		defer func() { <-k.turns }()
	case <-ctx.Done():
		return ctx.Err()
	}
	if k.serial {
		k.running.Lock()
		defer k.running.Unlock()
	}
	digest, err := w.ComputeAgain(ctx, i)
	if err != nil {
		return fmt.Errorf("compute %s again, to check worker %s: %w", w.ShardName(i), file.Name(c.Worker), err)
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	if digest != c.Digest {
		return &LieError{Worker: c.Worker, Shard: w.ShardName(i), Theirs: c.Digest, Ours: digest, Earlier: k.workers[c.Worker] < k.stages}
	}
	k.count.Checked++
	return nil
}

// report reports progress, but not while work that computes one shard at a time does so: its
// functions need not be safe for concurrent use. The next shard reports again.
func (c *collector) report() {
	if k := c.s.checks; k.running.TryLock() {
		defer k.running.Unlock()
		c.w.ReportProgress(c.f)
	}
}

// drop takes back what a worker committed in the stage under way.
func (c *collector) drop(ctx context.Context, lie *LieError) error {
	commits, err := readShards[commitRecord](ctx, c.st, "commit")
	if err != nil {
		return err
	}
	for i, commit := range commits {
		if commit.Worker != lie.Worker {
			continue
		}
		if c.f.Done(i) {
			if err := c.f.Drop(i); err != nil {
				return err
			}
		}
		if err := c.st.uncommit(ctx, i); err != nil {
			return err
		}
		lie.Dropped++
	}
	return nil
}

// Checked returns what the submitter has checked of the workers' results so far.
func (s *Submission) Checked() Checked {
	s.checks.mu.Lock()
	defer s.checks.mu.Unlock()
	return s.checks.count
}
