// Package simd holds the arithmetic that the engine spends its time in: matrix
// products and vector loops for float32 and float64, in AVX2+FMA assembly on
// amd64 processors that have it and in plain Go elsewhere and under the build
// tag purego.
//
// Matrices are row-major with a leading dimension (the stride between rows).
// Every function gives the same result on both implementations up to rounding,
// and the same bytes on every run of one implementation, however many cores
// take part.
package simd

// Float is the element type of every kernel.
type Float interface{ float32 | float64 }
