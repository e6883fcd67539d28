//go:build purego || !amd64

package simd

func normForward[T Float](dst, x, scale, shift []T, mean, invStd T) {
	normForwardGo(dst, x, scale, shift, mean, invStd)
}

func normTangent[T Float](dst, d, x, scale []T, p, q, r T) {
	normTangentGo(dst, d, x, scale, p, q, r)
}

func normSums[T Float](d, x, scale []T) (sum, dot float64) { return normSumsGo(d, x, scale) }

func normCotangent[T Float](dst, d, x, scale []T, p, q, r T) {
	normCotangentGo(dst, d, x, scale, p, q, r)
}

func normGradient[T Float](scale, shift, d, x []T, mean, invStd T) {
	normGradientGo(scale, shift, d, x, mean, invStd)
}
