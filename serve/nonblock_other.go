//go:build !unix

package serve

const nonblock = 0
