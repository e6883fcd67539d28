package nn

import "math"

// Hardmax is 1 at the largest entry of the last dimension, the first of equal
// ones, and 0 elsewhere. Its derivative is taken to be 0 everywhere. Where one entry is
// NaN all outputs are, lest a broken net look sure of itself.
type Hardmax struct{}

// Kind returns "Hardmax".
func (*Hardmax) Kind() string { return "Hardmax" }

// Shape returns the input's shape. It returns an error if that has no dimension.
func (*Hardmax) Shape(inputs ...[]int) ([]int, error) { return rowsInput(inputs) }

func (*Hardmax) kernel32(in ...[]int) kernel[float32] { return newHardmax[float32](in[0]) }
func (*Hardmax) kernel64(in ...[]int) kernel[float64] { return newHardmax[float64](in[0]) }

// hardmax is the kernel of Hardmax.
type hardmax[T Float] struct{ *rowwise[T] }

func newHardmax[T Float](in []int) hardmax[T] {
	none := func(dst, _, _ []T) { clear(dst) }
	return hardmax[T]{newRowwise(in, rowFunc[T]{
		value: func(y, x []T) {
			clear(y)
			best := winner(x)
			if y[best] = 1; x[best] != x[best] {
				fill(y, x[best])
			}
		},
		tangent: none,
		pull:    none,
		bound:   hardmaxError,
	})}
}

func (hardmax[T]) active(_ *frame[T], dst []bool) { clear(dst) }

// winner returns the first index of the largest entry, that of a NaN if there is one.
func winner[T Float](x []T) int {
	best := 0
	for i, v := range x {
		if v != v {
			return i
		}
		if v > x[best] {
			best = i
		}
	}
	return best
}

// hardmaxError: entry i may be the largest of x if x̂_i + ex_i reaches the largest of
// x̂_j − ex_j, both rounded outward. Where only one may, it is the largest of x̂
// too and nothing is off; otherwise those that may are off by at most 1.
func hardmaxError(ey, x, _, ex []float64) {
	sure, may := math.Inf(-1), 0
	for i, v := range x {
		sure = max(sure, math.Nextafter(v-ex[i], math.Inf(-1)))
	}
	for i, v := range x {
		ey[i] = 0
		if !(math.Nextafter(v+ex[i], math.Inf(1)) < sure) {
			ey[i] = 1
			may++
		}
	}
	if may == 1 {
		clear(ey)
	}
}
