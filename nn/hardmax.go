package nn

import (
	"errors"
	"math"

	"tattle/internal/simd"
)

// Hardmax is 1 at the largest entry of the last dimension, the first of equal
// ones, and 0 elsewhere. Its derivative is taken to be 0 everywhere. Where one entry is
// NaN all outputs are, lest a broken net look sure of itself.
type Hardmax struct{}

// Kind returns "Hardmax".
func (*Hardmax) Kind() string { return "Hardmax" }

// Shape returns the input's shape; it errs where that has no dimension.
func (*Hardmax) Shape(inputs ...[]int) ([]int, error) {
	s, err := oneInput(inputs)
	if err == nil && len(s) == 0 {
		return nil, errors.New("input has no dimension to take the largest entry of")
	}
	return s, err
}

// Params returns nil.
func (*Hardmax) Params() []*Param { return nil }

func (*Hardmax) kernel32(in ...[]int) kernel[float32] { return newHardmax[float32](in[0]) }
func (*Hardmax) kernel64(in ...[]int) kernel[float64] { return newHardmax[float64](in[0]) }

// hardmax is the kernel of Hardmax, row by row.
type hardmax[T Float] struct {
	cols          int
	perExample    int // rows of one example
	f             *frame[T]
	dst, d        []T
	k             int
	rows, changes func(lo, hi int)
}

func newHardmax[T Float](in []int) *hardmax[T] {
	cols := in[len(in)-1]
	k := &hardmax[T]{cols: cols, perExample: Size(in[:len(in)-1])}
	k.rows = func(lo, hi int) {
		clear(k.f.y[lo*cols : hi*cols])
		for r := lo; r < hi; r++ {
			vote(k.f.y[r*cols:][:cols], winner(k.f.x[0][r*cols:][:cols], nil), 1)
		}
	}
	k.changes = func(lo, hi int) {
		clear(k.dst[lo*cols : hi*cols])
		for r := lo; r < hi; r++ {
			x, dst := k.f.x[0][k.primal(r)*cols:][:cols], k.dst[r*cols:][:cols]
			vote(dst, winner(x, k.d[r*cols:][:cols]), 1)
			vote(dst, winner(x, nil), -1)
		}
	}
	return k
}

// primal returns the row of f.y to which row r of k tangents per example belongs.
func (k *hardmax[T]) primal(r int) int {
	return r/(k.k*k.perExample)*k.perExample + r%k.perExample
}

// vote adds v to the winner's entry; without a winner every entry becomes NaN.
func vote[T Float](dst []T, winner int, v T) {
	if winner >= 0 {
		dst[winner] += v
		return
	}
	for i := range dst {
		dst[i] = T(math.NaN())
	}
}

// winner returns the first index of the largest entry of x + d, −1 where one is NaN;
// nil d is 0.
func winner[T Float](x, d []T) int {
	best, top := 0, math.Inf(-1)
	for i, v := range x {
		w := float64(v)
		if d != nil {
			w += float64(d[i])
		}
		if math.IsNaN(w) {
			return -1
		}
		if w > top {
			best, top = i, w
		}
	}
	return best
}

func (k *hardmax[T]) forward(f *frame[T]) {
	k.f = f
	if k.cols > 0 {
		simd.Parallel(len(f.y)/k.cols, 1+grain/k.cols, k.rows)
	}
}

func (k *hardmax[T]) jvp(_ *frame[T], dy []T, _ [][]T, _ int) { clear(dy) }

func (k *hardmax[T]) vjp(_ *frame[T], dx [][]T, _ []T, _ int) { clear(dx[0]) }

func (k *hardmax[T]) shift(f *frame[T], dy []T, dx [][]T, n int) {
	k.f, k.dst, k.d, k.k = f, dy, dx[0], n
	if k.cols > 0 {
		simd.Parallel(len(dy)/k.cols, 1+grain/k.cols, k.changes)
	}
}

func (k *hardmax[T]) active(_ *frame[T], dst []bool) { clear(dst) }

// roundoff: entry i may be the largest of x if x̂_i + ex_i reaches the largest of
// x̂_j − ex_j, both rounded outward. Where only one may, it is the largest of x̂
// too and nothing is off; otherwise those that may are off by at most 1.
func (k *hardmax[T]) roundoff(f *frame[float64], ey []float64, ex [][]float64) {
	if k.cols == 0 {
		return
	}
	for lo := 0; lo < len(f.y); lo += k.cols {
		x, e, out := f.x[0][lo:lo+k.cols], ex[0][lo:lo+k.cols], ey[lo:lo+k.cols]
		sure, may := math.Inf(-1), 0
		for i, v := range x {
			sure = max(sure, math.Nextafter(v-e[i], math.Inf(-1)))
		}
		for i, v := range x {
			out[i] = 0
			if !(math.Nextafter(v+e[i], math.Inf(1)) < sure) {
				out[i] = 1
				may++
			}
		}
		if may == 1 {
			clear(out)
		}
	}
}
