//go:build !purego

package simd

// tileF32 and tileF64 compute tiles of mr × nr elements, C = alpha Σ_p A_p B_p +
// beta C with kc terms: A(i, p) is a[i*rs+p*cs], row p of B begins at b[p*bs] and
// row i of C at c[i*cr]. The next tile's C is cStep from the row below this one, its A and B aStep and bStep
// further.

//go:noescape
func tileF32(tiles, kc int, a *float32, rs, cs, aStep int, b *float32, bs, bStep int, c *float32, cr, cStep int, alpha, beta float32)

//go:noescape
func tileF64(tiles, kc int, a *float64, rs, cs, aStep int, b *float64, bs, bStep int, c *float64, cr, cStep int, alpha, beta float64)

// tiles computes n tiles of nr columns, whose C are cStep apart. aStep is not 0 in a column of
// tiles, which has one B.
func tiles[T Float](n, nr, kc int, alpha T, a matrix[T], aStep int, b []T, bs, bStep int, beta T, c []T, cr, cStep int) {
	if !useNEON {
		tilesGo(n, nr, kc, alpha, a, aStep, b, bs, bStep, beta, c, cr, cStep)
		return
	}
	cStep -= mr * cr
	if aStep != 0 {
		bStep = 0
	}
	if is32[T]() {
		tileF32(n, kc, f32(a.data), a.rs, a.cs, aStep, f32(b), bs, bStep, f32(c), cr, cStep, float32(alpha), float32(beta))
	} else {
		tileF64(n, kc, f64(a.data), a.rs, a.cs, aStep, f64(b), bs, bStep, f64(c), cr, cStep, float64(alpha), float64(beta))
	}
}

func packAlong[T Float](dst []T, w, panels, kc int, x matrix[T]) { packAlongGo(dst, w, panels, kc, x) }

func packQuads[T Float](dst []T, w int, src []T, ld, quads int) { packQuadsGo(dst, w, src, ld, quads) }
