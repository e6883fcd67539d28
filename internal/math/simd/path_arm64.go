//go:build !purego

package simd

import "os"

// useNEON is true unless the environment forbids assembly: every arm64 processor has NEON.
var useNEON = os.Getenv(pathVariable) != "go"

// Accelerated names the arithmetic that the package runs on: "neon" or "purego". The
// less frequent vector loops, such as exponentials, are plain Go on both.
func Accelerated() string {
	if useNEON {
		return "neon"
	}
	return "purego"
}

// hasKernels reports whether products and vector loops run in assembly.
func hasKernels() bool { return useNEON }

// lanes returns nr, the number of columns of a tile.
func lanes[T Float]() int { return narrow[T]() }
