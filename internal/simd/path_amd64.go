//go:build !purego

package simd

import (
	"os"

	"golang.org/x/sys/cpu"
)

// useAVX2 says that the processor has AVX2 and FMA and that the system keeps the
// AVX registers, and useAVX512 that both hold for the wider registers, too. Tests turn
// them off.
var useAVX2, useAVX512 = paths(os.Getenv(pathVariable))

// paths returns what the processor has and the variable does not forbid.
func paths(forced string) (avx2, avx512 bool) {
	avx2 = cpu.X86.HasAVX2 && cpu.X86.HasFMA && forced != "go"
	avx512 = avx2 && cpu.X86.HasAVX512F && cpu.X86.HasAVX512BW && cpu.X86.HasAVX512DQ && cpu.X86.HasAVX512VL && forced != "avx2"
	return avx2, avx512
}

// Accelerated names the arithmetic that the package runs on: "avx2+fma" or "purego". AVX-512 has
// no name of its own: its kernels give the same bytes.
func Accelerated() string {
	if useAVX2 {
		return "avx2+fma"
	}
	return "purego"
}

// hasKernels reports whether products and vector loops run in assembly.
func hasKernels() bool { return useAVX2 }

// lanes returns nr, the number of columns of a tile: two registers.
func lanes[T Float]() int {
	if useAVX512 {
		return 2 * narrow[T]()
	}
	return narrow[T]()
}
