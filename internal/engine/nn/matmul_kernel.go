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
	smalls              simd.Pool[simd.Small[T]]
}

func newMatmul[T Float](o *MatMul, in [][]int) *matmul[T] {
	p := mustFit(o.plan(in)).rowsJoined()
	k := &matmul[T]{matmulPlan: p, sizeA: p.m * p.k, sizeB: p.k * p.n, sizeC: p.m * p.n}
	k.lda, k.ldb = max(1, p.k), max(1, p.n)
	if p.transB {
		k.ldb = max(1, p.k)
	}
	return k
}

// share runs body for n units, each of the given number of products. Where a product is large, all cores share it: then units run one
// after the other, and s is nil. Else cores share the units, and s is the scratch of a core.
func (k *matmul[T]) share(batch, n, products int, body func(u int, s *simd.Small[T])) {
	work := k.m * k.n * k.k
	if work >= bigProduct || work >= bigOfFew && batch*len(k.a) < few {
		for u := range n {
			body(u, nil)
		}
		return
	}
	simd.Parallel(n, 1+grain/(1+work*products), func(lo, hi int) {
		s := k.smalls.Borrow()
		for u := lo; u < hi; u++ {
			body(u, s)
		}
		k.smalls.GiveBack(s)
	})
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

func (k *matmul[T]) forward(f *frame[T]) {
	k.share(f.batch, f.batch*len(k.a), 1, func(u int, s *simd.Small[T]) {
		e, p := u/len(k.a), u%len(k.a)
		b := right(s, k.transB, k.k, k.n, k.matrixB(f.x[1], e, k.b[p]), k.ldb)
		b.times(k.matrixC(f.y, e, p), false, k.m, k.matrixA(f.x[0], e, k.a[p]), k.lda, false)
	})
}

// jvp is dA·B + A·dB.
func (k *matmul[T]) jvp(f *frame[T], dy []T, dx [][]T, n int) {
	k.share(f.batch, f.batch*len(k.a), 2*n, func(u int, s *simd.Small[T]) {
		e, p := u/len(k.a), u%len(k.a)
		a, b := k.matrixA(f.x[0], e, k.a[p]), k.matrixB(f.x[1], e, k.b[p])
		fixed := right(s, k.transB, k.k, k.n, b, k.ldb)
		for row := e * n; row < (e+1)*n; row++ {
			fixed.times(k.matrixC(dy, row, p), false, k.m, k.matrixA(dx[0], row, k.a[p]), k.lda, false)
		}
		for row := e * n; row < (e+1)*n; row++ {
			moving := right(s, k.transB, k.k, k.n, k.matrixB(dx[1], row, k.b[p]), k.ldb)
			moving.times(k.matrixC(dy, row, p), false, k.m, a, k.lda, true)
		}
	})
}

// vjp is dA = dC·op(B)ᵀ and op(dB) = Aᵀ·dC, summed over the products that
// a matrix enters.
func (k *matmul[T]) vjp(f *frame[T], dx [][]T, dy []T, n int) {
	if units := len(k.usesA); dx[0] != nil && units > 0 {
		k.share(f.batch, f.batch*units, 1+n*len(k.a)/units, func(u int, s *simd.Small[T]) {
			k.pullA(s, f.x[1], dx[0], dy, u/units, u%units, n)
			clearUnused(k.usesA[u%units], dx[0], u/units, u%units, units, k.sizeA, n)
		})
	}
	if units := len(k.usesB); dx[1] != nil && units > 0 {
		k.share(f.batch, f.batch*units, 1+n*len(k.a)/units, func(u int, s *simd.Small[T]) {
			k.pullB(s, f.x[0], dx[1], dy, u/units, u%units, n)
			clearUnused(k.usesB[u%units], dx[1], u/units, u%units, units, k.sizeB, n)
		})
	}
}

// pullA sets the cotangents dx of matrix i of A in n rows of example e.
func (k *matmul[T]) pullA(s *simd.Small[T], x, dx, dy []T, e, i, n int) {
	for use, p := range k.usesA[i] {
		b := k.matrixB(x, e, k.b[p])
		fixed := right(s, !k.transB, k.n, k.k, b, k.ldb)
		for row := e * n; row < (e+1)*n; row++ {
			fixed.times(k.matrixA(dx, row, i), false, k.m, k.matrixC(dy, row, p), max(1, k.n), use > 0)
		}
	}
}

// pullB sets the cotangents dx of matrix i of B.
func (k *matmul[T]) pullB(s *simd.Small[T], x, dx, dy []T, e, i, n int) {
	for use, p := range k.usesB[i] {
		a := k.matrixA(x, e, k.a[p])
		fixed := right(s, false, k.m, k.k, a, k.lda)
		for row := e * n; row < (e+1)*n; row++ {
			dc, db := k.matrixC(dy, row, p), k.matrixB(dx, row, i)
			if k.transB { // dBᵀ = dCᵀ·A
				fixed.times(db, true, k.n, dc, max(1, k.n), use > 0)
			} else {
				moving := right(s, false, k.m, k.n, dc, max(1, k.n))
				moving.times(db, true, k.k, a, k.lda, use > 0)
			}
		}
	}
}

// clearUnused clears the n cotangents of a matrix that enters no product.
func clearUnused[T Float](uses []int, dx []T, e, i, perRow, size, n int) {
	for row := e * n; row < (e+1)*n && len(uses) == 0; row++ {
		clear(matrixOf(dx, row, perRow, i, size))
	}
}
