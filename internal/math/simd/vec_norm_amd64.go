//go:build !purego

package simd

//go:noescape
func normForwardF32(dst, x, scale, shift *float32, n int, mean, invStd float32)

//go:noescape
func normGradientF32(scale, shift, d, x *float32, n int, mean, invStd float32)

func normForward[T Float](dst, x, scale, shift []T, mean, invStd T) {
	if useAVX2 && is32[T]() {
		normForwardF32(f32(dst), f32(x), f32(scale), f32(shift), len(x), float32(mean), float32(invStd))
		return
	}
	normForwardGo(dst, x, scale, shift, mean, invStd)
}

func normGradient[T Float](scale, shift, d, x []T, mean, invStd T) {
	if useAVX2 && is32[T]() {
		normGradientF32(f32(scale), f32(shift), f32(d), f32(x), len(x), float32(mean), float32(invStd))
		return
	}
	normGradientGo(scale, shift, d, x, mean, invStd)
}
