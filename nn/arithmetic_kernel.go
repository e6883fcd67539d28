package nn

import (
	"math"
	"slices"

	"tattle/internal/simd"
)

// loops are what an operator of two numbers does over a run of entries. dst may be one
// of the operands.
type loops[T Float] struct {
	value func(dst, a, b []T)

	// left sets dst = d·∂y/∂a and right dst = d·∂y/∂b.
	left, right func(dst, d, a, b, y []T)

	// shift is value(a+da, b+db) − value(a, b) without cancellation.
	shift func(dst, da, db, a, b, y []T)

	// bound is the error of y where a and b are off by at most ea and eb, with its own
	// rounding, but for what underflow does.
	bound func(a, ea, b, eb, y float64) float64

	// The same as value, and as left, where b is one number, c; nil where repeating it
	// serves.
	valueBy func(dst, a []T, c T)
	leftBy  func(dst, d, a []T, c T)
	commute bool // value(a, b) is value(b, a)

	truth bool // the values are 0 and 1, and the bounds are too
}

// pairwise is the kernel of the operators of two numbers. All but the constant comes
// in rows, one for each example or for each of its vectors.
type pairwise[T Float] struct {
	loops[T]
	*layout
	constant *Param
	input    [2]int // which input the operand is; −1 for the constant
	spares   spares[T]
	wide     spares[float64]

	// The operands of the product in progress.
	f                            *frame[T]
	x, d                         [2]operand[T]
	dst, dy                      []T
	k, side                      int
	forth, tangent, change, back func(lo, hi int)
	sums                         func(lo, hi int)
	each                         []T // of each example: the constant's gradient
}

func newPairwise[T Float](l loops[T], in [][]int, constant *Param, first bool) *pairwise[T] {
	shapes, err := pairShapes(in, constant, first)
	if err != nil {
		panic("nn: " + err.Error())
	}
	k := &pairwise[T]{loops: l, layout: newLayout(shapes...), constant: constant, input: [2]int{0, 1}}
	switch {
	case constant != nil && first:
		k.input = [2]int{-1, 0}
	case constant != nil:
		k.input = [2]int{0, -1}
	}
	if l.commute && k.single[0] && !k.single[1] { // the fast paths are of a single b
		shapes[0], shapes[1] = shapes[1], shapes[0]
		k.layout, k.input = newLayout(shapes...), [2]int{k.input[1], k.input[0]}
	}
	k.forth, k.tangent, k.change, k.back, k.sums = k.values, k.tangents, k.changes, k.cotangents, k.sumRows
	return k
}

// take keeps what the runs of a product need.
func (k *pairwise[T]) take(f *frame[T], dx [][]T, n int) {
	k.f, k.k = f, n
	for i, in := range k.input {
		if in < 0 {
			k.x[i], k.d[i] = operand[T]{values: values[T](k.constant)}, operand[T]{}
			continue
		}
		k.x[i] = operand[T]{f.x[in], k.sizes[i]}
		if dx != nil {
			k.d[i] = operand[T]{dx[in], k.sizes[i]}
		}
	}
}

func (k *pairwise[T]) forward(f *frame[T]) {
	k.take(f, nil, 1)
	simd.Parallel(f.batch*len(k.runs), k.grain(), k.forth)
}

func (k *pairwise[T]) jvp(f *frame[T], dy []T, dx [][]T, n int) {
	k.take(f, dx, n)
	k.dst = dy
	simd.Parallel(f.batch*n*len(k.runs), k.grain(), k.tangent)
}

func (k *pairwise[T]) shift(f *frame[T], dy []T, dx [][]T, n int) {
	k.take(f, dx, n)
	k.dst = dy
	simd.Parallel(f.batch*n*len(k.runs), k.grain(), k.change)
}

func (k *pairwise[T]) vjp(f *frame[T], dx [][]T, dy []T, n int) {
	k.take(f, nil, n)
	k.dy = dy
	for i, in := range k.input {
		if in < 0 || dx[in] == nil {
			continue
		}
		k.dst, k.side = dx[in], i
		if k.bijective(i) {
			simd.Parallel(f.batch*n*len(k.runs), k.grain(), k.back)
		} else {
			simd.Parallel(f.batch*n, 1+grain/max(1, k.out), k.sums)
		}
	}
}

