package simd

import "math"

// Winograd's convolution F(4×4, 3×3) (Lavin and Gray, Fast algorithms for
// convolutional neural networks, arXiv:1509.09308): 4×4 outputs of a 3×3 kernel g on
// a 6×6 tile d take 36 products instead of 144,
//
//	y = Aᵀ [(G g Gᵀ) ⊙ (Bᵀ d B)] A,
//
// which summed over channels are 36 matrix products. The polynomials are taken at
// 0, ±a, ±1/a and ∞ with a = √½, whose rounding errors, for 64 to 512 channels, are
// two to three times those of the direct sum, a half to a third of what the usual
// points 0, ±1, ±2 and ∞ give:
//
//	     │ 1    0   −5/2   0    1  0 │        │ 1  1    1   1    1   0 │
//	     │ 0  −2a   −2     a    1  0 │   Aᵀ = │ 0  a   −a  2a  −2a   0 │
//	Bᵀ = │ 0   2a   −2    −a    1  0 │        │ 0  1/2 1/2  2    2   0 │
//	     │ 0   −a  −1/2   2a    1  0 │        │ 0 a/2 −a/2 4a  −4a   1 │
//	     │ 0    a  −1/2  −2a    1  0 │
//	     │ 0    1    0  −5/2    0  1 │
const (
	WinogradTile    = 4                // outputs of a tile along each side
	WinogradPoints  = 36               // matrix products
	WinogradColumns = 16               // tiles to a panel
	winogradSide    = WinogradTile + 2 // inputs of a tile along each side
)

// WinogradRoom is scratch of the transforms: what is turned halfway.
type WinogradRoom [winogradSide * winogradSide * WinogradColumns]float32

// winogradFactors are what the transforms multiply by.
//
//lint:ignore U1000 the assembly reads it
var winogradFactors = [5]float32{2, .5, 2.5, math.Sqrt2 / 2, 4}

// winogradG are the numbers in G, beside 0 and 1.
var winogradG = [5]float64{-2. / 3, math.Sqrt2 / 3, 1. / 3, 1. / 6, math.Sqrt2 / 6}

// winogradRows returns G times three numbers:
//
//	    │  1      0     0  │
//	    │ −2/3  −√2/3 −1/3 │
//	G = │ −2/3   √2/3 −1/3 │
//	    │ 1/6    √2/6  1/3 │
//	    │ 1/6   −√2/6  1/3 │
//	    │  0      0     1  │
func winogradRows(g0, g1, g2 float64) [winogradSide]float64 {
	G := &winogradG
	even, odd := G[0]*g0-G[2]*g2, G[1]*g1
	even2, odd2 := G[3]*g0+G[2]*g2, G[4]*g1
	return [winogradSide]float64{g0, even - odd, even + odd, even2 + odd2, even2 - odd2, g2}
}

// WinogradWeights returns G g Gᵀ of a 3×3 kernel, row by row, rounded once.
func WinogradWeights(g *[9]float32) (u [WinogradPoints]float32) {
	var half [3][winogradSide]float64
	for j := range half {
		half[j] = winogradRows(float64(g[j]), float64(g[3+j]), float64(g[6+j]))
	}
	for i := range winogradSide {
		for j, v := range winogradRows(half[0][i], half[1][i], half[2][i]) {
			u[i*winogradSide+j] = float32(v)
		}
	}
	return u
}

// HasWinograd reports whether the Winograd functions can be called: they need AVX2.
func HasWinograd() bool { return useAVX2 }

// WinogradFew is the number of tiles up to which [WinogradExpand] and [WinogradMultiplyFew] can do
// what [WinogradWeights] and [WinogradMultiply] do, or 0: they need AVX-512.
func WinogradFew() int {
	if useAVX512 {
		return 4
	}
	return 0
}

// WinogradExpand sets u[ξ·step + c·16 + i] to entry ξ of [WinogradWeights] of the kernel whose entry
// j is g[(c·9 + j)·16 + i], for c < k and i < 16.
func WinogradExpand(u []float32, step int, g []float32, k int) {
	if k < 1 || len(g) < 9*16*k || step < 16*k || len(u) < (WinogradPoints-1)*step+16*k {
		panic("simd: slices do not fit the weights")
	}
	winogradExpand(&u[0], step, &g[0], 2*k)
}

