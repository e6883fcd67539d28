package run

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"tattle/internal/must"
)

// Where shards should lie there are pipes, links, devices and folders: they count as
// damaged, and are replaced without being read.
func TestSpecialFilesAreDamage(t *testing.T) {
	dir := t.TempDir()
	f := begin(t, dir, of(7))
	for i := range 7 {
		must.Do(t, commit(f, i, put(text(i))))
	}
	for i, put := range []func(path string) error{
		func(path string) error { return syscall.Mkfifo(path, 0o666) },
		func(path string) error { return os.Symlink("/dev/zero", path) },
		func(path string) error { return os.Mkdir(path, 0o777) },
	} {
		for _, path := range []string{f.Path(i), f.recordPath(i + 3)} {
			must.Do(t, errors.Join(os.Remove(path), put(path)))
		}
	}
	if runs, err := Scan(t.Context(), dir); err != nil || len(runs) != 1 {
		t.Errorf("%+v, %v", runs, err)
	}
	f, err := Open(nil, dir, of(7))
	if err != nil || len(f.Remaining()) != 6 || len(f.Corrupt()) != 6 {
		t.Fatalf("%v, remaining %v, corrupt %v", err, f.Remaining(), f.Corrupt())
	}
	must.Get((Leader{}).Run(t.Context(), texts(dir, 7)))(t)
	whole(t, dir, of(7))
}

// A record that is damaged while others compute does not pass for a commit.
func TestRecordDamagedMeanwhile(t *testing.T) {
	w := texts(t.TempDir(), 3)
	f := begin(t, w.Dir, w.Manifest)
	os.WriteFile(f.recordPath(1), []byte("half"), 0o666)
	digest := must.Get(f.Put(1, put(text(1))))(t)
	err := f.Record(1, digest)
	if _, ok := errors.AsType[*StoreError](err); !ok || !strings.Contains(err.Error(), filepath.Base(f.recordPath(1))) {
		t.Errorf("error %v", err)
	}
	must.Get((Leader{}).Run(t.Context(), w))(t)
	whole(t, w.Dir, w.Manifest)
}
