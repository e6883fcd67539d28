//go:build !purego

package simd

//go:noescape
func winogradIn(dst *float32, step int, plane *float32, offsets *int, stride int, room *float32)

//go:noescape
func tallF32(panels, k, block int, a, b, c *float32)

//go:noescape
func fewF32(panels, k, block int, a, b, c *float32)

// winogradLines are where 16 rows of products begin, in bytes.
//
//lint:ignore U1000 the assembly reads it
var winogradLines = func() (at [16]int32) {
	for i := range at {
		at[i] = int32(4 * WinogradColumns * i)
	}
	return at
}()

//go:noescape
func winogradOut(plane *float32, offsets *int, stride int, src *float32, step int, room *float32)

//go:noescape
func winogradInWide(dst *float32, step int, plane *float32, offsets *int, stride int, room *float32)

//go:noescape
func winogradOutWide(plane *float32, offsets *int, stride int, src *float32, step int, room *float32)

// HasWinograd reports whether the Winograd functions can be called: they need AVX2.
func HasWinograd() bool { return useAVX2 }

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

// winogradFew is the most columns that fewF32 is for.
const winogradFew = 8

// WinogradMultiply overwrites the first columns of c with those of the product of a, rows × k, and
// b, k × 16; what the others hold afterwards is not defined. a is in panels of [WinogradRows] rows,
// the last filled up, one after another; c has whole panels of rows.
func WinogradMultiply(c, a, b []float32, rows, k, columns int) {
	r, nr := WinogradRows(), WinogradColumns
	panels := (rows + r - 1) / r
	if len(c) < panels*r*nr || len(a) < panels*r*k || len(b) < k*nr || rows < 1 || k < 1 || columns < 1 || columns > nr {
		panic("simd: slices do not fit the product")
	}
	block := kBlock(k)
	switch {
	case useAVX512 && columns <= winogradFew:
		fewF32(panels, k, block, &a[0], &b[0], &c[0])
	case useAVX512:
		tallF32(panels, k, block, &a[0], &b[0], &c[0])
	default:
		for k0, beta := 0, float32(0); k0 < k; k0, beta = k0+block, 1 {
			tileF32(panels, min(block, k-k0), &a[k0*r], 1, r, r*k, &b[k0*nr], nr, 0, &c[0], nr, 0, 1, beta)
		}
	}
}
