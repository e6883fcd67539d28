package file

import (
	"io"
	"os"
	"path/filepath"
	"testing"
	"time"

	"tattle/internal/must"
)

// TestConfine: nothing outside of the folder of a Dir is changed through links in it that
// are planted at any time.
func TestConfine(t *testing.T) {
	top := t.TempDir()
	dir, outside := filepath.Join(top, "run"), filepath.Join(top, "outside")
	for _, path := range []string{dir, outside, filepath.Join(outside, "sub")} {
		os.Mkdir(path, 0o777)
	}
	victim := filepath.Join(outside, "victim")
	os.WriteFile(victim, []byte("mine"), 0o666)
	d := must.Get(OpenDir(dir))(t)
	defer d.Close()
	in := func(name string) string { return filepath.Join(dir, name) }
	write := func(path string) error { return d.WriteBytes(path, []byte("new")) }
	for _, err := range []error{d.MkdirAll(dir), d.MkdirAll(in("a/b")), write(in("a/b/c")), write(in("x")), d.Rename(in("x"), in("a/y")), d.Link(in("a/y"), in("z")), d.Chtimes(in("z"), time.Now(), time.Now()), d.Remove(in("z")), d.RemoveAll(in("a/b"))} {
		must.Do(t, err)
	}
	if err := os.Symlink(outside, in("link")); err != nil {
		t.Skip(err)
	}
	os.Symlink(victim, in("file"))
	must.Fail(t, must.Err(d.OpenFile(in("file"), os.O_WRONLY, 0))) // a file outside
	must.Fail(t, d.Chtimes(in("file"), time.Now(), time.Now()))
	if err := write(in("file")); err != nil {
		t.Errorf("a link is replaced: %v", err)
	}
	f, err := d.createTemp(in("link"), "x")
	if err == nil {
		f.Close()
	}
	_, err2 := d.MkdirTemp(in("link"), "x")
	_, err3 := d.OpenRoot(in("link"))
	for i, err := range []error{
		write(in("link/new")), write(in("link/victim")), d.Mkdir(in("link/d")), d.MkdirAll(in("link/d/e")), d.Remove(in("link/victim")), d.RemoveAll(in("link/sub")),
		d.Rename(in("a/y"), in("link/y")), d.Link(in("a/y"), in("link/y")), d.Rename(in("link/victim"), in("v")), d.Rename(victim, in("v")), d.Rename(in("a/y"), victim), write(filepath.Join(outside, "new")), err, err2, err3,
	} {
		if err == nil {
			t.Errorf("change %d was made through a link", i)
		}
	}
	if entries, _ := os.ReadDir(outside); len(entries) != 2 {
		t.Errorf("outside holds %v", entries)
	}
	if b, _ := os.ReadFile(victim); string(b) != "mine" {
		t.Errorf("the victim holds %q", b)
	}
	if err := d.RemoveAll(in("link")); err != nil { // the link itself
		t.Error(err)
	}
	if d.For(in("x")) != d || d.For(victim) != nil {
		t.Error("a path is taken for one in the folder, or for one outside")
	}
}

func TestSweep(t *testing.T) {
	dir := t.TempDir()
	write := func(name string) {
		os.MkdirAll(filepath.Dir(filepath.Join(dir, name)), 0o777)
		os.WriteFile(filepath.Join(dir, name), nil, 0o666)
	}
	dead := []string{".tattle.0123456789abcdef.tmp", ".arrays.npz.0123456789abcdef.tmp", "shards/.shard-000001.0123456789abcdef.tmp"}
	kept := []string{"arrays.npz", ".gitignore", ".mine.tmp", "shards/shard-000001", "live/.shard-000002.0123456789abcdef.tmp", ".x.0123456789abcdef.tmp/file", "a.0123456789abcdef.tmp", ".x.0123456789abcdeg.tmp", ".0123456789abcdef.tmp"}
	for _, name := range append(dead, kept...) {
		write(name)
	}
	os.Symlink("arrays.npz", filepath.Join(dir, ".link.0123456789abcdef.tmp"))
	unlock := must.Get(Share(filepath.Join(dir, "live")))(t)
	defer unlock()
	if err := Write(filepath.Join(dir, "held"), func(w io.Writer) error { return (*Dir)(nil).Sweep(dir) }); err != nil {
		t.Errorf("a file under way was swept: %v", err)
	}
	for _, name := range dead {
		if _, err := os.Lstat(filepath.Join(dir, name)); err == nil {
			t.Errorf("%s is left", name)
		}
	}
	for _, name := range append(kept, ".link.0123456789abcdef.tmp", "held") {
		if _, err := os.Lstat(filepath.Join(dir, name)); err != nil {
			t.Errorf("%s was removed", name)
		}
	}
}
