package cluster

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"net"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"tattle/internal/must"
	"tattle/run"
)

// text is what shard i of the tests' work holds.
func text(i int) string { return strings.Repeat(fmt.Sprintf("shard %d\n", i), 1+i%7) }

// told collects what is logged.
type told struct {
	mu    sync.Mutex
	lines []string
}

func (l *told) log(format string, a ...any) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.lines = append(l.lines, fmt.Sprintf(format, a...))
}

func (l *told) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return strings.Join(l.lines, "\n")
}

// filled is a stage with all its shards in the queue.
func filled(t *testing.T, js jetstream.JetStream, shards int, o ledgerOptions) *stage {
	t.Helper()
	l := must.Get(openLedger(t.Context(), js, "test", o))(t)
	s := must.Get(l.stage(t.Context(), "shards", "manifest", shards))(t)
	if n, err := s.fill(t.Context()); err != nil || n != shards {
		t.Fatalf("%d queued: %v", n, err)
	}
	return s
}

// joined is the first stage as a worker opens it.
func joined(t *testing.T, js jetstream.JetStream, o ledgerOptions) *stage {
	t.Helper()
	o.Join = true
	l := must.Get(openLedger(t.Context(), js, "test", o))(t)
	all, err := l.stages(t.Context())
	if err != nil || len(all) == 0 {
		t.Fatalf("%v, %v", all, err)
	}
	return must.Get(l.join(t.Context(), all[0], false))(t)
}

// read returns what was committed and what failed, by shard.
func (s *stage) read(ctx context.Context) (commits map[int]commitRecord, failures map[int]failure, err error) {
	if commits, err = readShards[commitRecord](ctx, s, "commit"); err == nil {
		failures, err = readShards[failure](ctx, s, "fail")
	}
	return commits, failures, err
}

func leased(t *testing.T, s *stage) *lease {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	return must.Get(s.lease(ctx))(t)
}

// nothing checks that no shard can be leased for a while.
func nothing(t *testing.T, s *stage) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
	defer cancel()
	if l, err := s.lease(ctx); err == nil {
		t.Errorf("shard %d could be leased", l.Shard)
	} else if !errors.Is(err, context.DeadlineExceeded) {
		t.Error(err)
	}
}

// mute stops the heartbeat, as the end of the process would.
func (l *lease) mute() {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.timer != nil {
		l.timer.Stop()
		l.timer = nil
	}
}

func recordOf(i int, worker string, l *lease) commitRecord {
	sum := sha256.Sum256([]byte(text(i)))
	return commitRecord{hex.EncodeToString(sum[:]), int64(len(text(i))), worker, l.Attempt}
}

func inQueue(t *testing.T, s *stage) uint64 {
	t.Helper()
	info := must.Get(s.l.queue.Info(t.Context()))(t)
	return info.State.Msgs
}

// TestExactlyOnce has workers that fall silent past their leases and commit all the same.
func TestExactlyOnce(t *testing.T) {
	t.Parallel()
	const n, workers = 42, 4
	h := listen(t)
	o := ledgerOptions{Lease: 150 * time.Millisecond, Log: t.Errorf}
	s := filled(t, h.js, n, o)
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	var wg sync.WaitGroup
	var mu sync.Mutex
	won, lost, silent := map[int]int{}, 0, 0
	for k := range workers {
		s := joined(t, h.client(t), o)
		wg.Go(func() {
			for taken := 1; ; taken++ {
				l, err := s.lease(ctx)
				if err != nil {
					return
				}
				if k < workers/2 && taken%3 == 1 { // paused until another has committed
					l.mute()
					mu.Lock()
					silent++
					mu.Unlock()
					for done := false; !done && ctx.Err() == nil; pause(ctx, 10*time.Millisecond) {
						_, done, _ = s.committed(ctx, l.Shard)
					}
				}
				first, err := l.commit(ctx, recordOf(l.Shard, fmt.Sprint("worker ", k), l))
				if err == nil {
					err = l.done(ctx)
				}
				if err != nil {
					t.Error(err)
				}
				pause(ctx, 5*time.Millisecond)
				mu.Lock()
				if first {
					won[l.Shard]++
				} else {
					lost++
				}
				if len(won) == n && lost == silent {
					cancel()
				}
				mu.Unlock()
			}
		})
	}
	wg.Wait()
	commits, failures, err := s.read(t.Context())
	if err != nil || len(commits) != n || len(failures) != 0 || lost == 0 || lost != silent {
		t.Fatalf("%d commits, %d came too late, %v", len(commits), lost, err)
	}
	for i := range n {
		if won[i] != 1 {
			t.Errorf("shard %d was won %d times", i, won[i])
		}
	}
	if q := inQueue(t, s); q != 0 {
		t.Errorf("%d shards are still in the queue", q)
	}
}

