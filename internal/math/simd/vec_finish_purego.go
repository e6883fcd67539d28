//go:build purego || !amd64

package simd

func finishSums[T Float](dst, src, add, sign []T, rows, n, dstStride, srcStride int, bias, slope T) {
	finishRowsGo(dst, src, add, sign, rows, n, dstStride, srcStride, bias, slope)
}
