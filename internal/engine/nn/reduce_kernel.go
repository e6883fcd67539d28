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

// reducer is the kernel of the reductions that are not linear. It brings the entries
// of an output together and works on them in float64.
type reducer[T Float] struct {
	*reducePlan
	*reduction
	spares spares[float64]
}

// run calls do, on all cores, for the outputs of all examples, which have n vectors each. do gets the example, the output,
// its entries x, and room for as many.
func (k *reducer[T]) run(f *frame[T], n int, do func(e, o int, x, d []float64)) {
	outputs, size := k.outputs(), k.entries()
	simd.Parallel(f.batch*outputs, 1+grain/4/(1+n*size), func(lo, hi int) {
		x, d := k.spares.borrow(size), k.spares.borrow(size)
		for u := lo; u < hi; u++ {
			k.gather(x, f.x[0], u/outputs, u%outputs)
			do(u/outputs, u%outputs, x, d)
		}
		k.spares.giveBack(x, d)
	})
}

// at returns where in x the first entry of an output lies.
func (k *reducer[T]) at(row, o int) int { return row*k.size + k.bases[o/k.inner] + o%k.inner }

// gather sets dst to the entries of output o in a row of x.
func (k *reducer[T]) gather(dst []float64, x []T, row, o int) {
	for r, offset := range k.offsets {
		for i, v := range x[k.at(row, o)+offset:][:k.length] {
			dst[r*k.length+i] = float64(v)
		}
	}
}

// scatter is gather the other way.
func (k *reducer[T]) scatter(x []T, src []float64, row, o int) {
	for r, offset := range k.offsets {
		to := x[k.at(row, o)+offset:][:k.length]
		for i := range to {
			to[i] = T(src[r*k.length+i])
		}
	}
}

func (k *reducer[T]) forward(f *frame[T]) {
	k.run(f, 1, func(e, o int, x, _ []float64) { f.y[e*k.outputs()+o] = T(k.value(x)) })
}

func (k *reducer[T]) jvp(f *frame[T], dy []T, dx [][]T, n int) {
	k.run(f, n, func(e, o int, x, d []float64) {
		for row := e * n; row < (e+1)*n; row++ {
			k.gather(d, dx[0], row, o)
			dy[row*k.outputs()+o] = T(k.tangent(x, d))
		}
	})
}

func (k *reducer[T]) vjp(f *frame[T], dx [][]T, dy []T, n int) {
	if dx[0] == nil {
		return
	}
	k.run(f, n, func(e, o int, x, d []float64) {
		for row := e * n; row < (e+1)*n; row++ {
			k.pull(d, x, float64(dy[row*k.outputs()+o]))
			k.scatter(dx[0], d, row, o)
		}
	})
}

// roundoff holds for float64 alone, as the interface does.
func (k *reducer[T]) roundoff(f *frame[float64], ey []float64, ex [][]float64) {
	r := any(k).(*reducer[float64])
	r.run(f, 1, func(e, o int, x, d []float64) {
		r.gather(d, ex[0], e, o)
		ey[e*k.outputs()+o] = k.bound(x, d)
	})
}