// TestDifferentDigests delivers a shard twice, and the results differ.
func TestDifferentDigests(t *testing.T) {
	t.Parallel()
	h := listen(t)
	var said told
	o := ledgerOptions{Lease: 50 * time.Millisecond, Log: said.log}
	filled(t, h.js, 1, o)
	s := joined(t, h.client(t), o)
	a := leased(t, s)
	a.mute()
	b := leased(t, joined(t, h.client(t), o))
	if b.Shard != a.Shard || b.Attempt != 2 {
		t.Fatalf("%+v", b)
	}
	if won, err := b.commit(t.Context(), recordOf(0, "b", b)); !won || err != nil {
		t.Fatalf("b: %v, %v", won, err)
	}
	if won, err := b.commit(t.Context(), recordOf(0, "b", b)); !won || err != nil {
		t.Errorf("b, which was not answered and tries again: %v, %v", won, err)
	}
	if won, err := a.commit(t.Context(), recordOf(0, "a", a)); won || err != nil || said.String() != "" {
		t.Errorf("a, with the same: %v, %v, %q", won, err, said.String())
	}
	if won, err := a.commit(t.Context(), recordOf(1, "a", a)); won || err != nil || !strings.Contains(said.String(), "shard 0 is not deterministic: b (attempt 2) committed") {
		t.Errorf("a, with another: %v, %v, %q", won, err, said.String())
	}
	c, ok, err := s.committed(t.Context(), 0)
	if err != nil || !ok || c != recordOf(0, "b", b) {
		t.Errorf("committed: %+v, %v, %v", c, ok, err)
	}
	for _, l := range []*lease{a, b} {
		must.Do(t, l.done(t.Context()))
	}
	nothing(t, s)
}

func TestFailures(t *testing.T) {
	t.Parallel()
	h := listen(t)
	s := filled(t, h.js, 2, ledgerOptions{Log: t.Logf})
	var held *lease
	for i := range run.MaxAttempts {
		l := leased(t, s)
		for back := 0; l.Shard != 1; back++ { // the other one is given back: nobody's fault, however often
			if back < maxLost/2 {
				l.giveBack()
			} else {
				held = l // until this one is tried again
			}
			l = leased(t, s)
		}
		if held != nil {
			held.giveBack()
			held = nil
		}
		must.Do(t, l.fail(t.Context(), fmt.Errorf("cause %d", i)))
		_, failures, err := s.read(t.Context())
		if f := failures[1]; err != nil || f.Aside != (i == run.MaxAttempts-1) || fmt.Sprint(f.Causes) != fmt.Sprint([]string{"cause 0", "cause 1", "cause 2"}[:i+1]) {
			t.Errorf("failure %d: %+v, %v", i, f, err)
		}
	}
	l := leased(t, s)
	if l.Shard != 0 {
		t.Fatal("a shard that was set aside is tried again")
	}
	if won, err := l.commit(t.Context(), recordOf(0, "w", l)); !won || err != nil {
		t.Fatal(won, err)
	}
	must.Do(t, l.done(t.Context()))
	nothing(t, s)
	// Filled again it stays aside, until that is forgiven.
	if n, err := s.fill(t.Context()); n != 0 || err != nil {
		t.Error(n, err)
	}
	must.Do(t, s.forgive(t.Context()))
	if n, err := s.fill(t.Context()); n != 1 || err != nil {
		t.Error(n, err)
	}
	if l := leased(t, s); l.Shard != 1 || l.Attempt != 1 {
		t.Errorf("%+v", l)
	}
}

