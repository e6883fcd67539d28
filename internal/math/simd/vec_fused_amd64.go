//go:build !purego

package simd

//go:noescape
func sumAndSquaresF32(x *float32, n int) (sum, sumsq float64)

//go:noescape
func dotAndSumF32(d, x *float32, n int) (sum, dot float64)

//go:noescape
func dropoutMaskAVX2(words *uint64, n int, keys *philoxKeys, block uint64, last uint16)

func sumAndSquares(x []float32) (sum, sumsq float64) {
	if !useAVX2 {
		return sumAndSquaresGo(x)
	}
	return sumAndSquaresF32(f32(x), len(x))
}

func dotAndSum(d, x []float32) (sum, dot float64) {
	if !useAVX2 {
		return dotAndSumGo(d, x)
	}
	return dotAndSumF32(f32(d), f32(x), len(d))
}

func dropoutMask(words []uint64, keys *philoxKeys, block uint64, limit uint16) {
	if !useAVX2 || len(words) == 0 {
		dropoutMaskGo(words, keys, block, limit)
		return
	}
	dropoutMaskAVX2(&words[0], len(words), keys, block, limit-1)
}
