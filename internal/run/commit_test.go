package run

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"tattle/internal/file"
	"tattle/internal/must"
)

// of returns a manifest of so many shards.
func of(shards int) Manifest {
	m := manifest()
	m.Shards = shards
	return m
}

func begin(t testing.TB, dir string, m Manifest) *Folder {
	t.Helper()
	return must.Get(Create(nil, dir, m))(t)
}

// whole checks that a folder holds all shards, as text has them, and no more.
func whole(t *testing.T, dir string, m Manifest) {
	t.Helper()
	f := must.Get(Open(nil, dir, m))(t)
	if len(f.Remaining()) > 0 || f.Corrupt() != nil {
		t.Fatalf("remaining %v, corrupt %v", f.Remaining(), f.Corrupt())
	}
	want := []string{ManifestName, digestName}
	for i := range m.Shards {
		if got, err := os.ReadFile(f.Path(i)); err != nil || string(got) != text(i) {
			t.Errorf("shard %d: %d bytes, %v", i, len(got), err)
		}
		want = append(want, filepath.Base(f.Path(i)), shardName(i)+recordSuffix)
	}
	slices.Sort(want)
	if got := slices.DeleteFunc(names(t, dir), func(name string) bool { return name == mergingName }); !slices.Equal(got, want) {
		t.Errorf("the folder holds %q, want %q", got, want)
	}
}

// Of many who commit a shard, with the same data and with others, one wins; what it
// wrote stays, and what the others wrote does not.
func TestOneCommitWins(t *testing.T) {
	dir := t.TempDir()
	f := begin(t, dir, of(8))
	g, err := Join(nil, dir, of(8)) // another process's view
	must.Do(t, err)
	var won, lost, differ atomic.Int32
	winner := make([]string, 8)
	var wg sync.WaitGroup
	for k := range 16 {
		wg.Go(func() {
			for i := range 8 {
				digest, err := []*Folder{f, g}[k%2].Put(i, put(fmt.Sprint(i, k/4)))
				if err != nil {
					t.Error(err)
					return
				}
				err = []*Folder{f, g}[k%2].Record(i, digest)
				var late *CommittedError
				switch {
				case err == nil:
					won.Add(1)
					winner[i] = digest
				case errors.As(err, &late):
					lost.Add(1)
					if late.Differs() {
						differ.Add(1)
					}
				default:
					t.Error(err)
				}
			}
		})
	}
	wg.Wait()
	if won.Load() != 8 || lost.Load() != 8*15 || differ.Load() < 8*12-8*3 {
		t.Errorf("%d won, %d lost, %d of them with other data", won.Load(), lost.Load(), differ.Load())
	}
	h, err := Open(nil, dir, of(8))
	if err != nil || len(h.Remaining()) > 0 {
		t.Fatalf("%v, remaining %v", err, h.Remaining())
	}
	must.Get(g.refresh())(t)
	for i := range 8 {
		if h.Digest(i) != winner[i] || g.Digest(i) != winner[i] {
			t.Errorf("shard %d: %s is committed and %s is known, %s won", i, h.Digest(i), g.Digest(i), winner[i])
		}
	}
	if n := names(t, dir); len(n) != 2+2*8 {
		t.Errorf("the folder holds %q", n)
	}
}

// again runs a test of this binary in another process, with a folder to work in.
func again(t *testing.T, test, dir string, more ...string) *exec.Cmd {
	t.Helper()
	cmd := exec.Command(os.Args[0], "-test.run=^"+test+"$", "-test.v")
	cmd.Env = append(append(os.Environ(), "TATTLE_RUN_DIR="+dir), more...)
	return cmd
}

// A process that is killed while it writes a shard, or before it records the shard, has committed
// nothing. The next process removes what is half-written and computes the shard again.
func TestKilledBeforeRecord(t *testing.T) {
	if dir := os.Getenv("TATTLE_RUN_DIR"); dir != "" {
		f := must.Get(Join(nil, dir, of(3)))(t)
		must.Do(t, commit(f, 0, put(text(0))))
		must.Get(f.Put(1, put(text(1))))(t)
		f.Put(2, func(w io.Writer) error {
			io.WriteString(w, strings.Repeat("half", 1<<16))
			p, _ := os.FindProcess(os.Getpid())
			p.Kill()
			select {}
		})
	}
	dir := t.TempDir()
	begin(t, dir, of(3))
	if again(t, t.Name(), dir).Run() == nil {
		t.Fatal("it lives")
	}
	if n := names(t, dir); len(n) != 2+2+1+1 {
		t.Fatalf("the folder holds %q", n)
	}
	f := must.Get(Open(nil, dir, of(3)))(t)
	if r := f.Remaining(); !slices.Equal(r, []int{1, 2}) || f.Corrupt() != nil {
		t.Fatalf("remaining %v, corrupt %v", r, f.Corrupt())
	}
	for i := range 2 {
		must.Do(t, commit(f, i+1, put(text(i+1))))
	}
	whole(t, dir, of(3))
}

