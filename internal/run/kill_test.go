package run

import (
	"bytes"
	"context"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"tattle/internal/must"
	"tattle/internal/shared"
)

// TestLeaderKilled kills a process with kill -9 at random points and resumes, until all
// shards are computed: no shard is committed twice or lost.
func TestLeaderKilled(t *testing.T) {
	shared.Long(t, "processes that are killed")
	const n = 60
	if dir := os.Getenv("TATTLE_RUN_DIR"); dir != "" {
		w := texts(dir, n)
		w.AtOnce = 2
		do := w.Do
		w.Do = func(ctx context.Context, i int, to io.Writer) error {
			time.Sleep(2 * time.Millisecond)
			return do(ctx, i, to)
		}
		must.Get((Leader{}).Run(t.Context(), w))(t)
		return
	}
	dir := filepath.Join(t.TempDir(), "shards")
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	r := rand.New(rand.NewPCG(seed, 1))
	first := map[string]os.FileInfo{} // records as they were first seen
	records := func() []string {
		return must.Get(filepath.Glob(filepath.Join(dir, "shard-*.sha256")))(t)
	}
	kills := 0
	for ended := false; !ended; {
		var said bytes.Buffer
		cmd := again(t, t.Name(), dir)
		cmd.Stdout, cmd.Stderr = &said, &said
		must.Do(t, cmd.Start())
		done := make(chan error, 1)
		go func() { done <- cmd.Wait() }()
		until := len(records()) + 1 + r.IntN(20)
		var err error
		for waiting := true; waiting; {
			select {
			case err = <-done:
				waiting = false
			case <-time.After(time.Millisecond):
				if len(records()) >= until {
					time.Sleep(time.Duration(r.IntN(3000)) * time.Microsecond)
					cmd.Process.Kill()
					err, waiting = <-done, false
				}
			}
		}
		for _, name := range records() {
			info := must.Get(os.Stat(name))(t)
			if was := first[name]; was != nil && (!os.SameFile(was, info) || !was.ModTime().Equal(info.ModTime())) {
				t.Errorf("%s was written twice", name)
			}
			first[name] = info
		}
		if ended = err == nil; !ended {
			if kills++; !strings.Contains(err.Error(), "killed") {
				t.Fatalf("%v\n%s", err, said.String())
			}
		}
	}
	if kills == 0 {
		t.Error("the process was never killed")
	}
	f, err := Open(nil, dir, of(n))
	if err != nil || len(f.Corrupt()) > 0 {
		t.Fatalf("corrupt %v, %v", f.Corrupt(), err)
	}
	whole(t, dir, of(n))
}
