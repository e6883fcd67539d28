package nn

import "tattle/internal/simd"

// convColumns unfolds the patches that the outputs see into the columns of a
// matrix, so that a convolution is the product W·columns, [outG, depth]·[depth,
// outputs], its adjoint folds the columns Wᵀ·dy back, and its gradient is
// dy·columnsᵀ. It goes by tiles: some rows of the output of one example, or the
// whole outputs of several where they are small.
type convColumns[T Float] struct {
	convPlan
	spares[T]
	examples, rows int // of a tile; one of them is 1 or all
	tilesPer       int // tiles to an example, where examples is 1

	applyTiles, adjointTiles, unfoldChannels, sumChannels func(lo, hi int)

	// The operands of the product in progress.
	y, x, w, b []T
	n          int
	db         []float64
	tile       convTile
	group      int
	columns    []T
	gathered   []T
}

// convTile is the outputs [r0, r1) of the examples [e0, e1).
type convTile struct{ e0, e1, r0, r1 int }

// convTileOutputs is the number of columns aimed at: enough to spread the cost
// of packing W over, few enough that a tile stays in the second-level cache.
const convTileOutputs = 256

func newConvColumns[T Float](p convPlan) *convColumns[T] {
	k := &convColumns[T]{convPlan: p, examples: 1, rows: p.outH, tilesPer: 1}
	if p.outHW < convTileOutputs {
		k.examples = (convTileOutputs + p.outHW - 1) / p.outHW
	} else {
		k.tilesPer = min(p.outH, (p.outHW+convTileOutputs-1)/convTileOutputs)
		k.rows = (p.outH + k.tilesPer - 1) / k.tilesPer
		k.tilesPer = (p.outH + k.rows - 1) / k.rows
	}
	k.applyTiles, k.adjointTiles = k.applyRange, k.adjointRange
	k.unfoldChannels, k.sumChannels = k.unfoldRange, k.sumRange
	return k
}

// tiles returns the number of tiles in n examples.
func (k *convColumns[T]) tiles(n int) int {
	return (n + k.examples - 1) / k.examples * k.tilesPer
}

func (k *convColumns[T]) at(i int) convTile {
	e, r := i/k.tilesPer*k.examples, i%k.tilesPer*k.rows
	return convTile{e, min(e+k.examples, k.n), r, min(r+k.rows, k.outH)}
}

// outputs returns the number of columns of a tile.
func (k *convColumns[T]) outputs(t convTile) int { return (t.e1 - t.e0) * (t.r1 - t.r0) * k.outW }

func (k *convColumns[T]) apply(y, x, w, b []T, n int) {
	k.y, k.x, k.w, k.b, k.n = y, x, w, b, n
	simd.Parallel(k.tiles(n), 1, k.applyTiles)
}

func (k *convColumns[T]) applyRange(lo, hi int) {
	col, out := k.borrowRows(k.depth), k.borrowRows(k.outG)
	defer k.giveBack(col, out)
	for i := lo; i < hi; i++ {
		t := k.at(i)
		cols := k.outputs(t)
		for g := range k.groups {
			k.unfold(col, t, g, 0, k.inG)
			w := k.w[g*k.outG*k.depth:]
			if k.examples > 1 {
				simd.Gemm(false, false, k.outG, cols, k.depth, 1, w, k.depth, col, cols, 0, out, cols)
				k.scatter(out, t, g)
				continue
			}
			y := k.y[k.planeAt(t, g, 0):]
			var beta T
			if k.b != nil {
				k.fillBias(y, cols, g)
				beta = 1
			}
			simd.Gemm(false, false, k.outG, cols, k.depth, 1, w, k.depth, col, cols, beta, y, k.outHW)
		}
	}
}

// planeAt returns where the tile begins in the output of channel o of group g of
// its first example.
func (k *convColumns[T]) planeAt(t convTile, g, o int) int {
	return ((t.e0*k.groups+g)*k.outG+o)*k.outHW + t.r0*k.outW
}

func (k *convColumns[T]) fillBias(y []T, cols, g int) {
	for o := range k.outG {
		fill(y[o*k.outHW:][:cols], k.b[g*k.outG+o])
	}
}

// fill sets every entry of x to v.
func fill[T Float](x []T, v T) {
	head := min(len(x), 16)
	for i := range head {
		x[i] = v
	}
	for n := head; n < len(x); n *= 2 {
		copy(x[n:], x[:n])
	}
}

