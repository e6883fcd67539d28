package cluster

import (
	"context"
	"crypto/sha256"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"tattle/run"
)

// TestEmbeddedManyShards goes on with ten thousand shards of which most are there: it
// computes the others, and none of these again.
func TestEmbeddedManyShards(t *testing.T) {
	if testing.Short() {
		t.Skip("writes 20,000 files")
	}
	t.Parallel()
	const n, every = 10_000, 200
	dir := t.TempDir()
	var mu sync.Mutex
	var did, want []int
	w := work(dir, n, func(_ context.Context, i int) error {
		mu.Lock()
		defer mu.Unlock()
		did = append(did, i)
		return nil
	})
	f, unlock, err := w.Open()
	if err != nil {
		t.Fatal(err)
	}
	start := time.Now()
	for i := range n { // as Commit leaves them, without its care for crashes
		if i%every == 7 {
			want = append(want, i)
			continue
		}
		digest := fmt.Sprintf("%x", sha256.Sum256([]byte(text(i))))
		path := f.DataPath(i, digest)
		record := strings.TrimSuffix(path, filepath.Ext(path)) + ".sha256"
		for name, data := range map[string]string{path: text(i), record: digest + "  " + filepath.Base(path) + "\n"} {
			if err := os.WriteFile(name, []byte(data), 0o666); err != nil {
				t.Fatal(err)
			}
		}
	}
	unlock()
	t.Logf("laid: %v", time.Since(start))
	start = time.Now()
	told := []int{}
	w.Progress = func(f *run.Folder) { told = append(told, len(f.Remaining())) }
	if f, err = (Embedded{Log: t.Logf}).Run(t.Context(), w); err != nil {
		t.Fatal(err)
	}
	t.Logf("resumed and %d done: %v", len(want), time.Since(start))
	if slices.Sort(did); !slices.Equal(did, want) {
		t.Errorf("computed were %v, want %v", did, want)
	}
	if len(told) != len(want)+1 || told[0] != len(want) || told[len(want)] != 0 {
		t.Errorf("to do were, in turn, %v", told)
	}
	whole(t, f, dir)
}
