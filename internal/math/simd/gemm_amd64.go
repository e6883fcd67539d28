//go:build !purego

package simd

import "unsafe"

// tileF32 and tileF64 compute tiles of mr × nr elements, C = alpha Σ_p A_p B_p +
// beta C with kc terms: A(i, p) is a[i*rs+p*cs], row p of B begins at b[p*bs] and
// row i of C at c[i*cr]. The next tile's C is cStep from the row below this one. Tiles are a row or a
// column. In a row aStep is 0, and the next tile's B is bStep further. A column has one B, and the next
// tile's A is aStep further. Its bStep, unless it is 0, is where the B of another column begins, which they ask for.

//go:noescape
func tileF32(tiles, kc int, a *float32, rs, cs, aStep int, b *float32, bs, bStep int, c *float32, cr, cStep int, alpha, beta float32)

//go:noescape
func tileF64(tiles, kc int, a *float64, rs, cs, aStep int, b *float64, bs, bStep int, c *float64, cr, cStep int, alpha, beta float64)

// wideF32 and wideF64 are tileF32 and tileF64 for tiles twice as wide; in a column cStep is 0.

//go:noescape
func wideF32(tiles, kc int, a *float32, rs, cs, aStep int, b *float32, bs, bStep int, c *float32, cr, cStep int, alpha, beta float32)

//go:noescape
func wideF64(tiles, kc int, a *float64, rs, cs, aStep int, b *float64, bs, bStep int, c *float64, cr, cStep int, alpha, beta float64)

// The packers: see the assembly.

//go:noescape
func packRowsF32(dst *float32, w int, src *float32, ld, quads int)

//go:noescape
func packRowsF64(dst *float64, w int, src *float64, ld, quads int)

//go:noescape
func packSixF32(dst *float32, step int, src *float32, ld, panels, kc int)

//go:noescape
func packSixF64(dst *float64, step int, src *float64, ld, panels, kc int)

//go:noescape
func packLines(dst unsafe.Pointer, step int, src unsafe.Pointer, ld, panels, kc int)

//go:noescape
func packWide(dst unsafe.Pointer, step int, src unsafe.Pointer, ld, panels, kc int)

// tiles computes n tiles of nr columns, lanes or narrow, whose C are cStep apart: in a
// column of tiles, mr rows.
func tiles[T Float](n, nr, kc int, alpha T, a matrix[T], aStep int, b []T, bs, bStep int, beta T, c []T, cr, cStep int) {
	if !useAVX2 {
		tilesGo(n, nr, kc, alpha, a, aStep, b, bs, bStep, beta, c, cr, cStep)
		return
	}
	cStep -= mr * cr
	switch wide := nr != narrow[T](); {
	case is32[T]() && wide:
		wideF32(n, kc, f32(a.data), a.rs, a.cs, aStep, f32(b), bs, bStep, f32(c), cr, cStep, float32(alpha), float32(beta))
	case is32[T]():
		tileF32(n, kc, f32(a.data), a.rs, a.cs, aStep, f32(b), bs, bStep, f32(c), cr, cStep, float32(alpha), float32(beta))
	case wide:
		wideF64(n, kc, f64(a.data), a.rs, a.cs, aStep, f64(b), bs, bStep, f64(c), cr, cStep, float64(alpha), float64(beta))
	default:
		tileF64(n, kc, f64(a.data), a.rs, a.cs, aStep, f64(b), bs, bStep, f64(c), cr, cStep, float64(alpha), float64(beta))
	}
}

// packAlong packs panels of rows that lie along them: x.rs is 1.
func packAlong[T Float](dst []T, w, panels, kc int, x matrix[T]) {
	size := int(unsafe.Sizeof(x.data[0]))
	switch {
	case !useAVX2:
		packAlongGo(dst, w, panels, kc, x)
	case w != mr && w*size == 128:
		packWide(unsafe.Pointer(&dst[0]), w*kc*size, unsafe.Pointer(&x.data[0]), x.cs*size, panels, kc)
	case w != mr:
		packLines(unsafe.Pointer(&dst[0]), w*kc*size, unsafe.Pointer(&x.data[0]), x.cs*size, panels, kc)
	case size == 4:
		packSixF32(f32(dst), w*kc, f32(x.data), x.cs, panels, kc)
	default:
		packSixF64(f64(dst), w*kc, f64(x.data), x.cs, panels, kc)
	}
}

// packQuads sets dst[p*w+r] = src[r*ld+p] for r < 4 and p < 4·quads.
func packQuads[T Float](dst []T, w int, src []T, ld, quads int) {
	if !useAVX2 {
		packQuadsGo(dst, w, src, ld, quads)
	} else if is32[T]() {
		packRowsF32(f32(dst), w, f32(src), ld, quads)
	} else {
		packRowsF64(f64(dst), w, f64(src), ld, quads)
	}
}
