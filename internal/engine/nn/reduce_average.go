package nn

import "tattle/internal/math/simd"

// average is the kernel of the linear reductions: a sum divided by a number.
type average[T Float] struct {
	*reducePlan
	by            int
	sums, spreads func(lo, hi int)
	wide, narrow  []T // the operands of the product in progress
}

func newAverage[T Float](p *reducePlan, by int) *average[T] {
	k := &average[T]{reducePlan: p, by: by}
	k.sums, k.spreads = k.sumRange, k.spreadRange
	return k
}

// run shares the rows of outputs of n examples, inner outputs each.
func (k *average[T]) run(wide, narrow []T, n int, part func(lo, hi int)) {
	k.wide, k.narrow = wide, narrow
	simd.Parallel(n*len(k.bases), 1+grain/(1+k.inner*k.entries()), part)
}

func (k *average[T]) forward(f *frame[T]) { k.run(f.x[0], f.y, f.batch, k.sums) }

func (k *average[T]) jvp(f *frame[T], dy []T, dx [][]T, n int) {
	k.run(dx[0], dy, f.batch*n, k.sums)
}

func (k *average[T]) vjp(f *frame[T], dx [][]T, dy []T, n int) {
	if dx[0] != nil {
		k.run(dx[0], dy, f.batch*n, k.spreads)
	}
}

// row returns row u of outputs and the input from where its entries lie.
func (k *average[T]) row(u int) (x, y []T) {
	return k.wide[u/len(k.bases)*k.size+k.bases[u%len(k.bases)]:], k.narrow[u*k.inner:][:k.inner]
}

func (k *average[T]) sumRange(lo, hi int) {
	for u := lo; u < hi; u++ {
		x, y := k.row(u)
		clear(y)
		for _, at := range k.offsets {
			if k.inner == 1 {
				y[0] += simd.Sum(x[at : at+k.length])
			} else {
				simd.Add(y, y, x[at:at+k.inner])
			}
		}
		if k.by != 1 {
			for i := range y {
				y[i] /= T(k.by)
			}
		}
	}
}

func (k *average[T]) spreadRange(lo, hi int) {
	by := T(k.by)
	for u := lo; u < hi; u++ {
		x, y := k.row(u)
		var shares []T // as they lie for the first offset
		for _, at := range k.offsets {
			to := x[at : at+k.inner*k.length]
			if shares != nil {
				copy(to, shares)
				continue
			}
			if k.inner == 1 {
				fill(to, y[0]/by)
			} else {
				divideBy(to, y, by)
			}
			shares = to
		}
	}
}
