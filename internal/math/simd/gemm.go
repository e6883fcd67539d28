package simd

import (
	"slices"
	"unsafe"
)

// Gemm computes C = alpha op(A) op(B) + beta C for row-major matrices, where
// op(A) is m×k, op(B) is k×n, C is m×n, and op transposes if transA or transB is true.
//
// It panics if a dimension is negative or, unless C is empty, a leading dimension
// is too small or a slice too short. With beta == 0, C is written and never read;
// with alpha == 0 or k == 0, A and B are not read. C must not overlap A or B.
//
// The bytes of an element of C depend only on its row of op(A), its column of op(B), its old
// value, k, alpha and beta: not on the number of cores, nor on m, n, the transposes, packing or
// the element's place in C. Every NaN and infinity in A and B propagates. It does not allocate once it has
// its buffers.
func Gemm[T Float](transA, transB bool, m, n, k int, alpha T, a []T, lda int, b []T, ldb int, beta T, c []T, ldc int) {
	if is32[T]() {
		gemm32(transA, transB, m, n, k, float32(alpha), slice32(a), lda, slice32(b), ldb, float32(beta), slice32(c), ldc)
		return
	}
	gemm64(transA, transB, m, n, k, float64(alpha), slice64(a), lda, slice64(b), ldb, float64(beta), slice64(c), ldc)
}

// GemmRows computes C = A B + beta C, where A is m×k and C is m×n. Row p of B is x[at[p]:][:n], so rows may overlap. Up to
// [RowsSlack] entries after each row are read, too, and nothing comes of them. It gives the bytes of Gemm. It panics on a
// product that is empty, and where matrices are shorter than their dimensions say.
func GemmRows[T Float](m, n int, a []T, lda int, x []T, at []int, beta T, c []T, ldc int) {
	k := len(at)
	checkDims(m, n, k)
	if m == 0 || n == 0 || k == 0 {
		panic("simd: an empty product of rows")
	}
	if least, most := slices.Min(at), slices.Max(at); least < 0 || most > len(x)-n-RowsSlack {
		panic("simd: a row lies outside of B")
	}
	w := workFor[T]()
	w.at = at
	w.multiply(operand("A", false, m, k, a, lda), matrix[T]{x, k, n, 0, 1}, operand("C", false, m, n, c, ldc), 1, beta)
	w.at, w.own.at = nil, nil
	w.release()
}

// RowsSlack is how many entries after a row of GemmRows there must be.
const RowsSlack = 32

// gemm32 and gemm64 are compiled once, in this package. A generic function is compiled again in
// each package that calls it. So is what it calls, unless that is neither generic nor inlined.
//
//go:noinline
func gemm32(transA, transB bool, m, n, k int, alpha float32, a []float32, lda int, b []float32, ldb int, beta float32, c []float32, ldc int) {
	gemm(transA, transB, m, n, k, alpha, a, lda, b, ldb, beta, c, ldc)
}

//go:noinline
func gemm64(transA, transB bool, m, n, k int, alpha float64, a []float64, lda int, b []float64, ldb int, beta float64, c []float64, ldc int) {
	gemm(transA, transB, m, n, k, alpha, a, lda, b, ldb, beta, c, ldc)
}

func gemm[T Float](transA, transB bool, m, n, k int, alpha T, a []T, lda int, b []T, ldb int, beta T, c []T, ldc int) {
	checkDims(m, n, k)
	if m == 0 || n == 0 {
		return
	}
	left := operand("A", transA, m, k, a, lda)
	right := operand("B", transB, k, n, b, ldb)
	out := operand("C", false, m, n, c, ldc)
	if alpha == 0 || k == 0 {
		scaleMatrix(out, beta)
		return
	}
	multiply(left, right, out, alpha, beta)
}

// GemmPacked is Gemm with op(B) packed beforehand; k and n are B's. It gives the
// same bytes.
func GemmPacked[T Float](transA bool, m int, alpha T, a []T, lda int, b *Packed[T], beta T, c []T, ldc int) {
	k, n := b.Dims()
	checkDims(m, n, k)
	if m == 0 || n == 0 {
		return
	}
	left := operand("A", transA, m, k, a, lda)
	out := operand("C", false, m, n, c, ldc)
	if alpha == 0 || k == 0 {
		scaleMatrix(out, beta)
		return
	}
	w := workFor[T]()
	w.multiplyPacked(left, b, out, alpha, beta)
	w.release()
}

func is32[T Float]() bool { return unsafe.Sizeof(T(0)) == 4 }

func slice32[T Float](x []T) []float32 {
	return unsafe.Slice((*float32)(unsafe.Pointer(unsafe.SliceData(x))), len(x))
}

func slice64[T Float](x []T) []float64 {
	return unsafe.Slice((*float64)(unsafe.Pointer(unsafe.SliceData(x))), len(x))
}

// matrix is a view of rows × cols elements; (i, j) is data[i*rs+j*cs], and rs
// or cs is 1.
type matrix[T Float] struct {
	data       []T
	rows, cols int
	rs, cs     int
}

func (x matrix[T]) transposed() matrix[T] {
	return matrix[T]{x.data, x.cols, x.rows, x.cs, x.rs}
}

// from returns the part of x that begins at (i, j).
func (x matrix[T]) from(i, j int) matrix[T] {
	return matrix[T]{x.data[i*x.rs+j*x.cs:], x.rows - i, x.cols - j, x.rs, x.cs}
}

// operand returns the view of op(X), rows × cols, after checking its storage.
func operand[T Float](name string, trans bool, rows, cols int, x []T, ld int) matrix[T] {
	v := matrix[T]{x, rows, cols, ld, 1}
	if trans {
		v = matrix[T]{x, cols, rows, ld, 1}
	}
	if ld < max(1, v.cols) {
		panic("simd: bad leading dimension of " + name)
	}
	// That is len(x) < (rows-1)*ld + cols, which might overflow.
	if v.rows > 0 && v.cols > 0 && (len(x) < v.cols || (len(x)-v.cols)/ld < v.rows-1) {
		panic("simd: insufficient length of " + name)
	}
	if trans {
		return v.transposed()
	}
	return v
}

func checkDims(m, n, k int) {
	if m < 0 || n < 0 || k < 0 {
		panic("simd: negative dimension")
	}
}

// scaleMatrix computes C = beta C.
func scaleMatrix[T Float](c matrix[T], beta T) {
	for i := range c.rows {
		row := c.data[i*c.rs:][:c.cols]
		switch beta {
		case 1:
			return
		case 0:
			clear(row)
		default:
			for j := range row {
				row[j] *= beta
			}
		}
	}
}
