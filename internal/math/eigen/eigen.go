// Package eigen decomposes dense symmetric matrices: [Symmetric] by gonum's QL iteration,
// [Large] by reduction to a tridiagonal matrix and divide and conquer. Matrices are stored
// by rows.
package eigen

import (
	"gonum.org/v1/gonum/mat"

	"tattle/internal/math/simd"
)

// machineEps is the distance from 1 to the next float64.
const machineEps = 0x1p-52

// Symmetric returns the eigenvalues above floor of a symmetric matrix a, [n, n], in
// descending order, and their eigenvectors as rows, [len(values), n]. There may be none. ok is
// false if the iteration does not converge.
func Symmetric(a []float64, n int, floor float64) (values, vectors []float64, ok bool) {
	if n == 0 {
		return nil, nil, true
	}
	var e mat.EigenSym
	if !e.Factorize(mat.NewSymDense(n, a), true) {
		return nil, nil, false
	}
	all := e.Values(nil) // ascending
	for len(values) < n && all[n-1-len(values)] > floor {
		values = append(values, all[n-1-len(values)])
	}
	if len(values) == 0 {
		return nil, nil, true
	}
	var q mat.Dense
	e.VectorsTo(&q)
	vectors = make([]float64, len(values)*n)
	for i := range values {
		mat.Col(vectors[i*n:(i+1)*n], n-1-i, &q)
	}
	return values, vectors, true
}

// parallel calls f(i) for every i in [0, n) on all cores.
func parallel(n int, f func(i int)) {
	simd.Parallel(n, 1, func(lo, hi int) {
		for i := lo; i < hi; i++ {
			f(i)
		}
	})
}

// rowOf returns row i of a matrix of the given width.
func rowOf(x []float64, i, width int) []float64 { return x[i*width : (i+1)*width] }
