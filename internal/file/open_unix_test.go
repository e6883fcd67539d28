//go:build unix

package file

import (
	"io/fs"
	"net"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"tattle/internal/must"
)

// Only regular files are opened. Opening a named pipe must not wait for a writer: the test would
// not end.
func TestOpen(t *testing.T) {
	dir := t.TempDir()
	at := func(name string) string { return filepath.Join(dir, name) }
	os.WriteFile(at("plain"), []byte("text"), 0o666)
	os.Symlink("plain", at("link"))
	os.Mkdir(at("folder"), 0o777)
	if err := syscall.Mkfifo(at("pipe"), 0o666); err != nil {
		t.Skip(err)
	}
	if l, err := net.Listen("unix", at("socket")); err == nil {
		defer l.Close()
	}
	fsys := DirFS(dir)
	for name, want := range map[string]string{
		"plain": "", "link": "", "folder": "is a folder", "pipe": "is a named pipe", "socket": "is a socket", "none": "no such file",
	} {
		b, err := ReadFile(at(name))
		inside, err2 := fs.ReadFile(fsys, name)
		if want == "" && (string(b) != "text" || string(inside) != "text" || err != nil || err2 != nil) {
			t.Errorf("%s: %q, %q, %v, %v", name, b, inside, err, err2)
		}
		if want != "" && (err == nil || err2 == nil || !strings.Contains(err.Error(), want) || !strings.Contains(err2.Error(), want)) {
			t.Errorf("%s: %v, %v", name, err, err2)
		}
		if f, err := fsys.Open(name); (err == nil) != (want == "" || name == "folder") {
			t.Errorf("%s: %v", name, err)
		} else if err == nil {
			f.Close()
		}
	}
	must.Fail(t, must.Err(ReadFile(os.DevNull)), "is a device")
	must.Fail(t, must.Err(fs.ReadFile(fsys, "../x"))) // a path outside of the folder
}
