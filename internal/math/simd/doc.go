// Package simd holds the arithmetic that the engine spends its time in: matrix
// products and vector loops for float32 and float64, in AVX2+FMA assembly on
// amd64 processors that have it. Where the processor has AVX-512, too, products, correlations,
// transcendental functions and Winograd's transforms are in it; the other loops wait for memory with either.
// On arm64 the products and the frequent loops are in NEON assembly, and the other loops plain Go. Elsewhere, and under the
// build tag purego, all is plain Go. The variable of the environment [pathVariable] forbids instructions.
//
// Matrices are row-major with a leading dimension (the stride between rows).
// Every function gives the same result on all of these up to rounding. On one of them every run gives the
// same bytes, however many cores take part. AVX-512 gives the bytes of AVX2. A loop in assembly runs to its end
// without being preempted: split long ones with [Parallel].
package simd

// Float is the element type of every kernel.
type Float interface{ float32 | float64 }

// pathVariable is the variable of the environment that forbids instructions: "avx2" forbids
// AVX-512, and "go" all assembly. With "avx512" the processor's AVX-512 is used even if it was measured
// to be slower than AVX2.
const pathVariable = "TATTLE_SIMD"
