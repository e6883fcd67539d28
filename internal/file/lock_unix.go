//go:build darwin || dragonfly || freebsd || linux || netbsd || openbsd

package file

import (
	"errors"
	"os"
	"syscall"
)

// Lock keeps a folder to one process at a time until unlock is called or the
// process ends; it returns ErrLocked where another has it. It locks the folder itself, so nothing is left in it. Where the
// file system has no locks it does nothing.
func Lock(dir string) (unlock func(), err error) {
	f, err := os.Open(dir)
	if err != nil {
		return nil, err
	}
	if err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB); errors.Is(err, syscall.EWOULDBLOCK) {
		f.Close()
		return nil, ErrLocked
	}
	return func() { f.Close() }, nil
}
