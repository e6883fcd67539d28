package nn

import "tattle/internal/math/simd"

// How many multiplications make one product worth all cores, where there are many
// products and where there are few; smaller ones are shared among the cores one by one.
const (
	bigProduct = 1 << 24
	bigOfFew   = 1 << 20
	few        = 8
)

// matmul is the kernel of MatMul. The matrices of vector j of example e are those
// of row e·k+j.
type matmul[T Float] struct {
	*matmulPlan
	sizeA, sizeB, sizeC int // elements of one matrix
	lda, ldb            int
	smalls              pool[simd.Small[T]]

	// The operands of the product in progress.
	f      *frame[T]
	c      []T
	da, db []T
	rows   int // vectors of an example
}

func newMatmul[T Float](o *MatMul, in [][]int) *matmul[T] {
	p, err := o.plan(in)
	if err != nil {
		panic("nn: MatMul: " + err.Error())
	}
	p = p.rowsJoined()
	k := &matmul[T]{matmulPlan: p, sizeA: p.m * p.k, sizeB: p.k * p.n, sizeC: p.m * p.n}
	k.lda, k.ldb = max(1, p.k), max(1, p.n)
	if p.transA {
		k.lda = max(1, p.m)
	}
	if p.transB {
		k.ldb = max(1, p.k)
	}
	return k
}

// share runs body over n units of so many products each.
func (k *matmul[T]) share(n, products int, body func(lo, hi int)) {
	if k.big() {
		body(0, n)
		return
	}
	simd.Parallel(n, 1+grain/(1+k.m*k.n*k.k*products), body)
}

func (k *matmul[T]) big() bool {
	work := k.m * k.n * k.k
	return work >= bigProduct || work >= bigOfFew && k.f.batch*len(k.a) < few
}

func matrixOf[T Float](x []T, row, perRow, i, size int) []T {
	return x[(row*perRow+i)*size:][:size]
}

func (k *matmul[T]) matrixA(x []T, row, i int) []T { return matrixOf(x, row, len(k.usesA), i, k.sizeA) }
func (k *matmul[T]) matrixB(x []T, row, i int) []T { return matrixOf(x, row, len(k.usesB), i, k.sizeB) }
func (k *matmul[T]) matrixC(x []T, row, i int) []T { return matrixOf(x, row, len(k.a), i, k.sizeC) }

// factor is a right operand, rows × cols, of products that are big or small.
type factor[T Float] struct {
	small      *simd.Small[T] // nil for big products
	trans      bool
	rows, cols int
	b          []T
	ld         int
}

// right makes op(b) the right operand; s is nil for big products.
func right[T Float](s *simd.Small[T], trans bool, rows, cols int, b []T, ld int) factor[T] {
	if s != nil {
		s.Right(trans, rows, cols, b, ld)
	}
	return factor[T]{s, trans, rows, cols, b, ld}
}

// times sets c = op(a)·b, or adds that to c.
func (b *factor[T]) times(c []T, transA bool, m int, a []T, lda int, add bool) {
	switch {
	case b.small == nil && add:
		simd.Gemm(transA, b.trans, m, b.cols, b.rows, 1, a, lda, b.b, b.ld, 1, c, max(1, b.cols))
	case b.small == nil:
		simd.Gemm(transA, b.trans, m, b.cols, b.rows, 1, a, lda, b.b, b.ld, 0, c, max(1, b.cols))
	case add:
		b.small.AddMulTo(c, transA, m, a, lda)
	default:
		b.small.MulTo(c, transA, m, a, lda)
	}
}

// borrow returns a core's scratch for small products, nil if they are big.
func (k *matmul[T]) borrow() *simd.Small[T] {
	if k.big() {
		return nil
	}
	return k.smalls.borrow()
}

func (k *matmul[T]) giveBack(s *simd.Small[T]) {
	if s != nil {
		k.smalls.giveBack(s)
	}
}

func (k *matmul[T]) forward(f *frame[T]) {
	k.f = f
	k.share(f.batch*len(k.a), 1, k.multiplyRange)
}

func (k *matmul[T]) multiplyRange(lo, hi int) {
	s := k.borrow()
	for u := lo; u < hi; u++ {
		e, p := u/len(k.a), u%len(k.a)
		b := right(s, k.transB, k.k, k.n, k.matrixB(k.f.x[1], e, k.b[p]), k.ldb)
		b.times(k.matrixC(k.f.y, e, p), k.transA, k.m, k.matrixA(k.f.x[0], e, k.a[p]), k.lda, false)
	}
	k.giveBack(s)
}

