package file

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"testing/iotest"
	"time"

	"tattle/internal/must"
)

// A write that fails or panics leaves the folder as it was.
func TestWriteKeepsWhatStoodThere(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "a")
	broken := errors.New("broken")
	half := func(w io.Writer) error {
		io.WriteString(w, strings.Repeat("half", 1<<16))
		return broken
	}
	fail := func() {
		if err := Write(path, half); !errors.Is(err, broken) || !strings.Contains(err.Error(), path) {
			t.Errorf("error %v", err)
		}
		defer func() { recover() }()
		Write(path, func(w io.Writer) error { io.WriteString(w, "half"); panic("down") })
	}
	fail()
	if entries, _ := os.ReadDir(dir); len(entries) != 0 {
		t.Errorf("left behind: %v", entries)
	}
	must.Do(t, WriteBytes(path, []byte("one")))
	fail()
	if b, _ := os.ReadFile(path); string(b) != "one" {
		t.Errorf("holds %q after a failed write", b)
	}
	if entries, _ := os.ReadDir(dir); len(entries) != 1 {
		t.Errorf("left behind: %v", entries)
	}
	err := WriteBytes(filepath.Join(dir, "no such folder", "a"), nil)
	must.Fail(t, err, "no such folder")
	if strings.Contains(err.Error(), temporary) {
		t.Error(err)
	}
}

// TestWriteReplacesLinks: a write replaces a link, and does not change the file that it points to.
func TestWriteReplacesLinks(t *testing.T) {
	dir := t.TempDir()
	victim, link := filepath.Join(dir, "victim"), filepath.Join(dir, "link")
	must.Do(t, os.WriteFile(victim, []byte("mine"), 0o600))
	if err := os.Symlink("victim", link); err != nil {
		t.Skip(err)
	}
	err := WriteBytes(link, []byte("new"))
	was, _ := os.ReadFile(victim)
	is, _ := os.ReadFile(link)
	info, _ := os.Lstat(link)
	if err != nil || string(was) != "mine" || string(is) != "new" || !info.Mode().IsRegular() {
		t.Errorf("victim %q, link %q, %v", was, is, err)
	}
	must.Fail(t, WriteBytes(dir, nil)) // a folder in the place of the file
}

func TestLock(t *testing.T) {
	dir := t.TempDir()
	unlock := must.Get(Lock(dir))(t)
	if _, err := Lock(dir); runtime.GOOS == "linux" && !errors.Is(err, ErrLocked) {
		t.Fatalf("locked twice: %v", err)
	}
	unlock()
	again, err := Lock(dir)
	if err != nil {
		t.Fatalf("after unlock: %v", err)
	}
	again()
	must.Fail(t, must.Err(Lock(filepath.Join(dir, "none")))) // a folder that is not there
}

// A process that checks whether a folder is locked holds the lock for a moment; others wait for it.
func TestLockWaitsAMoment(t *testing.T) {
	dir := t.TempDir()
	for _, lock := range []func(string) (func(), error){Lock, Share} {
		looks := must.Get(Lock(dir))(t)
		time.AfterFunc(15*time.Millisecond, looks)
		unlock := must.Get(lock(dir))(t)
		unlock()
	}
}

func TestShare(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("no locks")
	}
	dir := t.TempDir()
	one, err1 := Share(dir)
	two, err2 := Share(dir)
	if err1 != nil || err2 != nil || !Locked(dir) {
		t.Fatal(err1, err2)
	}
	one()
	if _, err := Lock(dir); !errors.Is(err, ErrLocked) {
		t.Errorf("locked while shared: %v", err)
	}
	two()
	if Locked(dir) {
		t.Error("still locked")
	}
}

func TestLine(t *testing.T) {
	for s, want := range map[string]string{"plain": "plain", "two\n lines": "two lines", "\x1b[2J": `\x1b[2J`, `a "b"`: `a "b"`, "é\u202e": `é\u202e`, "'\a'": `'\a'`} {
		if got := Line(s); got != want {
			t.Errorf("Line(%q) = %s, want %s", s, got, want)
		}
	}
}

func TestName(t *testing.T) {
	for s, want := range map[string]string{"plain": "plain", "two\nlines": `"two\nlines"`, "\x1b[2J": `"\x1b[2J"`, `q"`: `"q\""`} {
		if got := Name(s); got != want {
			t.Errorf("Name(%q) = %s, want %s", s, got, want)
		}
	}
}

func TestReadAtMost(t *testing.T) {
	for _, test := range []struct {
		limit int64
		want  string
		err   error
	}{{6, "hello", nil}, {5, "hello", nil}, {4, "hell", ErrTooLong}, {0, "", ErrTooLong}} {
		got, err := ReadAtMost(strings.NewReader("hello"), test.limit)
		if string(got) != test.want || err != test.err {
			t.Errorf("limit %d: %q, %v; want %q, %v", test.limit, got, err, test.want, test.err)
		}
	}
	broken := iotest.TimeoutReader(iotest.OneByteReader(strings.NewReader("hello")))
	if got, err := ReadAtMost(broken, 9); string(got) != "h" || err != iotest.ErrTimeout {
		t.Errorf("a broken reader: %q, %v", got, err)
	}
}
