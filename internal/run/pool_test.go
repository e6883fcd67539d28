package run

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"tattle/internal/must"
)

// command is a command of two stages, the second of which depends on what the first made. It
// keeps the first's results in dir, as every command does, and returns what it would report.
func command(ctx context.Context, dir string, p Pool, do func(ctx context.Context, i int, w io.Writer) error) (string, error) {
	kept := filepath.Join(dir, "first.txt")
	merged, err := os.ReadFile(kept)
	if errors.Is(err, os.ErrNotExist) {
		first := texts(filepath.Join(dir, "first"), 11)
		if do != nil {
			first.Do = do
		}
		f, err := p.Run(ctx, first)
		if err != nil {
			return "", err
		}
		for i := range f.Len() {
			data, err := os.ReadFile(f.Path(i))
			if err != nil {
				return "", err
			}
			merged = append(merged, data[:9]...)
		}
		if err := errors.Join(os.WriteFile(kept, merged, 0o666), f.Discard()); err != nil {
			return "", err
		}
	}
	m := of(5)
	m.Hashes = map[string]string{"first": string(merged)}
	f, err := p.Run(ctx, Work{Dir: filepath.Join(dir, "b", "second"), Manifest: m, Resume: true, Do: func(_ context.Context, i int, w io.Writer) error {
		return put(fmt.Sprint(i, string(merged)))(w)
	}})
	if err != nil {
		return "", err
	}
	var report strings.Builder
	for i := range f.Len() {
		data, err := os.ReadFile(f.Path(i))
		if err != nil {
			return "", err
		}
		report.Write(data)
	}
	return report.String(), f.Discard()
}

// follower helps with the command's run in root, stage by stage, until ctx ends. It counts
// the shards that it computed.
func follower(ctx context.Context, t *testing.T, root string, computed *atomic.Int32) {
	for ctx.Err() == nil {
		waits, err := Waits(ctx, root)
		if err != nil || !waits {
			time.Sleep(time.Millisecond)
			continue
		}
		scratch := t.TempDir()
		if err := Copy(ctx, root, scratch); err != nil {
			continue
		}
		within, stop := context.WithCancel(ctx)
		p := Follower{Root: root, Scratch: scratch, Stop: stop, Log: func(string, ...any) { computed.Add(1) }}
		if _, err := command(within, scratch, p, nil); within.Err() == nil && !errors.Is(err, os.ErrNotExist) {
			t.Errorf("a follower ends with %v", err)
		}
		stop()
	}
}

func quickPolls(t *testing.T) {
	poll, expires := pollEvery, ClaimExpires
	pollEvery, ClaimExpires = time.Millisecond, 300*time.Millisecond
	t.Cleanup(func() { pollEvery, ClaimExpires = poll, expires })
}

// A leader and its followers come to what one process comes to, and nobody computes a shard
// that another has claimed.
func TestFollowersHelp(t *testing.T) {
	quickPolls(t)
	want := must.Get(command(t.Context(), t.TempDir(), Leader{}, nil))(t)
	root := t.TempDir()
	ctx, stop := context.WithCancel(t.Context())
	var all sync.WaitGroup
	var theirs, ours atomic.Int32
	for range 3 {
		all.Go(func() { follower(ctx, t, root, &theirs) })
	}
	do := texts("", 11).Do
	slow := func(ctx context.Context, i int, w io.Writer) error {
		ours.Add(1)
		for theirs.Load() == 0 { // until a follower has done one
			time.Sleep(time.Millisecond)
		}
		return do(ctx, i, w)
	}
	got, err := command(t.Context(), root, Leader{}, slow)
	stop()
	all.Wait()
	if err != nil || got != want {
		t.Errorf("%q, %v; want %q", got, err, want)
	}
	if theirs.Load() == 0 || ours.Load()+theirs.Load() > 16 {
		t.Errorf("the leader computed %d shards of the first stage, the others %d of both", ours.Load(), theirs.Load())
	}
	if left := names(t, root); len(left) != 2 { // b, first.txt
		t.Errorf("left: %q", left)
	}
}

// What fails under a follower is set aside for the leader, too, which reports it.
func TestFollowerSetsAside(t *testing.T) {
	quickPolls(t)
	root := t.TempDir()
	stopped := false
	prepare := Preparer{Stop: func() { stopped = true }}
	if _, err := command(t.Context(), root, prepare, nil); err == nil || !stopped {
		t.Fatalf("prepared: %v", err)
	}
	tries := 0
	broken := func(_ context.Context, i int, w io.Writer) error {
		if i == 4 {
			tries++
			return errors.New("no memory")
		}
		return put(text(i))(w)
	}
	scratch := t.TempDir()
	must.Do(t, Copy(t.Context(), root, scratch))
	ctx, stop := context.WithCancel(t.Context())
	must.Fail(t, must.Err(command(ctx, scratch, Follower{Root: root, Scratch: scratch, Stop: stop, Log: t.Logf}, broken)), "interrupted")
	if tries != MaxAttempts || ctx.Err() == nil {
		t.Errorf("%d tries, %v", tries, ctx.Err())
	}
	_, err := command(t.Context(), root, Leader{KeepFailed: true}, broken)
	var failed *FailedError
	if !errors.As(err, &failed) || len(failed.Failures) != 1 || tries != MaxAttempts {
		t.Fatalf("%v after %d tries", err, tries)
	}
	must.Get(command(t.Context(), root, Leader{}, nil))(t) // resumed
}