// TestLost has a shard on which workers are lost. The first lease lapses. Of the other
// losses the server learns at once, so the test does not depend on how fast the machine is.
func TestLost(t *testing.T) {
	t.Parallel()
	h := listen(t)
	o := ledgerOptions{Lease: 2 * time.Second, Log: t.Errorf}
	filled(t, h.js, 1, o)
	s := joined(t, h.js, o)
	for i := range maxLost + 2 {
		l := leased(t, s)
		if l.Attempt != i+1 {
			t.Fatalf("attempt %d at %d", l.Attempt, i)
		}
		switch i {
		case 3:
			l.giveBack() // does not count
		case 5:
			must.Do(t, l.fail(t.Context(), errors.New("once"))) // counts as a failure alone
		default:
			l.mute()
			s.mu.Lock()
			clear(s.held) // as in another process
			s.mu.Unlock()
			if i > 0 {
				if err := l.msg.Nak(); err != nil { // as a lapse: no end is noted
					t.Fatal(err)
				}
			}
		}
	}
	if l, err := s.next(t.Context()); l != nil || err != nil {
		t.Fatalf("after the last loss: %+v, %v", l, err)
	}
	_, failures, err := s.read(t.Context())
	if f := failures[0]; err != nil || !f.Aside || len(f.Causes) != 2 || f.Causes[1] != "10 workers were lost on it" {
		t.Errorf("%+v, %v", f, err)
	}
	eventually(t, "nothing is in the queue", func() bool { return inQueue(t, s) == 0 })
}

// TestHeld has a lease that lapses though its process lives, as after a sleep.
func TestHeld(t *testing.T) {
	t.Parallel()
	h := listen(t)
	s := filled(t, h.js, 1, ledgerOptions{Lease: 30 * time.Millisecond, Log: t.Logf})
	l := leased(t, s)
	l.mute()
	nothing(t, s) // it is delivered again, and known to be in work
	if won, err := l.commit(t.Context(), recordOf(0, "w", l)); !won || err != nil {
		t.Fatal(won, err)
	}
	if err := l.done(t.Context()); err != nil || inQueue(t, s) != 0 {
		t.Error(err)
	}
}

func TestStages(t *testing.T) {
	t.Parallel()
	h := listen(t)
	s := filled(t, h.js, 5, ledgerOptions{Log: t.Logf})
	l := s.l
	if n, err := s.fill(t.Context()); n != 5 || err != nil || inQueue(t, s) != 5 {
		t.Fatalf("filled twice: %d, %v, %d in the queue", n, err, inQueue(t, s))
	}
	old := leased(t, s)
	if next := leased(t, s); old.Shard != 0 || next.Shard != 1 {
		t.Errorf("shards %d and %d are leased first", old.Shard, next.Shard)
	}
	if won, err := old.commit(t.Context(), recordOf(0, "w", old)); !won || err != nil {
		t.Fatal(won, err)
	}
	again, err := l.stage(t.Context(), "shards", "manifest", 5)
	if err != nil || again.Number != s.Number {
		t.Fatalf("%+v, %v", again, err)
	}
	other, err := l.stage(t.Context(), "1000/shards", "manifest", 3)
	if err != nil || other.Number != 2 {
		t.Fatalf("%+v, %v", other, err)
	}
	// Another manifest replaces the stage: its queue and commits are gone, a worker
	// that is late harms nobody.
	fresh, err := l.stage(t.Context(), "shards", "another", 4)
	if err != nil || fresh.Number != 3 {
		t.Fatalf("%+v, %v", fresh, err)
	}
	if err := old.done(t.Context()); err != nil {
		t.Errorf("late: %v", err)
	}
	if _, err := s.lease(t.Context()); !errors.Is(err, errGone) {
		t.Errorf("leased from a stage that is gone: %v", err)
	}
	commits, _, err := fresh.read(t.Context())
	if q := inQueue(t, fresh); err != nil || len(commits) != 0 || q != 0 {
		t.Errorf("the new stage has %d commits and %d in the queue, %v", len(commits), q, err)
	}
	must.Do(t, other.finish(t.Context()))
	all, err := l.stages(t.Context())
	if want := []stageInfo{{2, "1000/shards", "manifest", 3, true, false}, {3, "shards", "another", 4, false, false}}; err != nil || fmt.Sprint(all) != fmt.Sprint(want) {
		t.Errorf("stages %v, %v", all, err)
	}
	must.Do(t, l.remove(t.Context()))
	if err := l.remove(t.Context()); err != nil {
		t.Errorf("removed twice: %v", err)
	}
	if _, err := fresh.lease(t.Context()); !errors.Is(err, errGone) {
		t.Errorf("leased from a ledger that is gone: %v", err)
	}
	if _, _, err := fresh.read(t.Context()); !errors.Is(err, errGone) {
		t.Errorf("read from a ledger that is gone: %v", err)
	}
	if _, err := openLedger(t.Context(), h.js, "test", ledgerOptions{Join: true}); !errors.Is(err, errGone) {
		t.Errorf("joined a ledger that is gone: %v", err)
	}
}

