package nn

import (
	"fmt"
	"slices"

	"tattle/internal/math/simd"
)

// operandShapes returns the shapes of the operands: those of the constants and, where
// a constant is nil, of the next input.
func operandShapes(inputs [][]int, constants []*Param) ([][]int, error) {
	shapes, next := make([][]int, len(constants)), 0
	for i, p := range constants {
		switch {
		case p != nil:
			if err := p.check("constant", p.Shape...); err != nil {
				return nil, err
			}
			shapes[i] = p.Shape
			continue
		case next < len(inputs):
			shapes[i] = inputs[next]
		}
		next++
	}
	if next != len(inputs) {
		return nil, fmt.Errorf("has %d inputs, want %d", len(inputs), next)
	}
	return shapes, nil
}

// operand is a tensor that is broadcast: values an example, or the same for all.
type operand[T Float] struct {
	values []T
	stride int // from one row to the next; 0 if all have the same
}

// of returns the operand's entries of that run in that row: its own, or one repeated
// in the buffer.
func (o operand[T]) of(l *layout, i, row int, r *stretch, buffer []T) []T {
	at := row*o.stride + r.at[i]
	if !l.single[i] {
		return o.values[at : at+r.n]
	}
	fill(buffer[:r.n], o.values[at])
	return buffer[:r.n]
}

// first returns the operand's first entry of that run in that row.
func (o operand[T]) first(i, row int, r *stretch) T { return o.values[row*o.stride+r.at[i]] }

// broadcast is what the kernels of operators that broadcast share: which entries of
// the operands meet, and sums of cotangents over repeated entries. All but the
// constants comes in rows, one for each example or for each of its vectors.
type broadcast[T Float] struct {
	*layout
	constants []*Param // nil for an input
	input     []int    // which input the operand is; −1 for a constant
	spares    spares[T]
	wide      spares[float64]

	// partial sets dst to ∂y/∂x·dy over a run, x being the operand side.
	partial func(dst []T, row, example int, r *stretch, buffer []T)

	// The operands of the product in progress, and their changes.
	f       *frame[T]
	x, d    [maxOperands]operand[T]
	dst, dy []T
	k, side int

	values64, bounds64 [maxOperands][]float64 // of the run that eachRun is at
}

// init lays the operands out: the constants and, for those that are nil, the inputs.
func (k *broadcast[T]) init(in [][]int, constants []*Param) {
	shapes := mustFit(operandShapes(in, constants))
	k.layout, k.constants = newLayout(shapes...), constants
	next := 0
	for _, p := range constants {
		if p != nil {
			k.input = append(k.input, -1)
			continue
		}
		k.input = append(k.input, next)
		next++
	}
}

// take keeps what the runs of a product need. Constants do not change: their d has no
// values.
func (k *broadcast[T]) take(f *frame[T], dx [][]T, n int) {
	k.f, k.k = f, n
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

// share has the cores compute the pieces, each a run of one of the rows.
func (k *broadcast[T]) share(rows int, body func(lo, hi int)) {
	simd.Parallel(rows*len(k.runs), k.grain(), body)
}

// run has the cores compute dst, n rows of each example, from the inputs and their changes.
func (k *broadcast[T]) run(f *frame[T], dst []T, dx [][]T, n int, body func(lo, hi int)) {
	k.take(f, dx, n)
	k.dst = dst
	k.share(f.batch*n, body)
}

// place returns the row, its example and the run of piece q.
func (k *broadcast[T]) place(q int) (row, example int, r *stretch) {
	row = q / len(k.runs)
	return row, row / k.k, &k.runs[q%len(k.runs)]
}

// value returns operand i's entries of a run, repeated in its part of the buffer where
// it is a single one.
func (k *broadcast[T]) value(i, example int, r *stretch, buffer []T) []T {
	return k.x[i].of(k.layout, i, example, r, buffer[i*longestRun:])
}

// change is value for the changes, nil for those of a constant.
func (k *broadcast[T]) change(i, row int, r *stretch, buffer []T) []T {
	if k.input[i] < 0 {
		return nil
	}
	return k.d[i].of(k.layout, i, row, r, buffer[i*longestRun:])
}

// changeOrZero is change with zeros for those of a constant.
func (k *broadcast[T]) changeOrZero(i, row int, r *stretch, buffer []T) []T {
	if d := k.change(i, row, r, buffer); d != nil {
		return d
	}
	return cleared(buffer[i*longestRun:][:r.n])
}

func cleared[T Float](x []T) []T {
	clear(x)
	return x
}

func (k *broadcast[T]) vjp(f *frame[T], dx [][]T, dy []T, n int) {
	k.take(f, nil, n)
	k.dy = dy
	for i, in := range k.input {
		if in < 0 || dx[in] == nil {
			continue
		}
		k.dst, k.side = dx[in], i
		if k.bijective(i) {
			k.share(f.batch*n, k.cotangents)
		} else {
			simd.Parallel(f.batch*n, 1+grain/max(1, k.out), k.sumRows)
		}
	}
}

// cotangents overwrites the cotangent of an operand that has each entry once.
func (k *broadcast[T]) cotangents(lo, hi int) {
	buffer := k.spares.borrow(maxOperands * longestRun)
	for q := lo; q < hi; q++ {
		row, e, r := k.place(q)
		k.partial(k.dst[row*k.out+r.at[k.side]:][:r.n], row, e, r, buffer)
	}
	k.spares.giveBack(buffer)
}

// sumRows overwrites the cotangents of an operand that is repeated: sums in float64,
// in the order of the runs.
func (k *broadcast[T]) sumRows(lo, hi int) {
	size := k.sizes[k.side]
	buffer, sums := k.spares.borrow((maxOperands+1)*longestRun), k.wide.borrow(size+longestRun)
	terms := sums[size:]
	for row := lo; row < hi; row++ {
		clear(sums[:size])
		for i := range k.runs {
			r := &k.runs[i]
			part := buffer[maxOperands*longestRun:][:r.n]
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

func (k *broadcast[T]) handsOn() {}

// eachRun calls bound for each run of each example, with the operands in values64 and
// the bounds of their errors in bounds64.
func (k *broadcast[T]) eachRun(f *frame[float64], ey []float64, ex [][]float64, bound func(ey, y []float64)) {
	var x, e [maxOperands]operand[float64]
	none := cleared(k.wide.borrow(slices.Max(k.sizes[:])))
	buffer := k.wide.borrow(2 * maxOperands * longestRun)
	for i, in := range k.input {
		if in < 0 {
			x[i] = operand[float64]{values: values[float64](k.constants[i])}
			e[i] = operand[float64]{values: none}
			continue
		}
		x[i], e[i] = operand[float64]{f.x[in], k.sizes[i]}, operand[float64]{ex[in], k.sizes[i]}
	}
	for row := range f.batch {
		for j := range k.runs {
			r := &k.runs[j]
			for i := range k.input {
				k.values64[i] = x[i].of(k.layout, i, row, r, buffer[2*i*longestRun:])
				k.bounds64[i] = e[i].of(k.layout, i, row, r, buffer[(2*i+1)*longestRun:])
			}
			at := row*k.out + r.out
			bound(ey[at:][:r.n], f.y[at:][:r.n])
		}
	}
	k.wide.giveBack(none, buffer)
}
