package file

import (
	"errors"
	"time"
)

// ErrLocked says that another process works in a folder.
var ErrLocked = errors.New("another run works in this folder: wait for it, or name another folder")

// Lock keeps a folder to one process at a time until unlock is called or the process
// ends; it returns ErrLocked where others have or share it. It locks the folder itself,
// so nothing is left in it. Where the file system has no locks it does nothing; where a
// server has the folder, locks may hold among the processes of one machine only.
func Lock(dir string) (unlock func(), err error) { return patiently(dir, false) }

// Share keeps a folder from a process that would have it to itself, until unlock is
// called; any number may share it. It returns ErrLocked where a process has it.
func Share(dir string) (unlock func(), err error) { return patiently(dir, true) }

// Locked reports whether a process has a folder, or shares it.
func Locked(dir string) bool {
	unlock, err := lock(dir, false)
	if err == nil {
		unlock()
	}
	return errors.Is(err, ErrLocked)
}

// patiently locks a folder, and waits a little where it is locked: Locked, in another
// process, may have it for a moment.
func patiently(dir string, shared bool) (unlock func(), err error) {
	for range 10 {
		if unlock, err = lock(dir, shared); !errors.Is(err, ErrLocked) {
			break
		}
		time.Sleep(10 * time.Millisecond)
	}
	return unlock, err
}
