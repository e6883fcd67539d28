package file

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"testing"
)

func TestWriteKeepsWhatStoodThere(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "a")
	put := func(s string, after error) error {
		return Write(path, func(w io.Writer) error {
			if _, err := io.WriteString(w, s); err != nil {
				return err
			}
			return after
		})
	}
	if err := put("one", nil); err != nil {
		t.Fatal(err)
	}
	broken := errors.New("broken")
	if err := put("two", broken); !errors.Is(err, broken) {
		t.Fatalf("error %v", err)
	}
	if b, _ := os.ReadFile(path); string(b) != "one" {
		t.Errorf("holds %q after a failed write", b)
	}
	if entries, _ := os.ReadDir(dir); len(entries) != 1 {
		t.Errorf("left behind: %v", entries)
	}
}

func TestLock(t *testing.T) {
	dir := t.TempDir()
	unlock, err := Lock(dir)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := Lock(dir); runtime.GOOS == "linux" && !errors.Is(err, ErrLocked) {
		t.Fatalf("locked twice: %v", err)
	}
	unlock()
	again, err := Lock(dir)
	if err != nil {
		t.Fatalf("after unlock: %v", err)
	}
	again()
	if _, err := Lock(filepath.Join(dir, "none")); err == nil {
		t.Error("a folder that is not there was locked")
	}
}

func TestName(t *testing.T) {
	for s, want := range map[string]string{"plain": "plain", "two\nlines": `"two\nlines"`, "\x1b[2J": `"\x1b[2J"`, `q"`: `"q\""`} {
		if got := Name(s); got != want {
			t.Errorf("Name(%q) = %s, want %s", s, got, want)
		}
	}
}
