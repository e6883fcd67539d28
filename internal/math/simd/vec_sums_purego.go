//go:build purego || !amd64

package simd

func rank(x []float64, lo, hi float64) (largest float64, atLeast, above int) {
	return rankGo(x, lo, hi)
}

func expSums(dst, x []float64, shift, least float64) (sum, moment float64) {
	return expSumsGo(dst, x, shift, least)
}
