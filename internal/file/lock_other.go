//go:build !(darwin || dragonfly || freebsd || linux || netbsd || openbsd)

package file

// lock does nothing: it is left to the user not to start two runs in one folder.
func lock(string, bool) (unlock func(), err error) { return func() {}, nil }