// place returns the row, its example and the run of piece q.
func (k *pairwise[T]) place(q int) (row, example int, r *stretch) {
	row = q / len(k.runs)
	return row, row / k.k, &k.runs[q%len(k.runs)]
}

func (k *pairwise[T]) values(lo, hi int) {
	buffer := k.spares.borrow(2 * longestRun)
	for q := lo; q < hi; q++ {
		_, e, r := k.place(q)
		y := k.f.y[e*k.out+r.out:][:r.n]
		if k.valueBy != nil && k.single[1] {
			k.valueBy(y, k.x[0].of(k.layout, 0, e, r, buffer), k.x[1].first(1, e, r))
			continue
		}
		a, b := k.operands(e, r, buffer)
		k.value(y, a, b)
	}
	k.spares.giveBack(buffer)
}

// operands returns the two operands of a run, repeated in buffer where they are single.
func (k *pairwise[T]) operands(example int, r *stretch, buffer []T) (a, b []T) {
	return k.x[0].of(k.layout, 0, example, r, buffer), k.x[1].of(k.layout, 1, example, r, buffer[longestRun:])
}

func (k *pairwise[T]) tangents(lo, hi int) {
	buffer := k.spares.borrow(4 * longestRun)
	for q := lo; q < hi; q++ {
		row, e, r := k.place(q)
		y, dst := k.f.y[e*k.out+r.out:][:r.n], k.dst[row*k.out+r.out:][:r.n]
		da, db := k.moves(row, r, buffer[2*longestRun:])
		if db == nil && k.leftBy != nil && k.single[1] {
			a := k.x[0].of(k.layout, 0, e, r, buffer)
			k.leftBy(dst, da, a, k.x[1].first(1, e, r))
			continue
		}
		a, b := k.operands(e, r, buffer)
		switch {
		case db == nil:
			k.left(dst, da, a, b, y)
		case da == nil:
			k.right(dst, db, a, b, y)
		default:
			more := buffer[3*longestRun:][:r.n] // where db is, if it is single
			k.right(more, db, a, b, y)
			k.left(dst, da, a, b, y)
			simd.Add(dst, dst, more)
		}
	}
	k.spares.giveBack(buffer)
}

// moves returns the changes of the two operands in a run, nil for the constant's.
func (k *pairwise[T]) moves(row int, r *stretch, buffer []T) (da, db []T) {
	if k.input[0] >= 0 {
		da = k.d[0].of(k.layout, 0, row, r, buffer)
	}
	if k.input[1] >= 0 {
		db = k.d[1].of(k.layout, 1, row, r, buffer[longestRun:])
	}
	return da, db
}

func (k *pairwise[T]) changes(lo, hi int) {
	buffer := k.spares.borrow(4 * longestRun)
	for q := lo; q < hi; q++ {
		row, e, r := k.place(q)
		a, b := k.operands(e, r, buffer)
		da, db := k.moves(row, r, buffer[2*longestRun:])
		if da == nil {
			da = cleared(buffer[2*longestRun:][:r.n])
		}
		if db == nil {
			db = cleared(buffer[3*longestRun:][:r.n])
		}
		k.loops.shift(k.dst[row*k.out+r.out:][:r.n], da, db, a, b, k.f.y[e*k.out+r.out:][:r.n])
	}
	k.spares.giveBack(buffer)
}

func cleared[T Float](x []T) []T {
	clear(x)
	return x
}

// cotangents overwrites the cotangent of an operand that has each entry once.
func (k *pairwise[T]) cotangents(lo, hi int) {
	buffer := k.spares.borrow(2 * longestRun)
	for q := lo; q < hi; q++ {
		row, e, r := k.place(q)
		k.partial(k.dst[row*k.out+r.at[k.side]:][:r.n], row, e, r, buffer)
	}
	k.spares.giveBack(buffer)
}

