package run

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"tattle/internal/must"
)

// texts is work that writes text.
func texts(dir string, shards int) Work {
	return Work{
		Dir: dir, Manifest: of(shards), Resume: true,
		Do: func(_ context.Context, i int, w io.Writer) error { return put(text(i))(w) },
	}
}

func TestLeader(t *testing.T) {
	for _, atOnce := range []int{0, 1, 5, 100} {
		dir := filepath.Join(t.TempDir(), "run", "shards")
		w := texts(dir, 12)
		w.AtOnce = atOnce
		var under, most, told atomic.Int32
		do := w.Do
		w.Do = func(ctx context.Context, i int, to io.Writer) error {
			n := under.Add(1)
			defer under.Add(-1)
			for m := most.Load(); n > m && !most.CompareAndSwap(m, n); m = most.Load() {
			}
			return do(ctx, i, to)
		}
		last := -1
		w.Progress = func(f *Folder) { // -race says whether calls overlap
			if done := f.Len() - len(f.Remaining()); done < last {
				t.Errorf("%d done after %d", done, last)
			} else {
				last = done
			}
			told.Add(1)
		}
		f, err := Leader{}.Run(t.Context(), w)
		if err != nil || len(f.Remaining()) > 0 || last != 12 || told.Load() > 13 {
			t.Fatalf("%v, told %d times, last of %d", err, told.Load(), last)
		}
		if m := int(most.Load()); m > max(atOnce, 1) {
			t.Errorf("%d at once, of %d", m, atOnce)
		}
		whole(t, dir, of(12))
		w.Do = func(context.Context, int, io.Writer) error { t.Error("computed again"); return nil }
		must.Get((Leader{}).Run(t.Context(), w))(t)
		w.Resume = false
		must.Fail(t, must.Err((Leader{}).Run(t.Context(), w)), "already holds a run")
	}
}

// A fault that passes costs an attempt; one that stays, and a panic, cost the shard and
// no other. What was set aside is tried again when the run goes on.
func TestSetAside(t *testing.T) {
	dir := t.TempDir()
	w := texts(dir, 10)
	w.AtOnce = 3
	w.Name = func(i int) string { return fmt.Sprintf("examples %d to %d", 10*i, 10*i+9) }
	var mu sync.Mutex
	tries := map[int]int{}
	broken := true
	w.Do = func(_ context.Context, i int, to io.Writer) error {
		mu.Lock()
		defer mu.Unlock()
		tries[i]++
		switch {
		case i == 3 && tries[i] < 3:
			return errors.New("passing")
		case i == 5 && broken:
			io.WriteString(to, "half")
			return fmt.Errorf("attempt %d:\nof no use", tries[i])
		case i == 7 && broken:
			panic("index out of\nrange")
		}
		return put(text(i))(to)
	}
	f, err := Leader{}.Run(t.Context(), w)
	var failed *FailedError
	if !errors.As(err, &failed) {
		t.Fatalf("error %v", err)
	}
	want := "2 of 10 shards failed and were set aside; the first, examples 50 to 59: attempt 3: of no use"
	if err.Error() != want {
		t.Errorf("error %q, want %q", err, want)
	}
	if tries[3] != 3 || tries[5] != 3 || tries[7] != 3 || tries[0] != 1 {
		t.Errorf("tries %v", tries)
	}
	if r := f.Remaining(); !slices.Equal(r, []int{5, 7}) {
		t.Errorf("remaining %v", r)
	}
	kept, err := f.Failures()
	if err != nil || len(kept) != 2 || len(kept[0].Causes) != 3 || kept[0].Name != "examples 50 to 59" || kept[1].Shard != 7 {
		t.Fatalf("kept %+v, %v", kept, err)
	}
	if c := kept[1].Cause(); c != "a bug in tattle: index out of range" || !strings.Contains(kept[1].Stack, "team_test.go") {
		t.Errorf("cause %q, stack %q", c, kept[1].Stack)
	}
	for _, name := range names(t, dir) {
		if strings.HasPrefix(name, ".") {
			t.Errorf("left %s", name)
		}
	}
	broken = false
	must.Get((Leader{}).Run(t.Context(), w))(t)
	whole(t, dir, of(10))
}

// Whoever has nothing to store results in has not failed of a shard.
func TestStoreFails(t *testing.T) {
	dir := t.TempDir()
	w := texts(dir, 4)
	w.AtOnce = 2
	do := w.Do
	w.Do = func(ctx context.Context, i int, to io.Writer) error {
		if i == 2 {
			os.RemoveAll(dir)
		}
		return do(ctx, i, to)
	}
	_, err := Leader{}.Run(t.Context(), w)
	var store *StoreError
	if !errors.As(err, &store) || store.Dir != dir || !strings.Contains(err.Error(), dir) || strings.Contains(err.Error(), ".tmp") {
		t.Fatalf("error %v", err)
	}
}

func TestLeaderInterrupted(t *testing.T) {
	dir := t.TempDir()
	for _, atOnce := range []int{1, 4} {
		ctx, cancel := context.WithCancel(t.Context())
		w := texts(dir, 20)
		w.AtOnce = atOnce
		var n atomic.Int32
		w.Do = func(ctx context.Context, i int, to io.Writer) error {
			if n.Add(1) == 5 {
				cancel()
			}
			if err := put(text(i))(to); err != nil {
				return err
			}
			return ctx.Err() // of its own accord
		}
		f, err := Leader{}.Run(ctx, w)
		if !errors.Is(err, context.Canceled) {
			t.Fatalf("error %v", err)
		}
		if failures, err := f.Failures(); failures != nil || err != nil {
			t.Errorf("%v, %v", failures, err)
		}
		if left := len(f.Remaining()); left == 0 || left == 20 {
			t.Errorf("%d left", left)
		}
	}
	must.Get((Leader{}).Run(t.Context(), texts(dir, 20)))(t)
	whole(t, dir, of(20))
}
