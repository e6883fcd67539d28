package bound

import "tattle/internal/simd"

// numbersTo returns 0, 1, …, n−1.
func numbersTo(n int) []int {
	x := make([]int, n)
	for i := range x {
		x[i] = i
	}
	return x
}

// parallel calls f(i) for every i in [0, n) on all cores. Calls that share
// nothing give the same result in any order.
func parallel(n int, f func(i int)) {
	simd.Parallel(n, 1, func(lo, hi int) {
		for i := lo; i < hi; i++ {
			f(i)
		}
	})
}
