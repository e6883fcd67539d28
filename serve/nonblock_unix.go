//go:build unix

package serve

import "syscall"

// nonblock has opening return at once where a pipe has taken the place of a file.
const nonblock = syscall.O_NONBLOCK
