//go:build !purego && (amd64 || arm64)

package simd

import (
	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas32"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/blas/gonum"
)

// Importing the package puts the kernels, where they run, behind gonum's blas32 and
// blas64: matrix products run here, all else in gonum's own code.
func init() {
	if hasKernels() {
		blas32.Use(implementation{})
		blas64.Use(implementation{})
	}
}

// implementation is gonum's, with the products replaced.
type implementation struct{ gonum.Implementation }

// Sgemm computes C = alpha op(A) op(B) + beta C.
func (implementation) Sgemm(tA, tB blas.Transpose, m, n, k int, alpha float32, a []float32, lda int, b []float32, ldb int, beta float32, c []float32, ldc int) {
	Gemm(transposed(tA), transposed(tB), m, n, k, alpha, a, lda, b, ldb, beta, c, ldc)
}

// Dgemm computes C = alpha op(A) op(B) + beta C.
func (implementation) Dgemm(tA, tB blas.Transpose, m, n, k int, alpha float64, a []float64, lda int, b []float64, ldb int, beta float64, c []float64, ldc int) {
	Gemm(transposed(tA), transposed(tB), m, n, k, alpha, a, lda, b, ldb, beta, c, ldc)
}

func transposed(t blas.Transpose) bool {
	switch t {
	case blas.NoTrans:
		return false
	case blas.Trans, blas.ConjTrans:
		return true
	}
	panic("blas: illegal transpose")
}
