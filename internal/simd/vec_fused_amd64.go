//go:build !purego

package simd

//go:noescape
func sumAndSquaresF32(x *float32, n int) (sum, sumsq float64)

//go:noescape
func dotAndSumF32(d, x *float32, n int) (sum, dot float64)

//go:noescape
func adamF32(w, grad, m, v *float32, n int, p *AdamCoefficients)

//go:noescape
func dropoutAVX2(mask *float32, groups int, keys *philoxKeys, block uint64, last uint32, value float32)

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

func adamStep(w, g, m, v []float32, p *AdamCoefficients) {
	if !useAVX2 {
		adamStepGo(w, g, m, v, p)
		return
	}
	adamF32(f32(w), f32(g), f32(m), f32(v), len(w), p)
}

// dropoutBlocks fills the front of mask, from the start of a block, and returns
// how many elements it has filled.
func dropoutBlocks(mask []float32, keys *philoxKeys, block uint64, limit uint32, value float32) int {
	groups := len(mask) / 16
	if !useAVX2 || groups == 0 {
		return 0
	}
	dropoutAVX2(f32(mask), groups, keys, block, limit-1, value)
	return 16 * groups
}
