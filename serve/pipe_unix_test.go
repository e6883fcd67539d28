//go:build darwin || dragonfly || freebsd || linux || netbsd || openbsd

package serve

import (
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"tattle/internal/must"
)

// pipe makes a named pipe, on which opening would wait for ever.
func pipe(t *testing.T, name string) {
	t.Helper()
	os.MkdirAll(filepath.Dir(name), 0o755)
	must.Do(t, syscall.Mkfifo(name, 0o600))
}
