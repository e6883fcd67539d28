//go:build !purego

package simd

//go:noescape
func finishF32(dst, src, add, sign *float32, rows, n, dstStride, srcStride int, bias, slope float32)

// finishMask is eight numbers with the sign set and eight without.
//
//lint:ignore U1000 the assembly reads it
var finishMask = [16]int32{-1, -1, -1, -1, -1, -1, -1, -1}

func finishSums[T Float](dst, src, add, sign []T, rows, n, dstStride, srcStride int, bias, slope T) {
	if !useAVX2 || !is32[T]() {
		finishRowsGo(dst, src, add, sign, rows, n, dstStride, srcStride, bias, slope)
		return
	}
	finishF32(f32(dst), f32(src), first32(add), first32(sign), rows, n, dstStride, srcStride, float32(bias), float32(slope))
}

// first32 is f32, and nil for an empty slice.
func first32[T Float](x []T) *float32 {
	if len(x) == 0 {
		return nil
	}
	return f32(x)
}
