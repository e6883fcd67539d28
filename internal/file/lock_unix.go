//go:build darwin || dragonfly || freebsd || linux || netbsd || openbsd

package file

import (
	"errors"
	"os"
	"syscall"
)

// lock locks a folder, unless another process has.
func lock(dir string, shared bool) (unlock func(), err error) {
	how := syscall.LOCK_EX
	if shared {
		how = syscall.LOCK_SH
	}
	for {
		f, err := os.Open(dir)
		if err != nil {
			return nil, err
		}
		if err := syscall.Flock(int(f.Fd()), how|syscall.LOCK_NB); errors.Is(err, syscall.EWOULDBLOCK) {
			f.Close()
			return nil, ErrLocked
		}
		if there(dir, f) {
			return func() { f.Close() }, nil
		}
		f.Close() // it was removed, and perhaps made anew, meanwhile
	}
}

// there reports whether dir is the folder that is open.
func there(dir string, open *os.File) bool {
	is, err1 := os.Stat(dir)
	was, err2 := open.Stat()
	return err1 == nil && err2 == nil && os.SameFile(is, was)
}

// hold marks a file as this process's until it is closed.
func hold(f *os.File) { syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB) }

// held reports whether a process holds a file.
func held(f *os.File) bool {
	return syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB) != nil
}
