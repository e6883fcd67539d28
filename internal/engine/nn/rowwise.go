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
	op               rowFunc[T]
	cols, perExample int // of a row, rows of one example

	// The operands of the product in progress.
	f                       *frame[T]
	dst, d                  []T
	k                       int
	values, tangents, pulls func(lo, hi int)
}

func newRowwise[T Float](in []int, op rowFunc[T]) *rowwise[T] {
	k := &rowwise[T]{op: op, cols: in[len(in)-1], perExample: Size(in[:len(in)-1])}
	k.values = func(lo, hi int) {
		for r := lo; r < hi; r++ {
			op.value(k.row(k.f.y, r), k.row(k.f.x[0], r))
		}
	}
	k.tangents, k.pulls = k.each(op.tangent), k.each(op.pull)
	return k
}

// each applies f to rows of vectors and to the outputs of the example they belong to.
func (k *rowwise[T]) each(f func(dst, d, y []T)) func(lo, hi int) {
	return func(lo, hi int) {
		for r := lo; r < hi; r++ {
			at := r/(k.k*k.perExample)*k.perExample + r%k.perExample
			f(k.row(k.dst, r), k.row(k.d, r), k.row(k.f.y, at))
		}
	}
}

func (k *rowwise[T]) row(x []T, r int) []T { return x[r*k.cols:][:k.cols] }

func (k *rowwise[T]) run(f *frame[T], dst, d []T, n int, body func(lo, hi int)) {
	if k.cols > 0 {
		k.f, k.dst, k.d, k.k = f, dst, d, n
		simd.Parallel(len(dst)/k.cols, 1+grain/16/k.cols, body)
	}
}

func (k *rowwise[T]) forward(f *frame[T]) { k.run(f, f.y, nil, 1, k.values) }

func (k *rowwise[T]) jvp(f *frame[T], dy []T, dx [][]T, n int) {
	k.run(f, dy, dx[0], n, k.tangents)
}

func (k *rowwise[T]) vjp(f *frame[T], dx [][]T, dy []T, n int) {
	if dx[0] != nil {
		k.run(f, dx[0], dy, n, k.pulls)
	}
}

func (k *rowwise[T]) roundoff(f *frame[float64], ey []float64, ex [][]float64) {
	for lo := 0; lo < len(f.y) && k.cols > 0; lo += k.cols {
		hi := lo + k.cols
		k.op.bound(ey[lo:hi], f.x[0][lo:hi], f.y[lo:hi], ex[0][lo:hi])
	}
}
