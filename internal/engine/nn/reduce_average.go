package nn

import "tattle/internal/math/simd"

// average is the kernel of the linear reductions: a sum divided by a number.
type average[T Float] struct {
	*reducePlan
	by int
}

// run has do work on the rows of outputs of n examples, inner outputs each, and on the input from where
// their entries lie.
func (k *average[T]) run(wide, narrow []T, n int, do func(x, y []T)) {
	simd.Parallel(n*len(k.bases), 1+grain/(1+k.inner*k.entries()), func(lo, hi int) {
		for u := lo; u < hi; u++ {
			do(wide[u/len(k.bases)*k.size+k.bases[u%len(k.bases)]:], narrow[u*k.inner:][:k.inner])
		}
	})
}

func (k *average[T]) forward(f *frame[T]) { k.run(f.x[0], f.y, f.batch, k.sum) }

func (k *average[T]) jvp(f *frame[T], dy []T, dx [][]T, n int) { k.run(dx[0], dy, f.batch*n, k.sum) }

func (k *average[T]) vjp(f *frame[T], dx [][]T, dy []T, n int) {
	if dx[0] != nil {
		k.run(dx[0], dy, f.batch*n, k.spread)
	}
}

func (k *average[T]) sum(x, y []T) {
	clear(y)
	for _, at := range k.offsets {
		if k.inner == 1 {
			y[0] += simd.Sum(x[at : at+k.length])
		} else {
			simd.Add(y, y, x[at:at+k.inner])
		}
	}
	if k.by != 1 {
		divideBy(y, y, T(k.by))
	}
}

func (k *average[T]) spread(x, y []T) {
	var shares []T // as they lie for the first offset
	for _, at := range k.offsets {
		to := x[at : at+k.inner*k.length]
		switch {
		case shares != nil:
			copy(to, shares)
		case k.inner == 1:
			fill(to, y[0]/T(k.by))
		default:
			divideBy(to, y, T(k.by))
		}
		shares = to
	}
}

func divideBy[T Float](dst, a []T, c T) {
	for i, v := range a {
		dst[i] = v / c
	}
}