// What lies in a folder and is not as it was recorded is not believed, and does not
// stay in the way.
func TestDamageIsDropped(t *testing.T) {
	dir := t.TempDir()
	f := begin(t, dir, of(8))
	for i := range 7 {
		must.Do(t, commit(f, i, put(text(i))))
	}
	other := strings.Repeat("0", 64)
	for path, data := range map[string]string{
		f.Path(0):       text(1),                                  // other data
		f.Path(1):       "",                                       // none left
		f.recordPath(2): recordLine(2, f.Digest(2))[:40],          // torn
		f.recordPath(3): recordLine(3, other),                     // of data that are not there
		f.recordPath(4): recordLine(5, f.Digest(4)),               // of another shard
		f.recordPath(5): recordLine(5, f.Digest(5)) + "more\n",    // with something behind
		f.recordPath(7): strings.Repeat("x", 4*recordSize) + "\n", // of nothing at all
	} {
		must.Do(t, os.WriteFile(path, []byte(data), 0o666))
	}
	for i, err := range map[int]error{0: f.verify(0), 1: f.verify(1), 3: f.verify(3)} {
		if _, ok := err.(*DamagedError); !ok || !strings.Contains(err.Error(), fmt.Sprint("shard ", i)) {
			t.Errorf("shard %d: %v", i, err)
		}
	}
	g := must.Get(Open(nil, dir, of(8)))(t)
	if want := []int{0, 1, 2, 3, 4, 5, 7}; !slices.Equal(g.Corrupt(), want) || !slices.Equal(g.Remaining(), want) {
		t.Fatalf("corrupt %v, remaining %v", g.Corrupt(), g.Remaining())
	}
	for _, i := range g.Remaining() {
		must.Do(t, commit(g, i, put(text(i))))
	}
	whole(t, dir, of(8))
}

func isCommitted(err error) bool {
	_, ok := errors.AsType[*CommittedError](err)
	return ok
}

// Where the file system has no links, a record is made once all the same.
func TestWithoutLinks(t *testing.T) {
	old := link
	link = func(_ *file.Dir, a, b string) error {
		return &os.LinkError{Op: "link", Old: a, New: b, Err: syscall.EPERM}
	}
	defer func() { link = old }()
	dir := t.TempDir()
	f := begin(t, dir, of(20))
	var won atomic.Int32
	var wg sync.WaitGroup
	for range 4 {
		wg.Go(func() {
			for i := range 20 {
				digest, err := f.Put(i, put(text(i)))
				if err != nil {
					t.Error(err)
				}
				if err = f.Record(i, digest); err == nil {
					won.Add(1)
				} else if !isCommitted(err) {
					t.Error(err)
				}
			}
		})
	}
	wg.Wait()
	if won.Load() != 20 {
		t.Errorf("%d commits", won.Load())
	}
	whole(t, dir, of(20))
}

// A server's answer to link that got lost does not make a winner lose.
func TestLinkWhoseAnswerIsLost(t *testing.T) {
	old := link
	link = func(_ *file.Dir, a, b string) error {
		if err := os.Link(a, b); err != nil {
			return err
		}
		return &os.LinkError{Op: "link", Old: a, New: b, Err: syscall.EEXIST}
	}
	defer func() { link = old }()
	f := begin(t, t.TempDir(), of(1))
	must.Do(t, commit(f, 0, put(text(0))))
}

// A run's folder is read with sha256sum, too.
func TestSHA256Sum(t *testing.T) {
	path, err := exec.LookPath("sha256sum")
	if err != nil {
		t.Skip(err)
	}
	dir := t.TempDir()
	f := begin(t, dir, of(3))
	for i := range 3 {
		must.Do(t, commit(f, i, put(text(i))))
	}
	cmd := exec.Command("sh", "-c", path+" -c *.sha256")
	cmd.Dir = dir
	if out, err := cmd.CombinedOutput(); err != nil || strings.Count(string(out), ": OK\n") != 4 {
		t.Errorf("%s%v", out, err)
	}
}

// Shards without a manifest are of a run that was being removed.
func TestCreateOverRemains(t *testing.T) {
	dir := t.TempDir()
	f := begin(t, dir, of(2))
	must.Do(t, commit(f, 0, put("old")))
	must.Do(t, os.Remove(filepath.Join(dir, ManifestName)))
	f = begin(t, dir, of(2))
	must.Do(t, commit(f, 0, put(text(0))))
	must.Do(t, commit(f, 1, put(text(1))))
	whole(t, dir, of(2))
	must.Do(t, f.Discard())
	if _, err := os.Lstat(dir); !errors.Is(err, fs.ErrNotExist) {
		t.Error("the folder stays")
	}
}

// A process that has not yet seen that a run is over may still claim shards of it.
func TestDiscardWhileOthersClaim(t *testing.T) {
	dir := t.TempDir()
	f := begin(t, dir, of(1))
	must.Do(t, commit(f, 0, put(text(0))))
	claimed := make(chan bool)
	var others sync.WaitGroup
	others.Go(func() {
		stop := time.Now().Add(100 * time.Millisecond)
		for i := 0; time.Now().Before(stop); i++ {
			if os.WriteFile(filepath.Join(dir, fmt.Sprint("claim", i)), nil, 0o666) != nil {
				break
			}
			if i == 0 {
				close(claimed)
			}
		}
	})
	<-claimed
	must.Do(t, f.Discard())
	others.Wait()
	if _, err := os.Lstat(dir); !errors.Is(err, fs.ErrNotExist) {
		t.Error("the folder stays")
	}
}

func TestCommitAgain(t *testing.T) {
	f := begin(t, t.TempDir(), of(1))
	must.Do(t, commit(f, 0, put(text(0))))
	if err := commit(f, 0, put(text(0))); !isCommitted(err) {
		t.Errorf("error %v", err)
	}
	if err := f.Release(0); err != nil || f.Done(0) {
		t.Fatal(err)
	}
	must.Do(t, commit(f, 0, put(text(0))))
}