func TestUncommit(t *testing.T) {
	t.Parallel()
	h := listen(t)
	s := filled(t, h.js, 1, ledgerOptions{Log: t.Logf})
	for i := range 3 {
		l := leased(t, s)
		if won, err := l.commit(t.Context(), recordOf(0, fmt.Sprint(i), l)); !won || err != nil {
			t.Fatalf("commit %d: %v, %v", i, won, err)
		}
		must.Do(t, l.done(t.Context()))
		nothing(t, s)
		must.Do(t, s.uncommit(t.Context(), 0))
	}
}

// listening is a server that can be reached, and stopped and started again.
type listening struct {
	options server.Options
	server  *server.Server
	js      jetstream.JetStream // of a client
}

func (l *listening) start(t *testing.T) {
	t.Helper()
	o := l.options
	s := must.Get(server.NewServer(&o))(t)
	s.Start()
	if !s.ReadyForConnections(time.Minute) {
		t.Fatal("the server is not ready")
	}
	l.options.Port = s.Addr().(*net.TCPAddr).Port
	l.server = s
}

func (l *listening) stop() {
	l.server.Shutdown()
	l.server.WaitForShutdown()
}

func (l *listening) client(t *testing.T) jetstream.JetStream {
	t.Helper()
	nc := must.Get(nats.Connect(l.server.ClientURL(), nats.MaxReconnects(-1), nats.ReconnectWait(20*time.Millisecond), nats.ReconnectJitter(0, 0)))(t)
	t.Cleanup(nc.Close)
	return must.Get(jetstream.New(nc))(t)
}

func listen(t *testing.T) *listening {
	t.Helper()
	l := &listening{options: server.Options{Host: "127.0.0.1", Port: -1, NoSigs: true, NoLog: true, JetStream: true, StoreDir: t.TempDir(), SyncAlways: true}}
	l.start(t)
	t.Cleanup(l.stop)
	l.js = l.client(t)
	return l
}

func TestServerAwayForGood(t *testing.T) {
	t.Parallel()
	to := listen(t)
	s := filled(t, to.client(t), 2, ledgerOptions{Patience: 100 * time.Millisecond, Log: t.Logf})
	l := leased(t, s)
	to.stop()
	ctx, cancel := context.WithTimeout(t.Context(), 300*time.Millisecond)
	defer cancel()
	if _, err := l.commit(ctx, recordOf(0, "w", l)); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("error %v", err)
	}
	err := s.l.retry(t.Context(), "commit", 50*time.Millisecond, func(ctx context.Context) error {
		_, err := s.l.kv.Get(ctx, "commit.1.0")
		return err
	})
	must.Fail(t, err, "commit: the server has not answered for 100ms")
}
