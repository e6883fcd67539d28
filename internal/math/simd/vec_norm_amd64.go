//go:build !purego

package simd

//go:noescape
func normForwardF32(dst, x, scale, shift *float32, n int, mean, invStd float32)

//go:noescape
func normTangentF32(dst, d, x, scale *float32, n int, p, q, r float32)

//go:noescape
func normSumsF32(d, x, scale *float32, n int) (sum, dot float64)

//go:noescape
func normCotangentF32(dst, d, x, scale *float32, n int, p, q, r float32)

//go:noescape
func normGradientF32(scale, shift, d, x *float32, n int, mean, invStd float32)

func normForward[T Float](dst, x, scale, shift []T, mean, invStd T) {
	if useAVX2 && is32[T]() {
		normForwardF32(f32(dst), f32(x), f32(scale), f32(shift), len(x), float32(mean), float32(invStd))
		return
	}
	normForwardGo(dst, x, scale, shift, mean, invStd)
}

func normTangent[T Float](dst, d, x, scale []T, p, q, r T) {
	if useAVX2 && is32[T]() {
		normTangentF32(f32(dst), f32(d), f32(x), f32(scale), len(x), float32(p), float32(q), float32(r))
		return
	}
	normTangentGo(dst, d, x, scale, p, q, r)
}

func normSums[T Float](d, x, scale []T) (sum, dot float64) {
	if useAVX2 && is32[T]() {
		return normSumsF32(f32(d), f32(x), f32(scale), len(x))
	}
	return normSumsGo(d, x, scale)
}

func normCotangent[T Float](dst, d, x, scale []T, p, q, r T) {
	if useAVX2 && is32[T]() {
		normCotangentF32(f32(dst), f32(d), f32(x), f32(scale), len(x), float32(p), float32(q), float32(r))
		return
	}
	normCotangentGo(dst, d, x, scale, p, q, r)
}

func normGradient[T Float](scale, shift, d, x []T, mean, invStd T) {
	if useAVX2 && is32[T]() {
		normGradientF32(f32(scale), f32(shift), f32(d), f32(x), len(x), float32(mean), float32(invStd))
		return
	}
	normGradientGo(scale, shift, d, x, mean, invStd)
}