// partial sets dst to the cotangent of the output over a run, times the derivative.
func (k *pairwise[T]) partial(dst []T, row, example int, r *stretch, buffer []T) {
	d, y := k.dy[row*k.out+r.out:][:r.n], k.f.y[example*k.out+r.out:][:r.n]
	if k.side == 0 && k.leftBy != nil && k.single[1] {
		a := k.x[0].of(k.layout, 0, example, r, buffer)
		k.leftBy(dst, d, a, k.x[1].first(1, example, r))
		return
	}
	a, b := k.operands(example, r, buffer)
	if k.side == 0 {
		k.left(dst, d, a, b, y)
	} else {
		k.right(dst, d, a, b, y)
	}
}

// sumRows overwrites the cotangents of an operand that is repeated: sums in float64,
// in the order of the runs.
func (k *pairwise[T]) sumRows(lo, hi int) {
	size := k.sizes[k.side]
	buffer, sums := k.spares.borrow(3*longestRun), k.wide.borrow(size+longestRun)
	terms := sums[size:]
	for row := lo; row < hi; row++ {
		clear(sums[:size])
		for i := range k.runs {
			r := &k.runs[i]
			part := buffer[2*longestRun:][:r.n]
			k.partial(part, row, row/k.k, r, buffer)
			for j, v := range part {
				terms[j] = float64(v)
			}
			k.gather(sums[:size], k.side, r, terms[:r.n])
		}
		for j, v := range sums[:size] {
			k.dst[row*size+j] = T(v)
		}
	}
	k.wide.giveBack(sums)
	k.spares.giveBack(buffer)
}

// grad adds the constant's gradient, example by example, where it is learned: a slope.
func (k *pairwise[T]) grad(f *frame[float32], dy []float32) {
	k.take(any(f).(*frame[T]), nil, 1)
	k.side = slices.Index(k.input[:], -1)
	size := k.sizes[k.side]
	k.each = sized(k.each, f.batch*size)
	k.dst, k.dy = k.each, any(dy).([]T)
	simd.Parallel(f.batch, 1+grain/max(1, k.out), k.sums)
	each, sum := any(k.each).([]float32), k.constant.Grad
	for e := range f.batch {
		simd.Add(sum, sum, each[e*size:][:size])
	}
}

func (k *pairwise[T]) handsOn() {}

func (k *pairwise[T]) roundoff(f *frame[float64], ey []float64, ex [][]float64) {
	var x, e [2]operand[float64]
	none := cleared(k.wide.borrow(max(k.sizes[0], k.sizes[1])))
	buffer := k.wide.borrow(4 * longestRun)
	for i, in := range k.input {
		if in < 0 {
			x[i] = operand[float64]{values: values[float64](k.constant)}
			e[i] = operand[float64]{values: none}
			continue
		}
		x[i], e[i] = operand[float64]{f.x[in], k.sizes[i]}, operand[float64]{ex[in], k.sizes[i]}
	}
	for b := range f.batch {
		for i := range k.runs {
			r := &k.runs[i]
			k.boundRun(ey[b*k.out+r.out:][:r.n], f.y[b*k.out+r.out:][:r.n], x, e, b, r, buffer)
		}
	}
	k.wide.giveBack(none, buffer)
}

// boundRun bounds the entries of a run; the bounds of the operators themselves are
// lifted by their own rounding.
func (k *pairwise[T]) boundRun(ey, y []float64, x, e [2]operand[float64], example int, r *stretch, buffer []float64) {
	part := func(o operand[float64], i, j int) []float64 {
		return o.of(k.layout, i, example, r, buffer[j*longestRun:])
	}
	a, b, ea, eb := part(x[0], 0, 0), part(x[1], 1, 1), part(e[0], 0, 2), part(e[1], 1, 3)
	up := roundUp(12)
	for j := range ey {
		ey[j] = k.bound(a[j], ea[j], b[j], eb[j], y[j])
		if !k.truth {
			ey[j] = up*ey[j] + underflow
		}
		overflows := math.IsInf(y[j], 0) && !math.IsInf(a[j], 0) && !math.IsInf(b[j], 0)
		if math.IsNaN(ey[j]) || overflows {
			ey[j] = math.Inf(1)
		}
	}
}
