//go:build !purego

package simd

import (
	"math"
	"os"
	"time"

	"golang.org/x/sys/cpu"
)

// useAVX2 says that the processor has AVX2 and FMA and that the system keeps the
// AVX registers, and useAVX512 that both hold for the wider registers, too, which are not
// slower. Tests turn them off.
var useAVX2, useAVX512 = paths(os.Getenv(pathVariable))

// paths returns what the processor has and the variable does not forbid.
func paths(forced string) (avx2, avx512 bool) {
	avx2 = cpu.X86.HasAVX2 && cpu.X86.HasFMA && forced != "go"
	avx512 = avx2 && cpu.X86.HasAVX512F && cpu.X86.HasAVX512BW && cpu.X86.HasAVX512DQ && cpu.X86.HasAVX512VL && forced != "avx2"
	return avx2, avx512 && (forced == "avx512" || !wideIsSlow())
}

// wideIsSlow reports whether a product of 12 × 32 elements takes at least a twentieth longer with
// AVX-512 than with AVX2: some processors have half as many wide units, or a lower clock for them. It
// takes about .2 ms. Results do not depend on it.
func wideIsSlow() bool {
	const kc, rounds, calls = 256, 16, 4
	var a [2 * mr * kc]float32
	var b [32 * kc]float32
	var c [2 * mr * 32]float32
	best := func(f func()) time.Duration {
		least := time.Duration(math.MaxInt64)
		for range rounds { // the first ones wake the units
			start := time.Now()
			for range calls {
				f()
			}
			least = min(least, time.Since(start))
		}
		return least
	}
	wide := best(func() { wideF32(2, kc, &a[0], 1, mr, mr*kc, &b[0], 32, 0, &c[0], 32, 0, 1, 0) })
	narrow := best(func() {
		tileF32(2, kc, &a[0], 1, mr, mr*kc, &b[0], 16, 0, &c[0], 32, 0, 1, 0)
		tileF32(2, kc, &a[0], 1, mr, mr*kc, &b[16*kc], 16, 0, &c[16], 32, 0, 1, 0)
	})
	return 20*wide > 21*narrow
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
