//go:build !(darwin || dragonfly || freebsd || linux || netbsd || openbsd)

package run

// share does nothing, as file.Lock does.
func share(string) (unlock func(), err error) { return func() {}, nil }

// locked does not know.
func locked(string) bool { return false }
