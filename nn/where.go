package nn

import (
	"fmt"
	"math"

	"tattle/internal/simd"
)

// Where takes each entry from one of two tensors: from the first where the condition
// is not 0, else from the second, after broadcasting the three to one another (ONNX
// Where-16). They are inputs in that order, but for those that are constants here,
// which are not learned. The derivative with respect to the condition is 0.
type Where struct{ Condition, Then, Else *Param }

// Kind returns "Where".
func (*Where) Kind() string { return "Where" }

// Params returns nil.
func (*Where) Params() []*Param { return nil }

func (o *Where) constants() [3]*Param { return [3]*Param{o.Condition, o.Then, o.Else} }

// Shape returns the shape that the three broadcast to. It errs where they do not.
func (o *Where) Shape(inputs ...[]int) ([]int, error) {
	shapes, err := o.shapes(inputs)
	if err != nil {
		return nil, err
	}
	return broadcastShape(shapes...)
}

func (o *Where) shapes(inputs [][]int) ([][]int, error) {
	shapes, next := make([][]int, 3), 0
	for i, p := range o.constants() {
		switch {
		case p != nil:
			if err := p.check("constant", p.Shape...); err != nil {
				return nil, err
			}
			shapes[i] = p.Shape
		case next == len(inputs):
			return nil, fmt.Errorf("has %d inputs, too few beside its constants", len(inputs))
		default:
			shapes[i] = inputs[next]
			next++
		}
	}
	if next != len(inputs) {
		return nil, fmt.Errorf("has %d inputs, takes %d beside its constants", len(inputs), next)
	}
	return shapes, nil
}

func (o *Where) kernel32(in ...[]int) kernel[float32] { return newWhere[float32](o, in) }
func (o *Where) kernel64(in ...[]int) kernel[float64] { return newWhere[float64](o, in) }

// selection is the kernel of Where.
type selection[T Float] struct {
	*layout
	constants [3]*Param
	input     [3]int // which input the operand is; −1 for a constant
	spares    spares[T]
	wide      spares[float64]

	// The operands of the product in progress, and their changes.
	x, d                   [3]operand[T]
	dst, dy                []T
	k, side                int
	forth, tangent, change func(lo, hi int)
	sums                   func(lo, hi int)
}

func newWhere[T Float](o *Where, in [][]int) *selection[T] {
	shapes, err := o.shapes(in)
	if err != nil {
		panic("nn: " + err.Error())
	}
	k := &selection[T]{layout: newLayout(shapes...), constants: o.constants()}
	next := 0
	for i, p := range k.constants {
		k.input[i] = -1
		if p == nil {
			k.input[i] = next
			next++
		}
	}
	k.forth, k.tangent, k.change, k.sums = k.choose, k.tangents, k.changes, k.sumRows
	return k
}

// take keeps what the runs of a product need.
func (k *selection[T]) take(f *frame[T], dx [][]T, n int) {
	k.k = n
	for i, in := range k.input {
		k.d[i] = operand[T]{}
		if in < 0 {
			k.x[i] = operand[T]{values: values[T](k.constants[i])}
			continue
		}
		k.x[i] = operand[T]{f.x[in], k.sizes[i]}
		if dx != nil {
			k.d[i] = operand[T]{dx[in], k.sizes[i]}
		}
	}
}

func (k *selection[T]) forward(f *frame[T]) {
	k.take(f, nil, 1)
	k.dst = f.y
	simd.Parallel(f.batch*len(k.runs), k.grain(), k.forth)
}

func (k *selection[T]) jvp(f *frame[T], dy []T, dx [][]T, n int) {
	k.take(f, dx, n)
	k.dst = dy
	simd.Parallel(f.batch*n*len(k.runs), k.grain(), k.tangent)
}

func (k *selection[T]) shift(f *frame[T], dy []T, dx [][]T, n int) {
	k.take(f, dx, n)
	k.dst = dy
	simd.Parallel(f.batch*n*len(k.runs), k.grain(), k.change)
}

func (k *selection[T]) vjp(f *frame[T], dx [][]T, dy []T, n int) {
	k.take(f, nil, n)
	k.dy = dy
	for i, in := range k.input {
		if in < 0 || dx[in] == nil {
			continue
		}
		if i == 0 {
			clear(dx[in])
			continue
		}
		k.dst, k.side = dx[in], i
		simd.Parallel(f.batch*n, 1+grain/max(1, k.out), k.sums)
	}
}

// part returns an operand of a run, repeated in its part of the buffer where it is
// single. Constants do not change: their d has no values, and gives zeros.
func (k *selection[T]) part(o operand[T], i, row int, r *stretch, buffer []T) []T {
	buffer = buffer[i*longestRun:]
	if o.values == nil {
		return cleared(buffer[:r.n])
	}
	return o.of(k.layout, i, row, r, buffer)
}

