package nn

import (
	"runtime"

	"tattle/internal/math/simd"
)

// convColumns takes the patches that the outputs see for the columns of a
// matrix, so that a convolution is the product W·columns, [outG, depth]·[depth,
// outputs], its adjoint folds the columns Wᵀ·dy back, and its gradient is
// dy·columnsᵀ. Where a tile is of one example, the columns are read from padded planes of the input (see layOut). It goes by tiles: some rows of the output of one example, or the
// whole outputs of several where they are small.
type convColumns[T Float] struct {
	convPlan
	*spares[T]
	tiling, gradTiling convTiling
	current            convTiling // of the product in progress; sums do not depend on it
	pairs              bool       // the kernel is 2 wide with a stride of 2, without padding, and uses each input at most once
	deep               bool       // a sum has several blocks, which are added to its bias in order
	points             bool       // the columns are the planes of the input
	planes             window     // of the planes of inputs that tiles see: outputs of a kernel with an entry for each plane
	at                 []int      // where the rows of the columns begin in the planes
	high               int        // rows of a plane
	byTile             bool       // the cores share each tile of a gradient, not the tiles

	// The operands of the product in progress.
	y, x, w, b []T
	n          int
	end        ending[T]
	keep       T
	db         []float64

	// Of a gradient: the partial sums of the slots.
	partW []T
	partB []float64
}

// convTile is the outputs of rows [r0, r1) of the examples [e0, e1).
type convTile struct{ e0, e1, r0, r1 int }

func (t convTile) examples() int { return t.e1 - t.e0 }
func (t convTile) rows() int     { return t.r1 - t.r0 }

// convTiling cuts the outputs into tiles; one of its numbers of examples and of
// tiles to an example is 1.
type convTiling struct{ examples, rows, perExample int }

// newConvTiling aims at tiles of that many outputs.
func newConvTiling(p convPlan, outputs int) convTiling {
	if p.outHW < outputs {
		return convTiling{(outputs + p.outHW - 1) / p.outHW, p.outH, 1}
	}
	tiles := min(p.outH, (p.outHW+outputs-1)/outputs)
	rows := (p.outH + tiles - 1) / tiles
	return convTiling{1, rows, (p.outH + rows - 1) / rows}
}

// tiles returns the number of tiles in n examples.
func (c convTiling) tiles(n int) int { return (n + c.examples - 1) / c.examples * c.perExample }

// balanced returns the tiling of n examples that gives each core as many tiles. It
// makes tiles smaller, never larger.
func (c convTiling) balanced(n int) convTiling {
	cores := runtime.GOMAXPROCS(0)
	if groups := (n + c.examples - 1) / c.examples; groups%cores != 0 {
		groups = min(n, groups+cores-groups%cores)
		c.examples = (n + groups - 1) / groups
	}
	return c
}

// tile returns tile i of n examples of height h.
func (c convTiling) tile(i, n, h int) convTile {
	e, r := i/c.perExample*c.examples, i%c.perExample*c.rows
	return convTile{e, min(e+c.examples, n), r, min(r+c.rows, h)}
}

const (
	// convOutputs is the number of columns aimed at: enough to spread the cost of
	// packing W over, few enough that a tile stays in the second-level cache.
	convOutputs = 256
	// convGradOutputs is that for the gradient of a weight of more than
	// convPartial entries, which each tile goes over.
	convGradOutputs = 1024
	convPartial     = 1 << 17
	// convSlots is the number of partial sums of the gradient of a smaller weight.
	convSlots = 8
)

func newConvColumns[T Float](p convPlan) *convColumns[T] {
	k := &convColumns[T]{convPlan: p, spares: sharedTiles[T](), tiling: newConvTiling(p, convOutputs)}
	k.gradTiling = k.tiling
	if k.byTile = len(p.op.Weight.Data) > convPartial; k.byTile {
		k.gradTiling = newConvTiling(p, convGradOutputs)
	}
	k.pairs = p.kW == 2 && p.strideW == 2 && p.dilW == 1 && p.kH <= p.strideH && p.dilH == 1 && p.op.Pad == [4]int{}
	k.points = p.kH == 1 && p.kW == 1 && p.strideH == 1 && p.strideW == 1 && p.op.Pad == [4]int{}
	k.deep = simd.Block(p.depth) < p.depth
	k.layOut(max(k.tiling.rows, k.gradTiling.rows))
	return k
}

// outputs returns the number of columns of a tile.
func (k *convColumns[T]) outputs(t convTile) int { return t.examples() * t.rows() * k.outW }

// borrowTile borrows a buffer of that many rows of a tile's columns.
func (k *convColumns[T]) borrowTile(rows int, c convTiling) []T {
	return k.borrow(rows * c.examples * c.rows * k.outW)
}

func (k *convColumns[T]) apply(y, x []T, w *Param, b []T, n int, end ending[T]) {
	k.y, k.x, k.w, k.b, k.n, k.end = y, x, values[T](w), b, n, end
	k.current = k.tiling.balanced(n)
	simd.Parallel(k.current.tiles(n), 1, k.applyRange)
}

