package nn

import (
	"errors"

	"tattle/internal/math/simd"
)

// rowsInput returns the shape of the one input of an operator over its last dimension.
func rowsInput(inputs [][]int) ([]int, error) {
	s, err := oneInput(inputs)
	if err == nil && len(s) == 0 {
		return nil, errors.New("input has no last dimension")
	}
	return s, err
}

// rowFunc is what an operator does to a row: x and y are of the example, d and dst
// of one of its vectors.
type rowFunc[T Float] struct {
	value         func(y, x []T)
	tangent, pull func(dst, d, y []T) // products with the Jacobian and its transpose
	bound         func(ey, x, y, ex []float64)
}

// rowwise is the kernel of operators over the last dimension, row by row.
type rowwise[T Float] struct {
	op rowFunc[T]
	rows
}

func newRowwise[T Float](in []int, op rowFunc[T]) *rowwise[T] {
	last := len(in) - 1
	return &rowwise[T]{op, rows{in[last], Size(in[:last])}}
}

// rows are the rows of one example.
type rows struct{ cols, perExample int }

// each shares rows, n vectors of each example, among the cores; a core takes grain of cheap entries. do gets
// where the entries of a row lie among the vectors, and those of the row of the example that it belongs to.
func (k rows) each(batch, n, grain int, do func(lo, hi, at int)) {
	if k.cols == 0 {
		return
	}
	simd.Parallel(batch*n*k.perExample, 1+grain/k.cols, func(lo, hi int) {
		for r := lo; r < hi; r++ {
			at := r/(n*k.perExample)*k.perExample + r%k.perExample
			do(r*k.cols, (r+1)*k.cols, at*k.cols)
		}
	})
}

func (k *rowwise[T]) forward(f *frame[T]) {
	k.each(f.batch, 1, grain/16, func(lo, hi, _ int) { k.op.value(f.y[lo:hi], f.x[0][lo:hi]) })
}

func (k *rowwise[T]) jvp(f *frame[T], dy []T, dx [][]T, n int) {
	k.product(k.op.tangent, f, dy, dx[0], n)
}

func (k *rowwise[T]) vjp(f *frame[T], dx [][]T, dy []T, n int) {
	if dx[0] != nil {
		k.product(k.op.pull, f, dx[0], dy, n)
	}
}

func (k *rowwise[T]) product(of func(dst, d, y []T), f *frame[T], dst, d []T, n int) {
	k.each(f.batch, n, grain/16, func(lo, hi, at int) { of(dst[lo:hi], d[lo:hi], f.y[at:][:k.cols]) })
}

func (k *rowwise[T]) roundoff(f *frame[float64], ey []float64, ex [][]float64) {
	for lo := 0; lo < len(f.y) && k.cols > 0; lo += k.cols {
		hi := lo + k.cols
		k.op.bound(ey[lo:hi], f.x[0][lo:hi], f.y[lo:hi], ex[0][lo:hi])
	}
}
