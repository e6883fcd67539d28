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
