package simd

import (
	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/gonum"
)

// A strip of C is what one call of gonum's product computes: three of its blocks of
// 64 × 64, which it takes one after the other without a goroutine for each.
const (
	stripRows = 64
	stripCols = 3 * 64
)

// strips is a product cut into strips; it is kept and reused.
type strips[T Float] struct {
	left, right, out matrix[T]
	alpha, beta      T

	turned Packed[T] // right, where it lies transposed
	across int       // strips beside one another
	run    func(lo, hi int)
}

// gonumMultiply computes out = alpha left right + beta out with gonum's own product.
// Whatever its blocks, that adds alpha·a(i,p)·b(p,j) to beta·c(i,j) for one p after the
// other, if alpha·a(i,p) is not zero. Only where A lies as it is and B transposed
// does it take inner products (of float32 in an order that depends on their
// addresses), hence the copy.
func gonumMultiply[T Float](left, right, out matrix[T], alpha, beta T) {
	pool := &shelfOf[T]().strips
	s := pool.Borrow()
	if s.run == nil {
		s.run = s.compute
	}
	if trans, _ := right.stored(); trans != blas.NoTrans {
		s.turned.copy(right)
		right = s.turned.source
	}
	s.left, s.right, s.out, s.alpha, s.beta = left, right, out, alpha, beta
	s.across = (out.cols + stripCols - 1) / stripCols
	Parallel((out.rows+stripRows-1)/stripRows*s.across, 1, s.run)
	s.left.data, s.right.data, s.out.data = nil, nil, nil
	pool.GiveBack(s)
}

// compute computes the strips lo to hi.
func (s *strips[T]) compute(lo, hi int) {
	for k := lo; k < hi; k++ {
		i, j := k/s.across*stripRows, k%s.across*stripCols
		gonumStrip(s.left.from(i, 0), s.right.from(0, j), s.out.from(i, j), s.alpha, s.beta)
	}
}

// gonumStrip computes the strip of out that begins at its first element.
func gonumStrip[T Float](left, right, out matrix[T], alpha, beta T) {
	rows, cols := min(out.rows, stripRows), min(out.cols, stripCols)
	trans, lda := left.stored()
	var own gonum.Implementation
	if is32[T]() {
		own.Sgemm(trans, blas.NoTrans, rows, cols, left.cols, float32(alpha), slice32(left.data), lda, slice32(right.data), right.rs, float32(beta), slice32(out.data), out.rs)
	} else {
		own.Dgemm(trans, blas.NoTrans, rows, cols, left.cols, float64(alpha), slice64(left.data), lda, slice64(right.data), right.rs, float64(beta), slice64(out.data), out.rs)
	}
}

// stored says how x lies in its slice.
func (x matrix[T]) stored() (trans blas.Transpose, ld int) {
	if x.cs == 1 && x.rs >= x.cols {
		return blas.NoTrans, x.rs
	}
	return blas.Trans, x.cs
}

// copy keeps b row by row.
func (p *Packed[T]) copy(b matrix[T]) {
	p.k, p.n = b.rows, b.cols
	p.data = grow(p.data, p.k*p.n)
	p.source = matrix[T]{p.data, p.k, p.n, max(1, p.n), 1}
	if p.k == 0 || p.n == 0 {
		return
	}
	trans, ld := b.stored()
	if trans == blas.NoTrans {
		for i := range p.k {
			copy(p.data[i*p.n:][:p.n], b.data[i*ld:])
		}
		return
	}
	for j := 0; j < p.n; j += transposeTile {
		turn(p.data, b.data, p.n, ld, j, min(j+transposeTile, p.n), 0, p.k)
	}
}

// transposeTile is the side of the square that is turned at a time, so that a
// line of the cache is used whole while it is there.
const transposeTile = 32

// turn transposes the rows r0 to r1 and the columns c0 to c1 of src.
func turn[T Float](dst, src []T, rows, cols, r0, r1, c0, c1 int) {
	for c := c0; c < c1; c++ {
		line := dst[c*rows:]
		for r := r0; r < r1; r++ {
			line[r] = src[r*cols+c]
		}
	}
}