// WinogradRows returns the number of rows of a panel of weights.
func WinogradRows() int {
	if useAVX512 {
		return 16
	}
	return mr
}

// WinogradIn sets dst[ξ·step + i] to entry ξ of Bᵀ d B, where d is the 6×6 tile that
// begins at offsets[i], in bytes, of a plane whose rows are stride apart.
func WinogradIn(dst []float32, step int, plane []float32, offsets *[WinogradColumns]int, stride int, room *WinogradRoom) {
	checkTiles(len(plane), offsets, stride, winogradSide)
	if len(dst) < (WinogradPoints-1)*step+WinogradColumns {
		panic("simd: short slice of transformed tiles")
	}
	if useAVX512 {
		winogradInWide(&dst[0], 4*step, &plane[0], &offsets[0], 4*stride, &room[0])
		return
	}
	winogradIn(&dst[0], 4*step, &plane[0], &offsets[0], 4*stride, &room[0])
	winogradIn(&dst[8], 4*step, &plane[0], &offsets[8], 4*stride, &room[0])
}

// WinogradOut sets the 4×4 tiles of a plane that begin at the offsets, in bytes, to Aᵀ m A, of
// which entry ξ of the i-th is src[ξ·step + i].
func WinogradOut(plane []float32, offsets *[WinogradColumns]int, stride int, src []float32, step int, room *WinogradRoom) {
	checkTiles(len(plane), offsets, stride, WinogradTile)
	if len(src) < (WinogradPoints-1)*step+WinogradColumns {
		panic("simd: short slice of transformed tiles")
	}
	if useAVX512 {
		winogradOutWide(&plane[0], &offsets[0], 4*stride, &src[0], 4*step, &room[0])
		return
	}
	winogradOut(&plane[0], &offsets[0], 4*stride, &src[0], 4*step, &room[0])
	winogradOut(&plane[0], &offsets[8], 4*stride, &src[8], 4*step, &room[0])
}

// checkTiles panics unless the tiles lie in the plane.
func checkTiles(plane int, offsets *[WinogradColumns]int, stride, side int) {
	most := plane - ((side-1)*stride + side)
	for _, at := range offsets {
		if at < 0 || at%4 != 0 || at/4 > most {
			panic("simd: a tile reaches beyond its plane")
		}
	}
}

// WinogradMultiplyFew sets, for each point, c to the first four columns of the product of one panel a,
// 16 × k, and b, k × 16, or adds that where add is set. Those of the next point lie steps apart.
func WinogradMultiplyFew(c []float32, cStep int, a []float32, aStep int, b []float32, bStep, k int, add bool) {
	const last = WinogradPoints - 1
	if k < 1 || len(c) < last*cStep+16*WinogradColumns || len(a) < last*aStep+16*k || len(b) < last*bStep+k*WinogradColumns {
		panic("simd: slices do not fit the product")
	}
	fewF32(k, &a[0], aStep, &b[0], bStep, &c[0], cStep, add)
}

// WinogradMultiply overwrites c with the product of a, rows × k, and b, k × 16. a is in panels of
// [WinogradRows] rows, the last filled up, for each block of [Block] terms of the inner sum in turn; c
// has whole panels of rows.
func WinogradMultiply(c, a, b []float32, rows, k int) {
	r, nr := WinogradRows(), WinogradColumns
	panels := (rows + r - 1) / r
	if len(c) < panels*r*nr || len(a) < panels*r*k || len(b) < k*nr || rows < 1 || k < 1 {
		panic("simd: slices do not fit the product")
	}
	block := Block(k)
	for k0, beta := 0, float32(0); k0 < k; k0, beta = k0+block, 1 {
		kc, a, b := min(block, k-k0), &a[k0*panels*r], &b[k0*nr]
		if useAVX512 {
			tallF32(panels, kc, a, b, &c[0], beta == 1)
		} else {
			tileF32(panels, kc, a, 1, r, r*kc, b, nr, 0, &c[0], nr, 0, 1, beta)
		}
	}
}
