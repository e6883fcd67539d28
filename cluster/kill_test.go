package cluster

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"tattle/run"
)

// TestEmbeddedKilled kills -9 a process that computes, at random points, and resumes
// until all is done.
func TestEmbeddedKilled(t *testing.T) {
	t.Parallel()
	const n = 60
	if dir := os.Getenv("TATTLE_EMBEDDED_IN"); dir != "" {
		w := work(dir, n, func(context.Context, int) error { time.Sleep(2 * time.Millisecond); return nil })
		w.AtOnce = 2
		if _, err := (Embedded{Log: t.Errorf}).Run(t.Context(), w); err != nil {
			t.Fatal(err)
		}
		return
	}
	if testing.Short() {
		t.Skip("takes seconds")
	}
	dir := filepath.Join(t.TempDir(), "shards")
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	r := rand.New(rand.NewPCG(seed, 1))
	first := map[string]fs.FileInfo{} // records as they were first seen
	records := func() int {
		found, err := filepath.Glob(filepath.Join(dir, "shard-*.sha256"))
		if err != nil {
			t.Fatal(err)
		}
		return len(found)
	}
	same := func() {
		found, _ := filepath.Glob(filepath.Join(dir, "shard-*.sha256"))
		for _, name := range found {
			info, err := os.Stat(name)
			if err != nil {
				t.Fatal(err)
			}
			if was := first[name]; was != nil && (!os.SameFile(was, info) || !was.ModTime().Equal(info.ModTime())) {
				t.Errorf("%s was recorded twice", name)
			}
			first[name] = info
		}
	}
	kills := 0
	for {
		var said bytes.Buffer
		// Sooner than a lease of a dead process would lapse.
		ctx, cancel := context.WithTimeout(t.Context(), defaultLease*2/3)
		cmd := exec.CommandContext(ctx, os.Args[0], "-test.run=^TestEmbeddedKilled$")
		cmd.Env = append(os.Environ(), "TATTLE_EMBEDDED_IN="+dir)
		cmd.Stdout, cmd.Stderr = &said, &said
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		until := records() + 1 + r.IntN(20)
		ended := make(chan error, 1)
		go func() { ended <- cmd.Wait() }()
		var err error
		for waiting := true; waiting; {
			select {
			case err = <-ended:
				waiting = false
			case <-time.After(time.Millisecond):
				if records() >= until {
					time.Sleep(time.Duration(r.IntN(3000)) * time.Microsecond)
					cmd.Process.Kill()
					err, waiting = <-ended, false
				}
			}
		}
		cancel()
		same()
		if err == nil {
			break
		}
		if kills++; !strings.Contains(err.Error(), "killed") || ctx.Err() == context.DeadlineExceeded {
			t.Fatalf("%v\n%s", err, said.String())
		}
	}
	if kills == 0 {
		t.Error("was never killed")
	}
	f, err := run.Open(dir, work(dir, n, nil).Manifest)
	if err != nil {
		t.Fatal(err)
	}
	if c := f.Corrupt(); len(c) > 0 {
		t.Errorf("corrupt: %v", c)
	}
	whole(t, f, dir)
	t.Logf("killed %d times", kills)
}

// TestEmbeddedInterrupted ends the context in the midst.
func TestEmbeddedInterrupted(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	stop := errors.New("stop")
	ctx, cancel := context.WithCancelCause(t.Context())
	w := work(dir, 9, func(ctx context.Context, i int) error {
		if i == 4 {
			cancel(stop)
			<-ctx.Done()
			return ctx.Err()
		}
		return nil
	})
	f, err := Embedded{Log: t.Errorf}.Run(ctx, w)
	if !errors.Is(err, stop) && !errors.Is(err, context.Canceled) {
		t.Fatalf("error %v", err)
	}
	if done := f.Len() - len(f.Remaining()); done != 4 {
		t.Errorf("%d shards are kept", done)
	}
	if found, _ := filepath.Glob(filepath.Join(dir, "*.failed")); len(found) > 0 {
		t.Errorf("failed: %v", found)
	}
	w = work(dir, 9, nil)
	if f, err = (Embedded{Log: t.Errorf}).Run(t.Context(), w); err != nil {
		t.Fatal(err)
	}
	whole(t, f, dir)
}

