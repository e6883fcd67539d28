//go:build openblas

// Package openblas binds the matrix products of OpenBLAS, for comparison and
// for those who prefer it. It needs cgo, the library and the build tag openblas.
package openblas

// #cgo LDFLAGS: -lopenblas
// #include <cblas.h>
import "C"

import (
	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas32"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/blas/gonum"
)

// SetThreads sets the number of threads that a product runs on.
func SetThreads(n int) { C.openblas_set_num_threads(C.int(n)) }

// Config returns the library's version and the processor it chose code for.
func Config() string { return C.GoString(C.openblas_get_config()) }

// Use registers OpenBLAS's products behind gonum's blas32 and blas64.
func Use() {
	blas32.Use(Implementation{})
	blas64.Use(Implementation{})
}

// Implementation is gonum's, with the products replaced. It checks no shapes.
type Implementation struct{ gonum.Implementation }

// Sgemm computes C = alpha op(A) op(B) + beta C.
func (Implementation) Sgemm(tA, tB blas.Transpose, m, n, k int, alpha float32, a []float32, lda int, b []float32, ldb int, beta float32, c []float32, ldc int) {
	if m == 0 || n == 0 {
		return
	}
	C.cblas_sgemm(C.CblasRowMajor, order(tA), order(tB), C.blasint(m), C.blasint(n), C.blasint(k),
		C.float(alpha), first32(a), C.blasint(lda), first32(b), C.blasint(ldb), C.float(beta), first32(c), C.blasint(ldc))
}

// Dgemm computes C = alpha op(A) op(B) + beta C.
func (Implementation) Dgemm(tA, tB blas.Transpose, m, n, k int, alpha float64, a []float64, lda int, b []float64, ldb int, beta float64, c []float64, ldc int) {
	if m == 0 || n == 0 {
		return
	}
	C.cblas_dgemm(C.CblasRowMajor, order(tA), order(tB), C.blasint(m), C.blasint(n), C.blasint(k),
		C.double(alpha), first64(a), C.blasint(lda), first64(b), C.blasint(ldb), C.double(beta), first64(c), C.blasint(ldc))
}

func order(t blas.Transpose) C.enum_CBLAS_TRANSPOSE {
	if t == blas.NoTrans {
		return C.CblasNoTrans
	}
	return C.CblasTrans
}

func first32(x []float32) *C.float {
	if len(x) == 0 {
		return nil
	}
	return (*C.float)(&x[0])
}

func first64(x []float64) *C.double {
	if len(x) == 0 {
		return nil
	}
	return (*C.double)(&x[0])
}