// scatter stores out, [outG, examples·outHW], and adds the bias.
func (k *convColumns[T]) scatter(out []T, t convTile, g int) {
	cols := k.outputs(t)
	for e := t.e0; e < t.e1; e++ {
		for o := range k.outG {
			from := out[o*cols+(e-t.e0)*k.outHW:][:k.outHW]
			to := k.y[((e*k.groups+g)*k.outG+o)*k.outHW:][:k.outHW]
			if k.b == nil {
				copy(to, from)
			} else {
				simd.ScaleShift(to, from, 1, k.b[g*k.outG+o])
			}
		}
	}
}

// gather is the inverse of scatter, for channels [o0, o1).
func (k *convColumns[T]) gather(out []T, t convTile, g, o0, o1 int) {
	cols := k.outputs(t)
	for e := t.e0; e < t.e1; e++ {
		for o := o0; o < o1; o++ {
			from := k.y[((e*k.groups+g)*k.outG+o)*k.outHW:][:k.outHW]
			copy(out[o*cols+(e-t.e0)*k.outHW:], from)
		}
	}
}

func (k *convColumns[T]) adjoint(dx, dy, w []T, n int) {
	k.x, k.y, k.w, k.n = dx, dy, w, n
	simd.Parallel((n+k.examples-1)/k.examples, 1, k.adjointTiles)
}

// adjointRange folds the tiles of examples [lo, hi)·k.examples: tiles of one
// example overlap in dx.
func (k *convColumns[T]) adjointRange(lo, hi int) {
	col, out := k.borrowRows(k.depth), k.borrowRows(k.outG)
	defer k.giveBack(col, out)
	inSize := k.op.InChannels * k.inHW
	clear(k.x[lo*k.examples*inSize : min(hi*k.examples, k.n)*inSize])
	for i := lo * k.tilesPer; i < hi*k.tilesPer; i++ {
		t := k.at(i)
		cols := k.outputs(t)
		for g := range k.groups {
			dy, ld := out, cols
			if k.examples > 1 {
				k.gather(out, t, g, 0, k.outG)
			} else {
				dy, ld = k.y[k.planeAt(t, g, 0):], k.outHW
			}
			w := k.w[g*k.outG*k.depth:]
			simd.Gemm(true, false, k.depth, cols, k.outG, 1, w, k.depth, dy, ld, 0, col, cols)
			k.fold(col, t, g)
		}
	}
}

// gradient goes tile by tile, each spread over the cores: dw may be too large
// for a copy to each core, and the order of summation stays the same.
func (k *convColumns[T]) gradient(dw []T, db []float64, x, dy []T, n int, keep T) {
	k.x, k.y, k.db, k.n = x, dy, db, n
	k.columns, k.gathered = k.borrowRows(k.depth), k.borrowRows(k.outG)
	defer k.giveBack(k.columns, k.gathered)
	for i := range k.tiles(n) {
		k.tile = k.at(i)
		cols := k.outputs(k.tile)
		for k.group = range k.groups {
			simd.Parallel(k.inG, 1+convGrain/(cols*k.depth/k.inG), k.unfoldChannels)
			simd.Parallel(k.outG, 1+convGrain/cols, k.sumChannels)
			dy, ld := k.gathered, cols
			if k.examples == 1 {
				dy, ld = k.y[k.planeAt(k.tile, k.group, 0):], k.outHW
			}
			w := dw[k.group*k.outG*k.depth:]
			simd.Gemm(false, true, k.outG, k.depth, cols, 1, dy, ld, k.columns, cols, keep, w, k.depth)
		}
		keep = 1
	}
}

// convGrain is how many elements are worth another core.
const convGrain = 1 << 14

func (k *convColumns[T]) unfoldRange(lo, hi int) { k.unfold(k.columns, k.tile, k.group, lo, hi) }

// sumRange adds channels [lo, hi) of the tile of dy to db, and gathers them
// where the tile is of several examples.
func (k *convColumns[T]) sumRange(lo, hi int) {
	t, g := k.tile, k.group
	if k.examples > 1 {
		k.gather(k.gathered, t, g, lo, hi)
	}
	length := (t.r1 - t.r0) * k.outW
	for e := t.e0; e < t.e1; e++ {
		for o := lo; o < hi; o++ {
			plane := k.y[((e*k.groups+g)*k.outG+o)*k.outHW+t.r0*k.outW:][:length]
			k.db[g*k.outG+o] += float64(simd.Sum(plane))
		}
	}
}

// borrowRows borrows a buffer of that many rows of a tile.
func (k *convColumns[T]) borrowRows(rows int) []T {
	return k.borrow(rows * k.examples * k.rows * k.outW)
}
