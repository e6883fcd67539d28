//go:build purego || !amd64

package simd

func finishSums[T Float](dst, src, add, sign []T, bias, slope T) {
	finishGo(dst, src, add, sign, bias, slope)
}