// TestEmbeddedTwice has two runs in one process, and a third that may not.
func TestEmbeddedTwice(t *testing.T) {
	t.Parallel()
	var wg sync.WaitGroup
	dirs := []string{t.TempDir(), t.TempDir()}
	meet := make(chan bool)
	for k, dir := range dirs {
		wg.Go(func() {
			f, err := Embedded{Log: t.Errorf}.Run(t.Context(), work(dir, 5, func(_ context.Context, i int) error {
				if i == 2 { // both are in the midst
					if k == 0 {
						meet <- true
						<-meet
					} else {
						<-meet
						if _, err := (Embedded{}).Run(t.Context(), work(dirs[0], 5, nil)); err == nil || !strings.Contains(err.Error(), "another run works in this folder") {
							t.Errorf("error %v", err)
						}
						meet <- true
					}
				}
				return nil
			}))
			if err != nil {
				t.Error(err)
				return
			}
			whole(t, f, dir)
		})
	}
	wg.Wait()
}

// TestEmbeddedStops looks for what servers leave in the process.
func TestEmbeddedStops(t *testing.T) {
	before := runtime.NumGoroutine()
	for range 4 {
		if _, err := (Embedded{Log: t.Errorf}).Run(t.Context(), work(t.TempDir(), 2, nil)); err != nil {
			t.Fatal(err)
		}
	}
	for tries := 0; runtime.NumGoroutine() > before+3; tries++ {
		if tries == 500 {
			stacks := make([]byte, 1<<16)
			t.Fatalf("%d goroutines were there and %d are\n%s", before, runtime.NumGoroutine(), stacks[:runtime.Stack(stacks, true)])
		}
		time.Sleep(10 * time.Millisecond)
	}
}

// TestEmbeddedSlow has a shard that takes several leases.
func TestEmbeddedSlow(t *testing.T) {
	t.Parallel()
	dir, calls := t.TempDir(), 0
	f, err := Embedded{Lease: 60 * time.Millisecond, Log: t.Errorf}.Run(t.Context(), work(dir, 1, func(context.Context, int) error {
		calls++
		time.Sleep(250 * time.Millisecond)
		return nil
	}))
	if err != nil {
		t.Fatal(err)
	}
	if whole(t, f, dir); calls != 1 {
		t.Errorf("computed %d times", calls)
	}
}

// TestEmbeddedCorruptResult changes what a finished run has stored.
func TestEmbeddedCorruptResult(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	var calls []int
	w := work(dir, 6, func(_ context.Context, i int) error { calls = append(calls, i); return nil })
	f, err := Embedded{Log: t.Errorf}.Run(t.Context(), w)
	if err != nil {
		t.Fatal(err)
	}
	for i, data := range map[int]string{1: "shard 2\n", 4: ""} {
		if err := os.WriteFile(f.Path(i), []byte(data), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	calls = nil
	if f, err = (Embedded{Log: t.Errorf}).Run(t.Context(), w); err != nil {
		t.Fatal(err)
	}
	if whole(t, f, dir); fmt.Sprint(calls) != "[1 4]" {
		t.Errorf("computed %v", calls)
	}
}

// begun is a folder with a run in the midst: a shard was set aside, some are to do.
func begun(t *testing.T) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "begun")
	ctx, cancel := context.WithCancel(t.Context())
	_, err := Embedded{Log: t.Errorf}.Run(ctx, work(dir, 12, func(ctx context.Context, i int) error {
		switch i {
		case 3:
			return errors.New("fails")
		case 8:
			cancel()
			<-ctx.Done()
		}
		return ctx.Err()
	}))
	if !errors.Is(err, context.Canceled) {
		t.Fatal(err)
	}
	return dir
}

