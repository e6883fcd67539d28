package nn

import "tattle/internal/math/simd"

// gradient sums up over the tiles. The order of summation does not depend on the
// number of cores: a small weight has convSlots partial sums, each of an equal run
// of tiles; a large one has a single sum, and the cores share each tile.
func (k *convColumns[T]) gradient(dw []T, db []float64, x, dy []T, n int, keep T) {
	k.x, k.y, k.w, k.db, k.n, k.keep = x, dy, dw, db, n, keep
	if k.byTile {
		k.gradientByTile()
		return
	}
	k.partW, k.partB = sized(k.partW, convSlots*len(dw)), sized(k.partB, convSlots*len(db))
	simd.Parallel(convSlots, 1, k.slotRange)
	simd.Parallel(len(dw), 1<<12, k.addRange)
	for i, v := range k.partB {
		db[i%len(db)] += v
	}
}

// slotRange computes the partial sums [lo, hi).
func (k *convColumns[T]) slotRange(lo, hi int) {
	col, out := k.borrowTile(k.depth, k.gradTiling), k.borrowTile(k.outG, k.gradTiling)
	defer k.giveBack(col, out)
	tiles := k.gradTiling.tiles(k.n)
	for slot := lo; slot < hi; slot++ {
		dw, db := k.partW[slot*len(k.w):][:len(k.w)], k.partB[slot*len(k.db):][:len(k.db)]
		clear(dw)
		clear(db)
		for i := slot * tiles / convSlots; i < (slot+1)*tiles/convSlots; i++ {
			t := k.gradTiling.tile(i, k.n, k.outH)
			for g := range k.groups {
				k.unfold(col, t, g, 0, k.inG)
				k.sumPlanes(out, db, t, g, 0, k.outG)
				k.multiply(dw, out, col, t, g, 1)
			}
		}
	}
}

// addRange adds the slots' entries [lo, hi) of dw.
func (k *convColumns[T]) addRange(lo, hi int) {
	dw := k.w[lo:hi]
	if k.keep == 0 {
		clear(dw)
	} else if k.keep != 1 {
		simd.Scale(k.keep, dw)
	}
	for slot := range convSlots {
		simd.Add(dw, dw, k.partW[slot*len(k.w)+lo:slot*len(k.w)+hi])
	}
}

// gradientByTile goes tile by tile, each spread over the cores.
func (k *convColumns[T]) gradientByTile() {
	columns, gathered := k.borrowTile(k.depth, k.gradTiling), k.borrowTile(k.outG, k.gradTiling)
	defer k.giveBack(columns, gathered)
	keep := k.keep
	for i := range k.gradTiling.tiles(k.n) {
		t := k.gradTiling.tile(i, k.n, k.outH)
		cols := k.outputs(t)
		for g := range k.groups {
			simd.Parallel(k.inG, 1+grain/(cols*k.kH*k.kW), func(lo, hi int) { k.unfold(columns, t, g, lo, hi) })
			simd.Parallel(k.outG, 1+grain/cols, func(lo, hi int) { k.sumPlanes(gathered, k.db, t, g, lo, hi) })
			k.multiply(k.w, gathered, columns, t, g, keep)
		}
		keep = 1
	}
}

// sumPlanes adds channels [lo, hi) of the tile of dy to db, and gathers them in
// out where the tile is of several examples.
func (k *convColumns[T]) sumPlanes(out []T, db []float64, t convTile, g, lo, hi int) {
	if t.examples() > 1 {
		k.gather(out, t, g, lo, hi)
	}
	length := t.rows() * k.outW
	for e := t.e0; e < t.e1; e++ {
		for o := lo; o < hi; o++ {
			db[g*k.outG+o] += float64(simd.Sum(k.y[((e*k.groups+g)*k.outG+o)*k.outHW+t.r0*k.outW:][:length]))
		}
	}
}

// multiply sets dw of group g to keep·dw + dy·columnsᵀ, dy being gathered or in
// place.
func (k *convColumns[T]) multiply(dw, gathered, col []T, t convTile, g int, keep T) {
	cols := k.outputs(t)
	dy, ld := gathered, cols
	if t.examples() == 1 {
		dy, ld = k.y[k.planeAt(t, g, 0):], k.outHW
	}
	simd.Gemm(false, true, k.outG, k.depth, cols, 1, dy, ld, col, cols, keep, dw[g*k.outG*k.depth:], k.depth)
}
