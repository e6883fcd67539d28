package nn

import "tattle/internal/math/simd"

// extreme is the kernel of Max and, for sign −1, of Min: the first of the largest entries of sign·x,
// or the first NaN.
type extreme[T Float] struct {
	*reducePlan
	sign T
}

// each calls do, on all cores, for the outputs of all examples, which have n vectors each. do gets the
// example, the output, and where in the example the entry lies that the output is.
func (k *extreme[T]) each(f *frame[T], n int, do func(e, o, best int)) {
	outputs := k.outputs()
	simd.Parallel(f.batch*outputs, 1+grain/4/(1+n*k.entries()), func(lo, hi int) {
		for u := lo; u < hi; u++ {
			do(u/outputs, u%outputs, k.best(f.x[0][u/outputs*k.size:], u%outputs))
		}
	})
}

// first returns where in an example the first entry of an output lies, before the offsets.
func (k *extreme[T]) first(o int) int { return k.bases[o/k.inner] + o%k.inner }

// best returns where in the example x the entry lies that output o is.
func (k *extreme[T]) best(x []T, o int) int {
	first := k.first(o)
	best, top := first, k.sign*x[first]
	for _, offset := range k.offsets {
		for i, v := range x[first+offset:][:k.length] {
			if v != v {
				return first + offset + i
			}
			if w := k.sign * v; w > top {
				best, top = first+offset+i, w
			}
		}
	}
	return best
}

func (k *extreme[T]) forward(f *frame[T]) {
	k.each(f, 1, func(e, o, best int) { f.y[e*k.outputs()+o] = f.x[0][e*k.size+best] })
}

func (k *extreme[T]) jvp(f *frame[T], dy []T, dx [][]T, n int) {
	k.each(f, n, func(e, o, best int) {
		for row := e * n; row < (e+1)*n; row++ {
			dy[row*k.outputs()+o] = dx[0][row*k.size+best]
		}
	})
}

func (k *extreme[T]) vjp(f *frame[T], dx [][]T, dy []T, n int) {
	if dx[0] == nil {
		return
	}
	simd.Parallel(len(dx[0]), grain, func(lo, hi int) { clear(dx[0][lo:hi]) })
	k.each(f, n, func(e, o, best int) {
		for row := e * n; row < (e+1)*n; row++ {
			dx[0][row*k.size+best] = dy[row*k.outputs()+o]
		}
	})
}

// roundoff: the exact result is between those of the entries moved down and up, as for maxPool. It
// holds for float64 alone, as the interface does.
func (k *extreme[T]) roundoff(f *frame[float64], ey []float64, ex [][]float64) {
	any(k).(*extreme[float64]).each(f, 1, func(e, o, best int) {
		x, off := f.x[0][e*k.size:], ex[0][e*k.size:]
		top, most := x[best], off[best]
		for _, offset := range k.offsets {
			for i := k.first(o) + offset; i < k.first(o)+offset+k.length; i++ {
				most = max(most, float64(k.sign)*(x[i]-top)*(1-0x1p-50)+off[i])
			}
		}
		ey[e*k.outputs()+o] = most * (1 + 0x1p-50)
	})
}
