package nn

import "tattle/internal/math/simd"

// grain is how many elements of cheap arithmetic are worth a core of their own.
const grain = 1 << 14

// pass is an elementwise operation that the cores share. It computes dst from d, of the same length, and
// from what belongs to the example, x.
type pass[T Float] func(dst, d, x []T)

// run applies the operation to dst and d, [batch, k, size], and x, [batch, size].
func (p pass[T]) run(dst, d, x []T, batch, k int) {
	switch {
	case len(dst) == 0:
	case k == 1:
		simd.Parallel(len(dst), grain, func(lo, hi int) { p(dst[lo:hi], d[lo:hi], x[lo:hi]) })
	default:
		size := len(x) / batch
		simd.Parallel(batch*k, 1+grain/size, func(lo, hi int) {
			for r := lo; r < hi; r++ {
				p(dst[r*size:][:size], d[r*size:][:size], x[r/k*size:][:size])
			}
		})
	}
}
