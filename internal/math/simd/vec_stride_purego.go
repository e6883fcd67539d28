//go:build purego || !amd64

package simd

func prefetch[T Float]([]T) {}

func copyRows[T Float](dst, src []T, rows, n, dstStride, srcStride int) {
	copyRowsGo(dst, src, rows, n, dstStride, srcStride)
}

func even[T Float](dst, src []T, rows, n, dstStride, srcStride int) {
	evenGo(dst, src, rows, n, dstStride, srcStride)
}

func addEven[T Float](dst, src []T, rows, n, dstStride, srcStride int) {
	addEvenGo(dst, src, rows, n, dstStride, srcStride)
}

func deinterleave[T Float](even, odd, src []T, rows, n, stride int) {
	deinterleaveGo(even, odd, src, rows, n, stride)
}

func interleave[T Float](dst, even, odd []T, rows, n, stride int) {
	interleaveGo(dst, even, odd, rows, n, stride)
}