func (k *convColumns[T]) applyRange(lo, hi int) {
	slides := k.tiling.examples == 1 && !k.pairs
	in, width := k.tiling.examples*k.tiling.rows*k.outW*k.depth, k.outW
	if slides {
		in, width = k.planesSize(k.inG), k.planes.outW
	}
	col, out := k.borrow(in), k.borrow(k.outG*k.tiling.examples*k.tiling.rows*width)
	defer k.giveBack(col, out)
	for i := lo; i < hi; i++ {
		t := k.current.tile(i, k.n, k.outH)
		for g := range k.groups {
			y, ld, cols := out, t.examples()*t.rows()*width, t.examples()*t.rows()*width
			if k.points && t.examples() == 1 {
				y, ld = k.y[k.planeAt(t, g, 0):], k.outHW
			}
			var beta T
			if k.b != nil && k.deep {
				k.fillBias(y, ld, cols, g)
				beta = 1
			}
			switch w := k.w[g*k.outG*k.depth:]; {
			case k.points && t.examples() == 1:
				simd.Gemm(false, false, k.outG, cols, k.depth, 1, w, k.depth, k.x[k.pointAt(t, g):], k.inHW, beta, y, ld)
			case slides:
				k.spread(col, t, t.e0, g, 0, k.inG)
				simd.GemmRows(k.outG, cols, w, k.depth, col, k.at, beta, y, ld)
			default:
				k.unfold(col, t, g, 0, k.inG)
				simd.Gemm(false, false, k.outG, cols, k.depth, 1, w, k.depth, col, cols, beta, y, ld)
			}
			k.finish(t, g, y, ld, width)
		}
	}
}

// pointAt returns where the tile begins in the first input channel of group g of its
// first example, where the columns are the planes.
func (k *convColumns[T]) pointAt(t convTile, g int) int {
	return (t.e0*k.groups+g)*k.inG*k.inHW + t.r0*k.inW
}

// planeAt returns where the tile begins in the output of channel o of group g of
// its first example.
func (k *convColumns[T]) planeAt(t convTile, g, o int) int {
	return ((t.e0*k.groups+g)*k.outG+o)*k.outHW + t.r0*k.outW
}

// fillBias sets the outputs of a tile, rows of y ld apart, to the bias, to which the product adds
// its blocks in order.
func (k *convColumns[T]) fillBias(y []T, ld, cols, g int) {
	for o := range k.outG {
		fill(y[o*ld:][:cols], k.b[g*k.outG+o])
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

// finish adds the bias to the tile's sums of group g, applies what follows the convolution, and stores the outputs. Channels of the
// sums are ld apart, and rows width.
func (k *convColumns[T]) finish(t convTile, g int, sums []T, ld, width int) {
	at, once := g*k.outG*k.outHW+t.r0*k.outW, k.outG // channels at once
	rows, n, to, from := k.outG, t.rows()*k.outW, k.outHW, ld
	if width != k.outW {
		once, rows, n, to, from = 1, t.rows(), k.outW, k.outW, width
	}
	for e := t.e0; e < t.e1; e++ {
		for o := 0; o < k.outG; o += once {
			var bias []T
			if k.b != nil && !k.deep {
				bias = k.b[g*k.outG+o:][:once]
			}
			place := at + o*k.outHW
			y, x := k.y[e*k.op.OutChannels*k.outHW+place:], sums[o*ld+(e-t.e0)*t.rows()*width:]
			if bias == nil && k.end.nothing() && &x[0] != &y[0] {
				simd.CopyRows(y, x, rows, n, to, from)
			} else {
				k.end.finish(y, x, e, place, rows, n, to, from, bias)
			}
		}
	}
}

// gather sets out, [outG, examples·outHW], to channels [o0, o1) of the tile of y.
func (k *convColumns[T]) gather(out []T, t convTile, g, o0, o1 int) {
	cols := k.outputs(t)
	for e := t.e0; e < t.e1; e++ {
		for o := o0; o < o1; o++ {
			from := k.y[((e*k.groups+g)*k.outG+o)*k.outHW:][:k.outHW]
			copy(out[o*cols+(e-t.e0)*k.outHW:], from)
		}
	}
}

func (k *convColumns[T]) adjoint(dx, dy []T, w *Param, n int) {
	k.x, k.y, k.w, k.n = dx, dy, values[T](w), n
	k.current = k.tiling.balanced(n)
	simd.Parallel(k.current.tiles(n)/k.current.perExample, 1, k.adjointRange)
}

// adjointRange folds the tiles of the groups [lo, hi) of examples: tiles of one
// example overlap in dx.
func (k *convColumns[T]) adjointRange(lo, hi int) {
	col, out := k.borrowTile(k.depth, k.tiling), k.borrowTile(k.outG, k.tiling)
	defer k.giveBack(col, out)
	inSize := k.op.InChannels * k.inHW
	if !k.points || k.current.examples > 1 {
		clear(k.x[lo*k.current.examples*inSize : min(hi*k.current.examples, k.n)*inSize])
	}
	for i := lo * k.current.perExample; i < hi*k.current.perExample; i++ {
		t := k.current.tile(i, k.n, k.outH)
		cols := k.outputs(t)
		for g := range k.groups {
			dy, ld := out, cols
			if t.examples() > 1 {
				k.gather(out, t, g, 0, k.outG)
			} else {
				dy, ld = k.y[k.planeAt(t, g, 0):], k.outHW
			}
			w := k.w[g*k.outG*k.depth:]
			if k.points && k.current.examples == 1 {
				simd.Gemm(true, false, k.depth, cols, k.outG, 1, w, k.depth, dy, ld, 0, k.x[k.pointAt(t, g):], k.inHW)
				continue
			}
			simd.Gemm(true, false, k.depth, cols, k.outG, 1, w, k.depth, dy, ld, 0, col, cols)
			k.fold(col, t, g)
		}
	}
}
