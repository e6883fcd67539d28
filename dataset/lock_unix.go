//go:build darwin || dragonfly || freebsd || linux || netbsd || openbsd

package dataset

import (
	"errors"
	"fmt"
	"os"
	"syscall"
)

// lock keeps a folder to one process at a time until unlock is called or the
// process ends. It locks the folder itself, so nothing is left in it. Where the
// file system has no locks it does nothing.
func lock(dir string) (unlock func(), err error) {
	f, err := os.Open(dir)
	if err != nil {
		return nil, err
	}
	if err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB); errors.Is(err, syscall.EWOULDBLOCK) {
		f.Close()
		return nil, fmt.Errorf("%s: another run is fetching into this folder: wait for it, or name another folder", dir)
	}
	return func() { f.Close() }, nil
}
