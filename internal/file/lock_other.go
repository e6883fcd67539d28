//go:build !(darwin || dragonfly || freebsd || linux || netbsd || openbsd)

package file

// Lock does nothing: it is left to the user not to start two runs in one folder.
func Lock(string) (unlock func(), err error) { return func() {}, nil }
