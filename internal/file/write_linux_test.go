package file

import (
	"errors"
	"io"
	"os"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"tattle/internal/must"
)

// A disk that fills up, by way of the limit on the size of a file.
func TestWriteOnFullDisk(t *testing.T) {
	var old syscall.Rlimit
	if err := syscall.Getrlimit(syscall.RLIMIT_FSIZE, &old); err != nil {
		t.Skip(err)
	}
	signal.Ignore(syscall.SIGXFSZ)
	defer signal.Reset(syscall.SIGXFSZ)
	if err := syscall.Setrlimit(syscall.RLIMIT_FSIZE, &syscall.Rlimit{Cur: 10_000_000, Max: old.Max}); err != nil {
		t.Skip(err)
	}
	defer syscall.Setrlimit(syscall.RLIMIT_FSIZE, &old)
	dir := t.TempDir()
	path := filepath.Join(dir, "arrays.npz")
	for name, write := range map[string]func(io.Writer) error{
		"while writing": func(w io.Writer) error {
			_, err := io.WriteString(w, strings.Repeat("x", 20<<20))
			return err
		},
		"at the end": func(w io.Writer) error {
			io.WriteString(w, strings.Repeat("x", 11_000_000)) // its error comes again
			return nil
		},
	} {
		err := Write(path, write)
		if !errors.Is(err, syscall.EFBIG) || err.Error() != "write "+path+": "+syscall.EFBIG.Error() {
			t.Errorf("%s: %v", name, err)
		}
	}
	if left, _ := os.ReadDir(dir); len(left) != 0 {
		t.Errorf("left %v", left)
	}
}

// What is no file is not replaced by one.
func TestWriteOverPipe(t *testing.T) {
	path := filepath.Join(t.TempDir(), "pipe")
	if err := syscall.Mkfifo(path, 0o600); err != nil {
		t.Skip(err)
	}
	must.Fail(t, WriteBytes(path, []byte("text")), path+": this is not a regular file")
	if info, err := os.Stat(path); err != nil || info.Mode()&os.ModeNamedPipe == 0 {
		t.Errorf("the pipe is now %v, %v", info, err)
	}
}
