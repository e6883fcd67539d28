//go:build purego || !amd64

package simd

func normForward[T Float](dst, x, scale, shift []T, mean, invStd T) {
	normForwardGo(dst, x, scale, shift, mean, invStd)
}

func normGradient[T Float](scale, shift, d, x []T, mean, invStd T) {
	normGradientGo(scale, shift, d, x, mean, invStd)
}
