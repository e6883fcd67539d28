package cluster

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
	"testing"

	"tattle/run"
)

// text is what shard i of the tests' work holds.
func text(i int) string { return strings.Repeat(fmt.Sprintf("shard %d\n", i), 1+i%7) }

// work is n shards of text; do, unless nil, comes first and may fail.
func work(dir string, n int, do func(ctx context.Context, i int) error) run.Work {
	return run.Work{
		Dir: dir, Manifest: run.Manifest{Command: "test", Shards: n, Settings: map[string]int{"n": n}}, Resume: true,
		Do: func(ctx context.Context, i int, w io.Writer) error {
			if do != nil {
				if err := do(ctx, i); err != nil {
					return err
				}
			}
			_, err := io.WriteString(w, text(i))
			return err
		},
	}
}

// whole checks that a folder holds all shards, as they should be, and nothing else.
func whole(t testing.TB, f *run.Folder, dir string) {
	t.Helper()
	if r := f.Remaining(); len(r) > 0 {
		t.Fatalf("%d shards are missing, the first is %d", len(r), r[0])
	}
	files := 0
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		if !strings.HasPrefix(e.Name(), "shard-") && !strings.HasPrefix(e.Name(), "manifest.") {
			t.Errorf("the folder holds %s", e.Name())
		}
		if strings.HasPrefix(e.Name(), "shard-") {
			files++
		}
	}
	if files != 2*f.Len() {
		t.Errorf("the folder holds %d files for %d shards", files, f.Len())
	}
	for i := range f.Len() {
		if got, err := os.ReadFile(f.Path(i)); err != nil || string(got) != text(i) {
			t.Fatalf("shard %d holds %.20q (%v)", i, got, err)
		}
	}
}

// told collects what a pool logs.
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

func TestEmbedded(t *testing.T) {
	t.Parallel()
	const n = 20
	dir := filepath.Join(t.TempDir(), "run", "shards")
	var mu sync.Mutex
	calls, done := map[int]int{}, []int{}
	w := work(dir, n, func(_ context.Context, i int) error {
		mu.Lock()
		defer mu.Unlock()
		calls[i]++
		return nil
	})
	w.AtOnce = 3
	w.Progress = func(f *run.Folder) { done = append(done, f.Len()-len(f.Remaining())) }
	f, err := Embedded{Log: t.Logf}.Run(t.Context(), w)
	if err != nil {
		t.Fatal(err)
	}
	whole(t, f, dir)
	for i := range n {
		if calls[i] != 1 {
			t.Errorf("shard %d was computed %d times", i, calls[i])
		}
	}
	if len(done) != n+1 || done[0] != 0 || done[n] != n || !slices.IsSorted(done) {
		t.Errorf("progress %v", done)
	}
	// A resumed run finds all done, and starts nothing.
	w.Do = func(context.Context, int, io.Writer) error { panic("no") }
	if f, err = (Embedded{}).Run(t.Context(), w); err != nil {
		t.Fatal(err)
	}
	whole(t, f, dir)
}

func TestEmbeddedSetsAside(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	var mu sync.Mutex
	tries := map[int]int{}
	broken := true
	w := work(dir, 7, func(_ context.Context, i int) error {
		mu.Lock()
		defer mu.Unlock()
		tries[i]++
		switch {
		case i == 1 && tries[i] < run.MaxAttempts: // passes
			return errors.New("passes")
		case i == 2 && broken:
			return fmt.Errorf("cause %d", tries[i])
		case i == 5 && broken:
			panic("at the disco")
		}
		return nil
	})
	w.AtOnce = 2
	f, err := Embedded{Log: t.Logf}.Run(t.Context(), w)
	var failed *run.FailedError
	if !errors.As(err, &failed) || len(failed.Failures) != 2 || failed.Shards != 7 {
		t.Fatalf("error %v", err)
	}
	if a := failed.Failures[0]; a.Shard != 2 || !slices.Equal(a.Causes, []string{"cause 1", "cause 2", "cause 3"}) {
		t.Errorf("set aside: %+v", a)
	}
	if b := failed.Failures[1]; b.Shard != 5 || len(b.Causes) != 3 || !strings.Contains(b.Stack, "disco") && !strings.Contains(b.Stack, "goroutine") {
		t.Errorf("set aside: %+v", b)
	}
	if r := f.Remaining(); !slices.Equal(r, []int{2, 5}) {
		t.Errorf("remaining %v", r)
	}
	if tries[2] != 3 || tries[1] != 3 {
		t.Errorf("tries %v", tries)
	}
	broken = false
	if f, err = (Embedded{Log: t.Logf}).Run(t.Context(), w); err != nil {
		t.Fatal(err)
	}
	whole(t, f, dir)
	if tries[0] != 1 {
		t.Errorf("shard 0 was computed again")
	}
}
