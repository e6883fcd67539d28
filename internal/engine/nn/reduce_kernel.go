package nn

import "tattle/internal/math/simd"

// reduction is a function of a vector, in float64. It must not assume that there are
// entries where Reduce takes none.
type reduction struct {
	value func(x []float64) float64
	// tangent returns Σ ∂y/∂x_i·d_i.
	tangent func(x, d []float64) float64
	// pull sets dst_i = u·∂y/∂x_i.
	pull func(dst, x []float64, u float64)
}

// gathered is how many columns a reducer brings together at once.
const gathered = 16

// reducer is the kernel of the reductions that are not linear. It brings the entries
// of gathered outputs together, one after the other, and works on them in float64.
type reducer[T Float] struct {
	*reducePlan
	*reduction
	spares spares[float64]

	values, tangents, pulls func(lo, hi int)

	f         *frame[T]
	out, in   []T
	k, blocks int // vectors of an example, blocks of columns in a row of outputs
}

func newReducer[T Float](p *reducePlan, function *reduction) *reducer[T] {
	k := &reducer[T]{reducePlan: p, reduction: function}
	k.values, k.tangents, k.pulls = k.valueRange, k.tangentRange, k.pullRange
	k.blocks = (p.inner + gathered - 1) / gathered
	return k
}

// run shares the blocks of columns of the examples.
func (k *reducer[T]) run(f *frame[T], out, in []T, n int, part func(lo, hi int)) {
	k.f, k.out, k.in, k.k = f, out, in, n
	work := 1 + n*k.entries()*min(k.inner, gathered)
	simd.Parallel(f.batch*len(k.bases)*k.blocks, 1+grain/4/work, part)
}

func (k *reducer[T]) forward(f *frame[T]) { k.run(f, f.y, f.x[0], 1, k.values) }

func (k *reducer[T]) jvp(f *frame[T], dy []T, dx [][]T, n int) { k.run(f, dy, dx[0], n, k.tangents) }

func (k *reducer[T]) vjp(f *frame[T], dx [][]T, dy []T, n int) {
	if dx[0] != nil {
		k.run(f, dx[0], dy, n, k.pulls)
	}
}

// block returns the example of unit u, its first output, the place of that output's
// first entry and how many columns there are.
func (k *reducer[T]) block(u int) (example, first, at, columns int) {
	perExample := len(k.bases) * k.blocks
	example, u = u/perExample, u%perExample
	row, column := u/k.blocks, u%k.blocks*gathered
	return example, row*k.inner + column, k.bases[row] + column, min(gathered, k.inner-column)
}

// gather sets dst, [columns, entries], from the example's x.
func (k *reducer[T]) gather(dst []float64, x []T, at, columns int) {
	n := k.entries()
	if k.inner == 1 {
		for r, offset := range k.offsets {
			for i, v := range x[at+offset:][:k.length] {
				dst[r*k.length+i] = float64(v)
			}
		}
		return
	}
	for r, offset := range k.offsets {
		for c, v := range x[at+offset:][:columns] {
			dst[c*n+r] = float64(v)
		}
	}
}

// scatter is gather the other way.
func (k *reducer[T]) scatter(x []T, src []float64, at, columns int) {
	n := k.entries()
	if k.inner == 1 {
		for r, offset := range k.offsets {
			to := x[at+offset:][:k.length]
			for i := range to {
				to[i] = T(src[r*k.length+i])
			}
		}
		return
	}
	for r, offset := range k.offsets {
		to := x[at+offset:][:columns]
		for c := range to {
			to[c] = T(src[c*n+r])
		}
	}
}

func (k *reducer[T]) valueRange(lo, hi int) {
	n := k.entries()
	x := k.spares.borrow(n * gathered)
	for u := lo; u < hi; u++ {
		e, first, at, columns := k.block(u)
		k.gather(x, k.in[e*k.size:][:k.size], at, columns)
		for c := range columns {
			k.out[e*k.outputs()+first+c] = T(k.value(x[c*n:][:n]))
		}
	}
	k.spares.giveBack(x)
}

func (k *reducer[T]) tangentRange(lo, hi int) {
	n := k.entries()
	x, d := k.spares.borrow(n*gathered), k.spares.borrow(n*gathered)
	for u := lo; u < hi; u++ {
		e, first, at, columns := k.block(u)
		k.gather(x, k.f.x[0][e*k.size:][:k.size], at, columns)
		for j := range k.k {
			row := e*k.k + j
			k.gather(d, k.in[row*k.size:][:k.size], at, columns)
			for c := range columns {
				k.out[row*k.outputs()+first+c] = T(k.tangent(x[c*n:][:n], d[c*n:][:n]))
			}
		}
	}
	k.spares.giveBack(x, d)
}

func (k *reducer[T]) pullRange(lo, hi int) {
	n := k.entries()
	x, d := k.spares.borrow(n*gathered), k.spares.borrow(n*gathered)
	for u := lo; u < hi; u++ {
		e, first, at, columns := k.block(u)
		k.gather(x, k.f.x[0][e*k.size:][:k.size], at, columns)
		for j := range k.k {
			row := e*k.k + j
			for c := range columns {
				k.pull(d[c*n:][:n], x[c*n:][:n], float64(k.in[row*k.outputs()+first+c]))
			}
			k.scatter(k.out[row*k.size:][:k.size], d, at, columns)
		}
	}
	k.spares.giveBack(x, d)
}
