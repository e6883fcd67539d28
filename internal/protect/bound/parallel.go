package bound

import (
	"cmp"
	"slices"

	"tattle/internal/math/simd"
)

// parallel calls f(i) for every i in [0, n) on all cores. Calls that share
// nothing give the same result in any order.
func parallel(n int, f func(i int)) {
	simd.Parallel(n, 1, func(lo, hi int) {
		for i := lo; i < hi; i++ {
			f(i)
		}
	})
}

// tryParallel is parallel for calls that may fail. It returns the first error, by i.
func tryParallel(n int, f func(i int) error) error {
	errs := make([]error, n)
	parallel(n, func(i int) { errs[i] = f(i) })
	return cmp.Or(errs...)
}

// room returns a slice of n elements of any values, x where it is long enough.
func room[T any](x []T, n int) []T { return slices.Grow(x[:0], n)[:n] }