// The claim of a process that is gone expires; one that is renewed does not.
func TestClaims(t *testing.T) {
	quickPolls(t)
	dir := t.TempDir()
	path := filepath.Join(dir, "x.claim")
	a, b := newClaims(nil), newClaims(nil)
	defer b.close()
	for range 20 {
		if won := must.Get(a.take(path))(t); won != (a.held[path] && won) {
			t.Fatal("not held")
		}
		if must.Get(b.take(path))(t) {
			t.Fatal("taken from one who renews it")
		}
		time.Sleep(ClaimExpires / 10)
	}
	a.stop() // it renews no longer, as if it were killed
	end := time.Now().Add(30 * ClaimExpires)
	for !must.Get(b.take(path))(t) {
		if time.Now().After(end) {
			t.Fatal("the claim does not expire")
		}
		time.Sleep(time.Millisecond)
	}
	must.Do(t, os.WriteFile(path, []byte(hostname()+" 999999999\n"), 0o666))
	if !ownerDied(path) {
		t.Error("a process that is not there holds its claim")
	}
	for _, text := range []string{"", "x", hostname(), "elsewhere 999999999", hostname() + " x"} {
		must.Do(t, os.WriteFile(path, []byte(text), 0o666))
		if ownerDied(path) {
			t.Errorf("%q: nothing is known of its owner", text)
		}
	}
	if _, err := newClaims(nil).take(filepath.Join(dir, "none", "x")); err == nil {
		t.Error("claimed in a folder that is not there")
	}
}

// One process leads at a time.
func TestLead(t *testing.T) {
	dir := t.TempDir()
	a, b := NewLead(nil, dir), NewLead(nil, dir)
	must.Do(t, a.Take())
	if err := b.Take(); !errors.Is(err, ErrLed) || !b.Taken() || !SeemsLed(dir) {
		t.Errorf("two lead: %v", err)
	}
	a.Close()
	if b.Taken() || SeemsLed(dir) {
		t.Error("nobody leads")
	}
	must.Do(t, b.Take())
	b.Close()
}

// Of many who take over the claim of a process that is gone, one does.
func TestOneTakesOver(t *testing.T) {
	path := filepath.Join(t.TempDir(), "x.claim")
	for range 50 {
		must.Do(t, os.WriteFile(path, []byte(hostname()+" 999999999\n"), 0o666))
		var won atomic.Int32
		var all sync.WaitGroup
		for range 8 {
			all.Go(func() {
				c := newClaims(nil)
				defer c.stop()
				if must.Get(c.take(path))(t) {
					won.Add(1)
				}
			})
		}
		all.Wait()
		if n := won.Load(); n != 1 {
			t.Fatalf("%d took it over", n)
		}
	}
}

// A follower's copy has results and manifests, and no shards.
func TestCopy(t *testing.T) {
	root, to := t.TempDir(), t.TempDir()
	f := begin(t, filepath.Join(root, "stage"), of(3))
	must.Do(t, commit(f, 1, put(text(1))))
	lay(t, root, map[string]string{"a/model.onnx": "net", ".hidden": "x", "stage/shard-000002.claim": "x"})
	must.Do(t, Copy(t.Context(), root, to))
	if got := names(t, filepath.Join(to, "stage")); len(got) != 2 {
		t.Errorf("copied %q", got)
	}
	if got := names(t, to); len(got) != 2 {
		t.Errorf("copied %q", got)
	}
	if data, err := os.ReadFile(filepath.Join(to, "a", "model.onnx")); err != nil || string(data) != "net" {
		t.Errorf("%q, %v", data, err)
	}
}

// A stage that is merged is not computed again, though its shards go one by one.
func TestMergingIsNotComputedAgain(t *testing.T) {
	quickPolls(t)
	root := t.TempDir()
	f := must.Get(Leader{}.Run(t.Context(), texts(filepath.Join(root, "first"), 4)))(t)
	must.Do(t, f.Release(2))
	if waits, err := Waits(t.Context(), root); waits || err != nil {
		t.Errorf("waits for workers: %v", err)
	}
	scratch := t.TempDir()
	must.Do(t, Copy(t.Context(), root, scratch))
	ctx, stop := context.WithCancel(t.Context())
	w := texts(filepath.Join(scratch, "first"), 4)
	w.Do = func(context.Context, int, io.Writer) error { t.Error("computed again"); return nil }
	must.Fail(t, must.Err(Follower{Root: root, Scratch: scratch, Stop: stop, Log: t.Logf}.Run(ctx, w)))
	if ctx.Err() == nil {
		t.Error("the follower goes on")
	}
}
