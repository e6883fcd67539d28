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

// tiles computes n tiles of nr columns, of which one's C is cStep from the next's. Tiles of a column, which
// aStep is not 0 for, have one B.
func tiles[T Float](n, _, kc int, alpha T, a matrix[T], aStep int, b []T, bs, bStep int, beta T, c []T, cr, cStep int) {
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

// packAlong packs panels of rows that lie along them: x.rs is 1.
func packAlong[T Float](dst []T, w, panels, kc int, x matrix[T]) {
	for p := range kc {
		line := x.data[p*x.cs:]
		for i := range panels {
			copy(dst[(i*kc+p)*w:][:w], line[i*w:])
		}
	}
}

// packQuads sets dst[p*w+r] = src[r*ld+p] for r < 4 and p < 4·quads.
func packQuads[T Float](dst []T, w int, src []T, ld, quads int) {
	n := 4 * quads
	a, b, c, d := src[:n], src[ld:][:n], src[2*ld:][:n], src[3*ld:][:n]
	for p, v := range a {
		to := dst[p*w:][:4]
		to[0], to[1], to[2], to[3] = v, b[p], c[p], d[p]
	}
}
