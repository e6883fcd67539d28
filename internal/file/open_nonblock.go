//go:build !js

package file

import "syscall"

// nonblock lets open return at once where a pipe has no writer.
const nonblock = syscall.O_NONBLOCK
