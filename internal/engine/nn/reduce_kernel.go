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
	// bound is that of a rounder, for one output.
	bound func(x, e []float64) float64
}

// gathered is how many columns a reducer brings together at once.
const gathered = 16

// reducer is the kernel of the reductions that are not linear. It brings the entries
// of gathered outputs together, one after the other, and works on them in float64.
type reducer[T Float] struct {
	*reducePlan
	*reduction
	spares spares[float64]
	blocks int // of columns in a row of outputs
}

func newReducer[T Float](p *reducePlan, function *reduction) *reducer[T] {
	return &reducer[T]{reducePlan: p, reduction: function, blocks: (p.inner + gathered - 1) / gathered}
}

// columns are some columns of an example: x has their entries, one column after the other, and d is room
// for as many.
type columns struct {
	example, first, at, n int // first output, place of its first entry, number of columns
	x, d                  []float64
}

// run calls do, on all cores, for the columns of all examples. A column has n vectors.
func (k *reducer[T]) run(f *frame[T], n int, do func(c columns)) {
	work := 1 + n*k.entries()*min(k.inner, gathered)
	perExample := len(k.bases) * k.blocks
	simd.Parallel(f.batch*perExample, 1+grain/4/work, func(lo, hi int) {
		size := k.entries() * gathered
		c := columns{x: k.spares.borrow(size), d: k.spares.borrow(size)}
		for u := lo; u < hi; u++ {
			row, column := u%perExample/k.blocks, u%k.blocks*gathered
			c.example, c.first, c.at, c.n = u/perExample, row*k.inner+column, k.bases[row]+column, min(gathered, k.inner-column)
			k.gather(c.x, f.x[0][c.example*k.size:][:k.size], c.at, c.n)
			do(c)
		}
		k.spares.giveBack(c.x, c.d)
	})
}

// step is how far entries that lie beside each other in the input are apart in columns.
func (k *reducer[T]) step() int {
	if k.inner == 1 {
		return 1
	}
	return k.entries()
}

// gather sets dst, [columns, entries], from the example's x. One of length and columns is 1.
func (k *reducer[T]) gather(dst []float64, x []T, at, columns int) {
	step := k.step()
	for r, offset := range k.offsets {
		for i, v := range x[at+offset:][:k.length*columns] {
			dst[r*k.length+i*step] = float64(v)
		}
	}
}

// scatter is gather the other way.
func (k *reducer[T]) scatter(x []T, src []float64, at, columns int) {
	step := k.step()
	for r, offset := range k.offsets {
		to := x[at+offset:][:k.length*columns]
		for i := range to {
			to[i] = T(src[r*k.length+i*step])
		}
	}
}

func (k *reducer[T]) forward(f *frame[T]) {
	n := k.entries()
	k.run(f, 1, func(c columns) {
		y := f.y[c.example*k.outputs()+c.first:]
		for i := range c.n {
			y[i] = T(k.value(c.x[i*n:][:n]))
		}
	})
}

func (k *reducer[T]) jvp(f *frame[T], dy []T, dx [][]T, vectors int) {
	n := k.entries()
	k.run(f, vectors, func(c columns) {
		for row := c.example * vectors; row < (c.example+1)*vectors; row++ {
			k.gather(c.d, dx[0][row*k.size:][:k.size], c.at, c.n)
			y := dy[row*k.outputs()+c.first:]
			for i := range c.n {
				y[i] = T(k.tangent(c.x[i*n:][:n], c.d[i*n:][:n]))
			}
		}
	})
}

func (k *reducer[T]) vjp(f *frame[T], dx [][]T, dy []T, vectors int) {
	if dx[0] == nil {
		return
	}
	n := k.entries()
	k.run(f, vectors, func(c columns) {
		for row := c.example * vectors; row < (c.example+1)*vectors; row++ {
			y := dy[row*k.outputs()+c.first:]
			for i := range c.n {
				k.pull(c.d[i*n:][:n], c.x[i*n:][:n], float64(y[i]))
			}
			k.scatter(dx[0][row*k.size:][:k.size], c.d, c.at, c.n)
		}
	})
}

// roundoff holds for float64 alone, as the interface does.
func (k *reducer[T]) roundoff(f *frame[float64], ey []float64, ex [][]float64) {
	r, n := any(k).(*reducer[float64]), k.entries()
	r.run(f, 1, func(c columns) {
		r.gather(c.d, ex[0][c.example*k.size:][:k.size], c.at, c.n)
		e := ey[c.example*k.outputs()+c.first:]
		for i := range c.n {
			e[i] = k.bound(c.x[i*n:][:n], c.d[i*n:][:n])
		}
	})
}