// TestEmbeddedDamagedLedger harms all files of a ledger.
func TestEmbeddedDamagedLedger(t *testing.T) {
	t.Parallel()
	from := begun(t)
	harm := func(by func([]byte) []byte) func(string) error {
		return func(store string) error {
			files := 0
			err := filepath.WalkDir(store, func(path string, d fs.DirEntry, err error) error {
				if err != nil || !d.Type().IsRegular() {
					return err
				}
				files++
				data, err := os.ReadFile(path)
				if err != nil {
					return err
				}
				return os.WriteFile(path, by(data), 0o666)
			})
			if err == nil && files == 0 {
				err = errors.New("no files")
			}
			return err
		}
	}
	for name, c := range map[string]struct {
		harm   func(store string) error
		warned string
	}{
		"unharmed":   {func(string) error { return nil }, ""},
		"gone":       {os.RemoveAll, ""},
		"empty":      {harm(func([]byte) []byte { return nil }), ""},
		"half":       {harm(func(b []byte) []byte { return b[:len(b)/2] }), ""},
		"garbage":    {harm(func(b []byte) []byte { return bytes.Repeat([]byte{0xA5, 0xFF, 3}, len(b)/3+1) }), ""},
		"a file":     {func(store string) error { os.RemoveAll(store); return os.WriteFile(store, []byte("no folder"), 0o666) }, "is made anew"},
		"nonsense":   {tell("fail.1.5", "}"), ""},
		"unreadable": {tell("commit.1.5", "}"), "commit.1.5 is not readable"},
		"stranger":   {tell("commit.1.12", "{}"), "stage begun has 12 shards"},
		"unfounded":  {tell("commit.1.9", `{"digest":"0123456789012345678901234567890123456789012345678901234567890123"}`), ""},
		"otherwise":  {tell("commit.1.2", `{"digest":"0123456789012345678901234567890123456789012345678901234567890123"}`), ""},
	} {
		t.Run(name, func(t *testing.T) {
			if testing.Short() && c.warned == "" && name != "garbage" {
				t.Skip("takes long")
			}
			dir := filepath.Join(t.TempDir(), "begun")
			if err := os.CopyFS(dir, os.DirFS(from)); err != nil {
				t.Fatal(err)
			}
			if err := c.harm(filepath.Join(dir, ledgerDir)); err != nil {
				t.Fatal(err)
			}
			var said told
			f, err := Embedded{Log: said.log}.Run(t.Context(), work(dir, 12, func(_ context.Context, i int) error {
				if i < 8 && i != 3 {
					t.Errorf("shard %d was computed again", i)
				}
				return nil
			}))
			if err != nil {
				t.Fatal(err)
			}
			whole(t, f, dir)
			if got := said.String(); (got == "") != (c.warned == "") || !strings.Contains(got, c.warned) {
				t.Errorf("said %q", got)
			}
		})
	}
}

// tell puts a key into a ledger.
func tell(key, value string) func(store string) error {
	return func(store string) error {
		h, err := startHost(store)
		if err != nil {
			return err
		}
		defer h.stop()
		ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
		defer cancel()
		kv, err := h.js.KeyValue(ctx, bucketName(embeddedID))
		if err == nil {
			_, err = kv.Put(ctx, key, []byte(value))
		}
		return err
	}
}

// TestEmbeddedFullDisk runs on a disk of a megabyte that a file fills, but for a little.
func TestEmbeddedFullDisk(t *testing.T) {
	t.Parallel()
	const n = 40
	disk := os.Getenv("TATTLE_SMALL_DISK")
	if disk == "" {
		if testing.Short() {
			t.Skip("takes long")
		}
		unshare, err := exec.LookPath("unshare")
		if err != nil {
			t.Skip("no unshare: a small disk of the test's own cannot be had")
		}
		dir := t.TempDir()
		script := `mount -t tmpfs -o size=1m tattle "$0" || exit 77; TATTLE_SMALL_DISK="$0" exec "$1" -test.run='^TestEmbeddedFullDisk$'`
		out, err := exec.Command(unshare, "-m", "sh", "-c", script, dir, os.Args[0]).CombinedOutput()
		var exit *exec.ExitError
		if errors.As(err, &exit) && (exit.ExitCode() == 77 || bytes.Contains(out, []byte("unshare:"))) {
			t.Skipf("a small disk of the test's own cannot be had: %s", out)
		}
		if err != nil {
			t.Fatalf("%v\n%s", err, out)
		}
		return
	}
	ballast, dir := filepath.Join(disk, "ballast"), filepath.Join(disk, "shards")
	w := work(dir, n, nil)
	w.AtOnce = 2
	text := w.Do
	w.Do = func(ctx context.Context, i int, to io.Writer) error {
		if i%4 == 0 {
			if _, err := to.Write(make([]byte, 10000)); err != nil {
				return err
			}
		}
		return text(ctx, i, to)
	}
	for _, size := range []int{1000 << 10, 850 << 10, 700 << 10} { // room for no ledger, for some shards, for more
		if err := os.WriteFile(ballast, make([]byte, size), 0o666); err != nil {
			t.Fatal(err)
		}
		began := time.Now()
		f, err := Embedded{Log: t.Logf}.Run(t.Context(), w)
		var store *run.StoreError
		if !errors.As(err, &store) || !strings.Contains(err.Error(), "no space left on device: make room there") || strings.Contains(err.Error(), "\n") {
			t.Fatalf("with %d bytes in the way: %v", size, err)
		}
		if f != nil {
			t.Logf("%d left after %v: %v", len(f.Remaining()), time.Since(began), err)
		}
		if found, _ := filepath.Glob(filepath.Join(dir, "*.failed")); len(found) > 0 {
			t.Errorf("a full disk is held against %v", found)
		}
		os.Remove(ballast)
	}
	f, err := Embedded{Log: t.Logf}.Run(t.Context(), w)
	if err != nil {
		t.Fatal(err)
	}
	if len(f.Remaining()) > 0 || len(f.Corrupt()) > 0 {
		t.Errorf("left %v", f.Remaining())
	}
}
