package cluster

import (
	"context"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// sockets are those of this process.
func sockets(t *testing.T) map[string]bool {
	t.Helper()
	const fds = "/proc/self/fd"
	entries, err := os.ReadDir(fds)
	if err != nil {
		t.Skip(err)
	}
	found := map[string]bool{}
	for _, e := range entries {
		if to, err := os.Readlink(filepath.Join(fds, e.Name())); err == nil && strings.HasPrefix(to, "socket:") {
			found[to] = true
		}
	}
	return found
}

// TestEmbeddedPrivate looks from within a shard for what others could reach of the server.
func TestEmbeddedPrivate(t *testing.T) {
	before, dir := sockets(t), t.TempDir()
	_, err := Embedded{Log: t.Errorf}.Run(t.Context(), work(dir, 1, func(context.Context, int) error {
		for s := range sockets(t) {
			if !before[s] {
				t.Errorf("the server has made a %s", s)
			}
		}
		files := 0
		err := filepath.WalkDir(filepath.Join(dir, ledgerDir), func(path string, d fs.DirEntry, err error) error {
			if err != nil {
				return err
			}
			info, err := d.Info()
			if err == nil && info.Mode().Perm()&0o077 != 0 {
				t.Errorf("%s can be read by others: %v", path, info.Mode())
			}
			files++
			return err
		})
		if files < 5 {
			t.Errorf("the store has %d files", files)
		}
		return err
	}))
	if err != nil {
		t.Fatal(err)
	}
}
