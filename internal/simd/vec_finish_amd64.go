//go:build !purego

package simd

//go:noescape
func finishF32(dst, src, add, sign *float32, n int, bias, slope float32)

// finishMask is eight numbers with the sign set and eight without.
//
//lint:ignore U1000 the assembly reads it
var finishMask = [16]int32{-1, -1, -1, -1, -1, -1, -1, -1}

func finishSums[T Float](dst, src, add, sign []T, bias, slope T) {
	if len(dst) == 0 {
		return
	}
	if !useAVX2 || !is32[T]() {
		finishGo(dst, src, add, sign, bias, slope)
		return
	}
	finishF32(f32(dst), f32(src), first32(add), first32(sign), len(dst), float32(bias), float32(slope))
}

// first32 is f32, and nil for an empty slice.
func first32[T Float](x []T) *float32 {
	if len(x) == 0 {
		return nil
	}
	return f32(x)
}
