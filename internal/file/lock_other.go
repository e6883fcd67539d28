//go:build !(darwin || dragonfly || freebsd || linux || netbsd || openbsd)

package file

import "os"

// lock does nothing: it is left to the user not to start two runs in one folder.
func lock(string, bool) (unlock func(), err error) { return func() {}, nil }

// hold does nothing.
func hold(*os.File) {}

// held reports that a file may be another process's: nothing is known.
func held(*os.File) bool { return true }