// jvp is dA·B + A·dB.
func (k *matmul[T]) jvp(f *frame[T], dy []T, dx [][]T, n int) {
	k.f, k.c, k.da, k.db, k.rows = f, dy, dx[0], dx[1], n
	k.share(f.batch*len(k.a), 2*n, k.tangentRange)
}

func (k *matmul[T]) tangentRange(lo, hi int) {
	s := k.borrow()
	for u := lo; u < hi; u++ {
		e, p := u/len(k.a), u%len(k.a)
		a, b := k.matrixA(k.f.x[0], e, k.a[p]), k.matrixB(k.f.x[1], e, k.b[p])
		fixed := right(s, k.transB, k.k, k.n, b, k.ldb)
		for j := range k.rows {
			row := e*k.rows + j
			fixed.times(k.matrixC(k.c, row, p), k.transA, k.m, k.matrixA(k.da, row, k.a[p]), k.lda, false)
		}
		for j := range k.rows {
			row := e*k.rows + j
			c, moving := k.matrixC(k.c, row, p), right(s, k.transB, k.k, k.n, k.matrixB(k.db, row, k.b[p]), k.ldb)
			moving.times(c, k.transA, k.m, a, k.lda, true)
		}
	}
	k.giveBack(s)
}

// vjp is op(dA) = dC·op(B)ᵀ and op(dB) = op(A)ᵀ·dC, summed over the products that
// a matrix enters.
func (k *matmul[T]) vjp(f *frame[T], dx [][]T, dy []T, n int) {
	k.f, k.c, k.da, k.db, k.rows = f, dy, dx[0], dx[1], n
	if dx[0] != nil && len(k.usesA) > 0 {
		k.share(f.batch*len(k.usesA), 1+n*len(k.a)/len(k.usesA), k.pullRangeA)
	}
	if dx[1] != nil && len(k.usesB) > 0 {
		k.share(f.batch*len(k.usesB), 1+n*len(k.a)/len(k.usesB), k.pullRangeB)
	}
}

func (k *matmul[T]) pullRangeA(lo, hi int) {
	s := k.borrow()
	for u := lo; u < hi; u++ {
		e, i := u/len(k.usesA), u%len(k.usesA)
		for n, p := range k.usesA[i] {
			b := k.matrixB(k.f.x[1], e, k.b[p])
			fixed := right(s, !k.transB, k.n, k.k, b, k.ldb)
			for j := range k.rows {
				row := e*k.rows + j
				dc, da := k.matrixC(k.c, row, p), k.matrixA(k.da, row, i)
				if k.transA { // dAᵀ = B·dCᵀ
					turned := right(s, true, k.n, k.m, dc, max(1, k.n))
					turned.times(da, k.transB, k.k, b, k.ldb, n > 0)
				} else {
					fixed.times(da, false, k.m, dc, max(1, k.n), n > 0)
				}
			}
		}
		k.clearUnused(k.usesA[i], k.da, e, i, len(k.usesA), k.sizeA)
	}
	k.giveBack(s)
}

func (k *matmul[T]) pullRangeB(lo, hi int) {
	s := k.borrow()
	for u := lo; u < hi; u++ {
		e, i := u/len(k.usesB), u%len(k.usesB)
		for n, p := range k.usesB[i] {
			a := k.matrixA(k.f.x[0], e, k.a[p])
			fixed := right(s, k.transA, k.m, k.k, a, k.lda)
			for j := range k.rows {
				row := e*k.rows + j
				dc, db := k.matrixC(k.c, row, p), k.matrixB(k.db, row, i)
				if k.transB { // dBᵀ = dCᵀ·A
					fixed.times(db, true, k.n, dc, max(1, k.n), n > 0)
				} else {
					moving := right(s, false, k.m, k.n, dc, max(1, k.n))
					moving.times(db, !k.transA, k.k, a, k.lda, n > 0)
				}
			}
		}
		k.clearUnused(k.usesB[i], k.db, e, i, len(k.usesB), k.sizeB)
	}
	k.giveBack(s)
}

// clearUnused clears the cotangents of a matrix that enters no product.
func (k *matmul[T]) clearUnused(uses []int, dx []T, e, i, perRow, size int) {
	if len(uses) > 0 {
		return
	}
	for j := range k.rows {
		clear(matrixOf(dx, e*k.rows+j, perRow, i, size))
	}
}
