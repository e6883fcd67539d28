package nn

import (
	"fmt"
	"math"

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

// broadcastFunc is what an operator of several numbers does over a run of entries: x are
// those of each operand.
type broadcastFunc[T Float] struct {
	value func(dst []T, x [maxOperands][]T)
	// partial sets dst to d times the derivative with respect to operand side.
	partial func(dst, d []T, x [maxOperands][]T, y []T, side int)
	// bound is the error of y, with the operator's own rounding, where each x is off by at most its e. What underflow does is left out.
	bound func(x, e [maxOperands]float64, y float64) float64
	exact bool // nothing is rounded: a bound needs no lift
}

// broadcast is the kernel of operators that broadcast. All but the constants comes in rows, one for
// each example or for each of its vectors.
type broadcast[T Float] struct {
	*layout
	op        broadcastFunc[T]
	constants []*Param // nil for an input
	input     []int    // which input the operand is; −1 for a constant
	spares    spares[T]
	wide      spares[float64]

	// The operands of the product in progress, and their changes.
	f       *frame[T]
	x, d    [maxOperands]operand[T]
	dst, dy []T
	k, side int
}

// newBroadcast lays the operands out: the constants and, for those that are nil, the inputs.
func newBroadcast[T Float](op broadcastFunc[T], in [][]int, constants []*Param) *broadcast[T] {
	k := &broadcast[T]{op: op, layout: newLayout(mustFit(operandShapes(in, constants))...), constants: constants}
	next := 0
	for _, p := range constants {
		if p != nil {
			k.input = append(k.input, -1)
			continue
		}
		k.input = append(k.input, next)
		next++
	}
	return k
}

// take keeps what the runs of a product need.
func (k *broadcast[T]) take(f *frame[T], dx [][]T, n int) {
	k.f, k.k = f, n
	for i, in := range k.input {
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

// place returns the row, its example and the run of piece q.
func (k *broadcast[T]) place(q int) (row, example int, r *stretch) {
	row = q / len(k.runs)
	return row, row / k.k, &k.runs[q%len(k.runs)]
}

// entries returns each operand's entries of a run.
func (k *broadcast[T]) entries(example int, r *stretch, buffer []T) (x [maxOperands][]T) {
	for i := range k.input {
		x[i] = k.x[i].of(k.layout, i, example, r, buffer[i*longestRun:])
	}
	return x
}

func (k *broadcast[T]) forward(f *frame[T]) {
	k.take(f, nil, 1)
	k.share(f.batch, k.valueRuns)
}

func (k *broadcast[T]) valueRuns(lo, hi int) {
	buffer := k.spares.borrow(maxOperands * longestRun)
	for q := lo; q < hi; q++ {
		_, e, r := k.place(q)
		k.op.value(k.f.y[e*k.out+r.out:][:r.n], k.entries(e, r, buffer))
	}
	k.spares.giveBack(buffer)
}

func (k *broadcast[T]) jvp(f *frame[T], dy []T, dx [][]T, n int) {
	if len(dx) == 0 { // constants alone
		clear(dy)
		return
	}
	k.take(f, dx, n)
	k.dst = dy
	k.share(f.batch*n, k.tangents)
}

// tangents adds the partial products with the changes of the inputs.
func (k *broadcast[T]) tangents(lo, hi int) {
	buffer := k.spares.borrow((maxOperands + 2) * longestRun)
	change, part := buffer[maxOperands*longestRun:], buffer[(maxOperands+1)*longestRun:]
	for q := lo; q < hi; q++ {
		row, e, r := k.place(q)
		x, y, dst := k.entries(e, r, buffer), k.f.y[e*k.out+r.out:][:r.n], k.dst[row*k.out+r.out:][:r.n]
		for i, in := range k.input {
			switch {
			case in < 0:
			case in == 0:
				k.op.partial(dst, k.d[i].of(k.layout, i, row, r, change), x, y, i)
			default:
				k.op.partial(part[:r.n], k.d[i].of(k.layout, i, row, r, change), x, y, i)
				simd.Add(dst, dst, part[:r.n])
			}
		}
	}
	k.spares.giveBack(buffer)
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

// pull sets dst to the cotangent of the output over a run, times the derivative.
func (k *broadcast[T]) pull(dst []T, row int, r *stretch, buffer []T) {
	e := row / k.k
	k.op.partial(dst, k.dy[row*k.out+r.out:][:r.n], k.entries(e, r, buffer), k.f.y[e*k.out+r.out:][:r.n], k.side)
}

// cotangents overwrites the cotangent of an operand that has each entry once.
func (k *broadcast[T]) cotangents(lo, hi int) {
	buffer := k.spares.borrow(maxOperands * longestRun)
	for q := lo; q < hi; q++ {
		row, _, r := k.place(q)
		k.pull(k.dst[row*k.out+r.at[k.side]:][:r.n], row, r, buffer)
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
			k.pull(part, row, r, buffer)
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

// roundoff lifts the bounds of an operator by their own rounding. A result is +Inf off where it is infinite and no
// operand is.
func (k *broadcast[T]) roundoff(f *frame[float64], ey []float64, ex [][]float64) {
	w := any(k).(*broadcast[float64])
	w.take(f, ex, 1)
	buffer := w.wide.borrow(2 * maxOperands * longestRun)
	for q := range f.batch * len(w.runs) {
		row, _, r := w.place(q)
		var off [maxOperands][]float64 // nil for a constant
		for i, in := range w.input {
			if in >= 0 {
				off[i] = w.d[i].of(w.layout, i, row, r, buffer[(maxOperands+i)*longestRun:])
			}
		}
		at := row*w.out + r.out
		w.boundRun(ey[at:][:r.n], f.y[at:][:r.n], w.entries(row, r, buffer), off)
	}
	w.wide.giveBack(buffer)
}

func (k *broadcast[T]) boundRun(ey, y []float64, x, e [maxOperands][]float64) {
	up := roundUp(12)
	for j := range ey {
		var at, off [maxOperands]float64
		overflows := math.IsInf(y[j], 0)
		for i, in := range k.input {
			if at[i] = x[i][j]; in >= 0 {
				off[i] = e[i][j]
			}
			overflows = overflows && !math.IsInf(at[i], 0)
		}
		ey[j] = k.op.bound(at, off, y[j])
		if !k.op.exact {
			ey[j] = up*ey[j] + underflow
		}
		if math.IsNaN(ey[j]) || overflows {
			ey[j] = math.Inf(1)
		}
	}
}
