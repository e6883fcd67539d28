//go:build purego || !amd64

package simd

func sumAndSquares(x []float32) (sum, sumsq float64) { return sumAndSquaresGo(x) }
func dotAndSum(d, x []float32) (sum, dot float64)    { return dotAndSumGo(d, x) }

func dropoutMask(words []uint64, keys *philoxKeys, block uint64, limit uint16) {
	dropoutMaskGo(words, keys, block, limit)
}
