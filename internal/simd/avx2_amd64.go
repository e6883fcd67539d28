//go:build !purego

package simd

import (
	"unsafe"

	"golang.org/x/sys/cpu"
)

// useAVX2 says that the processor has AVX2 and FMA and that the system keeps the
// AVX registers. Tests turn it off.
var useAVX2 = cpu.X86.HasAVX2 && cpu.X86.HasFMA

// Accelerated names the instructions that the package runs on: "avx2+fma" or
// "purego".
func Accelerated() string {
	if useAVX2 {
		return "avx2+fma"
	}
	return "purego"
}

// The kernels take pointers: f32 and f64 are the first elements of a slice that
// is known to hold that type, by is32.

func is32[T Float]() bool { return unsafe.Sizeof(T(0)) == 4 }

func f32[T Float](x []T) *float32 { return (*float32)(unsafe.Pointer(unsafe.SliceData(x))) }

func f64[T Float](x []T) *float64 { return (*float64)(unsafe.Pointer(unsafe.SliceData(x))) }