func (k *selection[T]) choose(lo, hi int) {
	buffer := k.spares.borrow(3 * longestRun)
	for q := lo; q < hi; q++ {
		row, r := q/len(k.runs), &k.runs[q%len(k.runs)]
		c, a, b := k.part(k.x[0], 0, row, r, buffer), k.part(k.x[1], 1, row, r, buffer), k.part(k.x[2], 2, row, r, buffer)
		pick(k.dst[row*k.out+r.out:][:r.n], c, a, b)
	}
	k.spares.giveBack(buffer)
}

func pick[T Float](dst, c, a, b []T) {
	for i, v := range c {
		if v != 0 {
			dst[i] = a[i]
		} else {
			dst[i] = b[i]
		}
	}
}

func (k *selection[T]) tangents(lo, hi int) {
	buffer := k.spares.borrow(3 * longestRun)
	for q := lo; q < hi; q++ {
		row, r := q/len(k.runs), &k.runs[q%len(k.runs)]
		c := k.part(k.x[0], 0, row/k.k, r, buffer)
		da, db := k.part(k.d[1], 1, row, r, buffer), k.part(k.d[2], 2, row, r, buffer)
		pick(k.dst[row*k.out+r.out:][:r.n], c, da, db)
	}
	k.spares.giveBack(buffer)
}

// changes: where the condition stays the change is that of the tensor chosen; where it
// does not, it is the difference of the two and the other's change.
func (k *selection[T]) changes(lo, hi int) {
	buffer := k.spares.borrow(6 * longestRun)
	more := buffer[3*longestRun:]
	for q := lo; q < hi; q++ {
		row, r := q/len(k.runs), &k.runs[q%len(k.runs)]
		e := row / k.k
		c, a, b := k.part(k.x[0], 0, e, r, buffer), k.part(k.x[1], 1, e, r, buffer), k.part(k.x[2], 2, e, r, buffer)
		dc, da, db := k.part(k.d[0], 0, row, r, more), k.part(k.d[1], 1, row, r, more), k.part(k.d[2], 2, row, r, more)
		dst := k.dst[row*k.out+r.out:][:r.n]
		for i, v := range c {
			switch before, after := v != 0, v+dc[i] != 0; {
			case before && after:
				dst[i] = da[i]
			case after:
				dst[i] = a[i] - b[i] + da[i]
			case before:
				dst[i] = b[i] - a[i] + db[i]
			default:
				dst[i] = db[i]
			}
		}
	}
	k.spares.giveBack(buffer)
}

// sumRows overwrites the cotangents of one of the two tensors: sums in float64, in the
// order of the runs.
func (k *selection[T]) sumRows(lo, hi int) {
	size := k.sizes[k.side]
	buffer, sums := k.spares.borrow(longestRun), k.wide.borrow(size+longestRun)
	terms := sums[size:]
	for row := lo; row < hi; row++ {
		clear(sums[:size])
		for i := range k.runs {
			r := &k.runs[i]
			c, d := k.part(k.x[0], 0, row/k.k, r, buffer), k.dy[row*k.out+r.out:][:r.n]
			for j, v := range c {
				terms[j] = 0
				if (v != 0) == (k.side == 1) {
					terms[j] = float64(d[j])
				}
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

func (k *selection[T]) handsOn() {}

// roundoff: the error of the tensor chosen or, where the condition may be 0 or not,
// that of the other, which lies |a − b| away, if it is larger.
func (k *selection[T]) roundoff(f *frame[float64], ey []float64, ex [][]float64) {
	var x, e [3]operand[float64]
	none := cleared(k.wide.borrow(max(k.sizes[0], k.sizes[1], k.sizes[2])))
	buffer := k.wide.borrow(6 * longestRun)
	for i, in := range k.input {
		if in < 0 {
			x[i] = operand[float64]{values: values[float64](k.constants[i])}
			e[i] = operand[float64]{values: none}
			continue
		}
		x[i], e[i] = operand[float64]{f.x[in], k.sizes[i]}, operand[float64]{ex[in], k.sizes[i]}
	}
	for row := range f.batch {
		for i := range k.runs {
			r := &k.runs[i]
			part := func(o operand[float64], i, j int) []float64 {
				return o.of(k.layout, i, row, r, buffer[j*longestRun:])
			}
			to := ey[row*k.out+r.out:][:r.n]
			c, a, b := part(x[0], 0, 0), part(x[1], 1, 1), part(x[2], 2, 2)
			ec, ea, eb := part(e[0], 0, 3), part(e[1], 1, 4), part(e[2], 2, 5)
			for j := range to {
				to[j] = whereBound(c[j], ec[j], a[j], ea[j], b[j], eb[j])
			}
		}
	}
	k.wide.giveBack(none, buffer)
}

func whereBound(c, ec, a, ea, b, eb float64) float64 {
	mine, other := ea, eb
	if c == 0 {
		mine, other = eb, ea
	}
	if ec == 0 || math.Abs(c) > ec {
		return mine
	}
	return max(mine, roundUp(3)*(math.Abs(a-b)+other))
}
