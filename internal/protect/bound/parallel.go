package bound

import "tattle/internal/math/simd"

// parallel calls f(i) for every i in [0, n) on all cores. Calls that share
// nothing give the same result in any order.
func parallel(n int, f func(i int)) {
	simd.Parallel(n, 1, func(lo, hi int) {
		for i := lo; i < hi; i++ {
			f(i)
		}
	})
}
