//go:build darwin || dragonfly || freebsd || linux || netbsd || openbsd

package run

import (
	"errors"
	"os"
	"syscall"

	"tattle/internal/file"
)

// share keeps a folder from a process that would have it to itself, until unlock is
// called; any number may share it. It errs with file.ErrLocked where a process has it.
// Where the file system has no locks it does nothing.
func share(dir string) (unlock func(), err error) { return flock(dir, syscall.LOCK_SH) }

// locked tells whether a process works in a folder.
func locked(dir string) bool {
	unlock, err := flock(dir, syscall.LOCK_EX)
	if err == nil {
		unlock()
	}
	return errors.Is(err, file.ErrLocked)
}

func flock(dir string, how int) (unlock func(), err error) {
	f, err := os.Open(dir)
	if err != nil {
		return nil, err
	}
	if err := syscall.Flock(int(f.Fd()), how|syscall.LOCK_NB); errors.Is(err, syscall.EWOULDBLOCK) {
		f.Close()
		return nil, file.ErrLocked
	}
	return func() { f.Close() }, nil
}
