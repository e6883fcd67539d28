package simd

// NormForward standardises x and scales and shifts each entry by its own numbers,
// dst = (x − mean)·invStd·scale + shift.
func NormForward[T Float](dst, x, scale, shift []T, mean, invStd T) {
	sameLength(len(dst), len(x), len(scale), len(shift))
	if useAVX2 && is32[T]() {
		normForwardF32(f32(dst), f32(x), f32(scale), f32(shift), len(x), float32(mean), float32(invStd))
		return
	}
	normForwardGo(dst, x, scale, shift, mean, invStd)
}

// NormGradient adds to the gradients of scale and shift of NormForward, given the
// cotangent d: scale += d·(x − mean)·invStd, shift += d.
func NormGradient[T Float](scale, shift, d, x []T, mean, invStd T) {
	sameLength(len(scale), len(shift), len(d), len(x))
	if useAVX2 && is32[T]() {
		normGradientF32(f32(scale), f32(shift), f32(d), f32(x), len(x), float32(mean), float32(invStd))
		return
	}
	normGradientGo(scale, shift, d, x, mean, invStd)
}

func normForwardGo[T Float](dst, x, scale, shift []T, mean, invStd T) {
	for i, v := range x {
		dst[i] = (v-mean)*invStd*scale[i] + shift[i]
	}
}

func normGradientGo[T Float](scale, shift, d, x []T, mean, invStd T) {
	for i, v := range x {
		scale[i] += d[i] * ((v - mean) * invStd)
		shift[i] += d[i]
	}
}
