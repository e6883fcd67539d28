//go:build !purego

package simd

//go:noescape
func winogradIn(dst *float32, step int, plane *float32, offsets *int, stride int, room *float32)

//go:noescape
func tallF32(panels, k int, a, b, c *float32, add bool)

//go:noescape
func fewF32(k int, a *float32, aStep int, b *float32, bStep int, c *float32, cStep int, add bool)

//go:noescape
func winogradExpand(dst *float32, step int, src *float32, halves int)

//go:noescape
func winogradOut(plane *float32, offsets *int, stride int, src *float32, step int, room *float32)

//go:noescape
func winogradInWide(dst *float32, step int, plane *float32, offsets *int, stride int, room *float32)

//go:noescape
func winogradOutWide(plane *float32, offsets *int, stride int, src *float32, step int, room *float32)

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
