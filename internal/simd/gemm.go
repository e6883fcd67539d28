package simd

import "unsafe"

// The product follows Goto and van de Geijn (Anatomy of high-performance matrix
// multiplication, ACM TOMS 34(3), 2008) with the register tile of Van Zee's
// BLIS: the right operand is packed in panels of nr columns, the left one is
// read in panels of mr rows, and one call of the kernel adds, for a block of at
// most kcMax terms of the inner sum, one tile of mr × nr elements of C.
//
// Every element of C is the sum, over blocks of the inner index, of alpha times
// a block's dot product accumulated in order; where blocks begin depends on k
// alone. Hence its bytes depend on its row of op(A), its column of op(B), its
// own old value, k, alpha and beta, and on nothing else: not on the number of
// cores, nor on m, n, the transposes, packing or the element's place in C.
const (
	mr    = 6
	kcMax = 384
)

// What a product keeps in the caches (measured on Zen 4).
const (
	kSpan        = 12 * kcMax // most terms of the inner sum packed at once
	rightMax     = 8 << 20    // most bytes of the right operand packed at once
	rowPanelsMax = 24         // most row panels of a task
	turnedMax    = 16         // the same, and most column panels, where C is transposed
	directMax    = 16         // most column panels for which rows of A are read as they lie
	rowwiseMax   = 48         // most terms for which tiles go along the rows of C
	tasksMin     = 12         // tasks wanted, so that cores end together
	inlineMax    = 1 << 20    // floating-point operations not worth a second core
)

// lanes returns nr, the number of columns of a tile: two AVX registers.
func lanes[T Float]() int {
	var z T
	return 64 / int(unsafe.Sizeof(z))
}

// kBlock returns the length of the blocks that an inner sum of k terms is cut
// into (the last may be shorter).
func kBlock(k int) int {
	if k <= kcMax {
		return k
	}
	blocks := (k + kcMax - 1) / kcMax
	return ((k+blocks-1)/blocks + 7) &^ 7
}

// Gemm computes C = alpha op(A) op(B) + beta C for row-major matrices, where
// op(A) is m×k, op(B) is k×n, C is m×n and op transposes if told so.
//
// It panics if a dimension is negative, a leading dimension is too small or a
// slice too short. With beta == 0, C is written and never read; with alpha == 0
// or k == 0, A and B are not read. C must not overlap A or B.
func Gemm[T Float](transA, transB bool, m, n, k int, alpha T, a []T, lda int, b []T, ldb int, beta T, c []T, ldc int) {
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
	if swapped[T](m, n, k, transB) {
		left, right, out = right.transposed(), left.transposed(), out.transposed()
	}
	w := workFor[T]()
	w.multiply(left, right, out, alpha, beta)
	w.release()
}

// GemmPacked is Gemm with op(B) packed beforehand; k and n are B's.
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

// swapped reports whether to compute the transpose Cᵀ = op(B)ᵀ op(A)ᵀ, which
// packs op(A) and streams op(B) through the kernel: the way for a batch of few
// rows against a large matrix. It cannot change the result.
func swapped[T Float](m, n, k int, transB bool) bool {
	most := 48
	if transB { // op(B)ᵀ is then read as it lies
		most = 96
	}
	return m > lanes[T]()/2 && m <= most && n >= 3*m && k >= 32
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
	if v.rows > 0 && v.cols > 0 && len(x) < (v.rows-1)*ld+v.cols {
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
