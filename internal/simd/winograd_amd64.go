//go:build !purego

package simd

//go:noescape
func winogradIn(dst *float32, step int, plane *float32, offsets *int, stride int, room *float32)

//go:noescape
func tallF32(groups, kc int, a *float32, aStep int, b, c *float32, add bool)

//go:noescape
func lowF32(panels, kc int, a *float32, aStep int, b, c *float32, add bool)

//go:noescape
func winogradOut(plane *float32, offsets *int, stride int, src *float32, step int, room *float32)

//go:noescape
func winogradInWide(dst *float32, step int, plane *float32, offsets *int, stride int, room *float32)

//go:noescape
func winogradOutWide(plane *float32, offsets *int, stride int, src *float32, step int, room *float32)

// HasWinograd reports whether the Winograd functions can be called: they need AVX2.
func HasWinograd() bool { return useAVX2 }

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

// WinogradMultiply overwrites c with the product of a, rows × k, and b, k × 16. a is in
// panels of 6 rows, the last filled up, for each block of [WinogradBlock] terms of the
// inner sum in turn; c has whole panels of rows.
func WinogradMultiply(c, a, b []float32, rows, k int) {
	panels, nr := (rows+mr-1)/mr, WinogradColumns
	if len(c) < panels*mr*nr || len(a) < panels*mr*k || len(b) < k*nr || rows < 1 || k < 1 {
		panic("simd: slices do not fit the product")
	}
	tall := 0 // panels that are multiplied four at a time
	if useAVX512 {
		tall = panels &^ 3
	}
	block, beta := kBlock(k), float32(0)
	for k0 := 0; k0 < k; k0 += block {
		kc := min(block, k-k0)
		a, b := a[k0*panels*mr:], b[k0*nr:]
		if tall > 0 {
			tallF32(tall/4, kc, &a[0], mr*kc, &b[0], &c[0], beta == 1)
		}
		switch {
		case tall == panels:
		case useAVX512:
			lowF32(panels-tall, kc, &a[tall*mr*kc], mr*kc, &b[0], &c[tall*mr*nr], beta == 1)
		default:
			tileF32(panels-tall, kc, &a[tall*mr*kc], 1, mr, mr*kc, &b[0], nr, 0, &c[tall*mr*nr], nr, 0, 1, beta)
		}
		beta = 1
	}
}

func winogradBlock(k int) int { return kBlock(k) }
