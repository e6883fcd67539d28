//go:build purego || !(amd64 || arm64)

package simd

// Accelerated names the arithmetic that the package runs on: "avx2+fma" or "purego".
func Accelerated() string { return "purego" }

// hasKernels reports whether products and vector loops run in assembly.
func hasKernels() bool { return false }
