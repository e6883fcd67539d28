//go:build !purego

package simd

import "unsafe"

//go:noescape
func prefetchLines(x unsafe.Pointer, lines int)

func prefetch[T Float](x []T) {
	const line = 64
	if lines := len(x) * int(unsafe.Sizeof(T(0))) / line; lines > 0 {
		prefetchLines(unsafe.Pointer(&x[0]), lines)
	}
}

//go:noescape
func copyRowsF32(dst, src *float32, rows, n, dstStride, srcStride int)

//go:noescape
func evenF32(dst, src *float32, rows, n, dstStride, srcStride int)

//go:noescape
func addEvenF32(dst, src *float32, rows, n, dstStride, srcStride int)

// longRow is the length from which a row is worth a call of its own.
const longRow = 128

func copyRows[T Float](dst, src []T, rows, n, dstStride, srcStride int) {
	if useAVX2 && is32[T]() && n < longRow {
		copyRowsF32(f32(dst), f32(src), rows, n, dstStride, srcStride)
		return
	}
	copyRowsGo(dst, src, rows, n, dstStride, srcStride)
}

func even[T Float](dst, src []T, rows, n, dstStride, srcStride int) {
	if useAVX2 && is32[T]() && n >= 8 {
		evenF32(f32(dst), f32(src), rows, n, dstStride, srcStride)
		return
	}
	evenGo(dst, src, rows, n, dstStride, srcStride)
}

func addEven[T Float](dst, src []T, rows, n, dstStride, srcStride int) {
	if useAVX2 && is32[T]() && n >= 8 {
		addEvenF32(f32(dst), f32(src), rows, n, dstStride, srcStride)
		return
	}
	addEvenGo(dst, src, rows, n, dstStride, srcStride)
}

//go:noescape
func deinterleaveF32(even, odd, src *float32, rows, n, stride int)

//go:noescape
func interleaveF32(dst, even, odd *float32, rows, n, stride int)

func deinterleave[T Float](even, odd, src []T, rows, n, stride int) {
	if useAVX2 && is32[T]() && rows > 0 && n > 0 {
		deinterleaveF32(f32(even), f32(odd), f32(src), rows, n, stride)
		return
	}
	deinterleaveGo(even, odd, src, rows, n, stride)
}

func interleave[T Float](dst, even, odd []T, rows, n, stride int) {
	if useAVX2 && is32[T]() && rows > 0 && n > 0 {
		interleaveF32(f32(dst), f32(even), f32(odd), rows, n, stride)
		return
	}
	interleaveGo(dst, even, odd, rows, n, stride)
}
