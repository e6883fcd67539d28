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

//go:noescape
func turnF32(dst, src *float32, rows, cols, blocks int)

//go:noescape
func turnF64(dst, src *float64, rows, cols, blocks int)

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

func transpose[T Float](dst, src []T, rows, cols int) {
	side := 4
	if is32[T]() {
		side = 8
	}
	if !useAVX2 || rows < side || cols < side {
		transposeGo(dst, src, rows, cols)
		return
	}
	whole, wide := rows-rows%side, cols-cols%side
	for r := 0; r < whole; r += transposeRows {
		blocks := min(transposeRows, whole-r) / side
		for c := 0; c < wide; c += side {
			to, from := dst[c*rows+r:], src[r*cols+c:]
			if is32[T]() {
				turnF32(f32(to), f32(from), rows, cols, blocks)
			} else {
				turnF64(f64(to), f64(from), rows, cols, blocks)
			}
		}
	}
	turn(dst, src, rows, cols, 0, whole, wide, cols)
	turn(dst, src, rows, cols, whole, rows, 0, cols)
}

// transposeRows is the height of the strip that is turned at a time: 16 float32 fill
// a line of the cache, and the lines that the strip comes from stay in the first.
const transposeRows = 16
