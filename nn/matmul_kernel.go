package nn

import (
	"math"
	"sync"

	"tattle/internal/simd"
)

// bigProduct is how many multiplications make one product worth all cores; smaller
// ones are shared among them one by one.
const bigProduct = 1 << 21

// matmul is the kernel of MatMul. The matrices of vector j of example e are those
// of row e·k+j.
type matmul[T Float] struct {
	*matmulPlan
	sizeA, sizeB, sizeC int // elements of one matrix
	lda, ldb            int
	packs               packs[T]

	products, tangents, pullsA, pullsB, changes func(lo, hi int)

	// The operands of the product in progress.
	f      *frame[T]
	c      []T
	da, db []T
	rows   int // vectors of an example
	finite bool
	absA, absB,
	moreA, moreB []float64 // scratch of roundoff
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
	k.products, k.tangents, k.pullsA, k.pullsB = k.multiplyRange, k.tangentRange, k.pullRangeA, k.pullRangeB
	return k
}

// share runs body over n units of so many products each.
func (k *matmul[T]) share(n, products int, body func(lo, hi int)) {
	work := k.m * k.n * k.k
	if work >= bigProduct {
		body(0, n)
		return
	}
	simd.Parallel(n, 1+grain/(1+work*products), body)
}

func matrixOf[T Float](x []T, row, perRow, i, size int) []T {
	return x[(row*perRow+i)*size:][:size]
}

func (k *matmul[T]) matrixA(x []T, row, i int) []T { return matrixOf(x, row, len(k.usesA), i, k.sizeA) }
func (k *matmul[T]) matrixB(x []T, row, i int) []T { return matrixOf(x, row, len(k.usesB), i, k.sizeB) }
func (k *matmul[T]) matrixC(x []T, row, i int) []T { return matrixOf(x, row, len(k.a), i, k.sizeC) }

// gemm is c = op(a)·op(b) + beta·c.
func (k *matmul[T]) gemm(c, a, b []T, beta T) {
	simd.Gemm(k.transA, k.transB, k.m, k.n, k.k, 1, a, k.lda, b, k.ldb, beta, c, max(1, k.n))
}

func (k *matmul[T]) forward(f *frame[T]) {
	k.f = f
	k.share(f.batch*len(k.a), 1, k.products)
}

func (k *matmul[T]) multiplyRange(lo, hi int) {
	for u := lo; u < hi; u++ {
		e, p := u/len(k.a), u%len(k.a)
		k.gemm(k.matrixC(k.f.y, e, p), k.matrixA(k.f.x[0], e, k.a[p]), k.matrixB(k.f.x[1], e, k.b[p]), 0)
	}
}

// jvp is dA·B + A·dB.
func (k *matmul[T]) jvp(f *frame[T], dy []T, dx [][]T, n int) { k.move(f, dy, dx, n, false) }

// shift is dA·B + A·dB + dA·dB.
func (k *matmul[T]) shift(f *frame[T], dy []T, dx [][]T, n int) { k.move(f, dy, dx, n, true) }

func (k *matmul[T]) move(f *frame[T], dy []T, dx [][]T, n int, finite bool) {
	k.f, k.c, k.da, k.db, k.rows, k.finite = f, dy, dx[0], dx[1], n, finite
	k.share(f.batch*len(k.a), 2*n, k.tangents)
}

func (k *matmul[T]) tangentRange(lo, hi int) {
	for u := lo; u < hi; u++ {
		e, p := u/len(k.a), u%len(k.a)
		a, b := k.matrixA(k.f.x[0], e, k.a[p]), k.matrixB(k.f.x[1], e, k.b[p])
		right := k.packs.take(k.rows > 1, k.transB, k.k, k.n, b, k.ldb)
		for j := range k.rows {
			row := e*k.rows + j
			c, da, db := k.matrixC(k.c, row, p), k.matrixA(k.da, row, k.a[p]), k.matrixB(k.db, row, k.b[p])
			if right != nil {
				simd.GemmPacked(k.transA, k.m, 1, da, k.lda, right, 0, c, max(1, k.n))
			} else {
				k.gemm(c, da, b, 0)
			}
			k.gemm(c, a, db, 1)
			if k.finite {
				k.gemm(c, da, db, 1)
			}
		}
		k.packs.giveBack(right)
	}
}

// vjp is op(dA) = dC·op(B)ᵀ and op(dB) = op(A)ᵀ·dC, summed over the products that
// a matrix enters.
func (k *matmul[T]) vjp(f *frame[T], dx [][]T, dy []T, n int) {
	k.f, k.c, k.da, k.db, k.rows = f, dy, dx[0], dx[1], n
	if dx[0] != nil && len(k.usesA) > 0 {
		k.share(f.batch*len(k.usesA), 1+n*len(k.a)/len(k.usesA), k.pullsA)
	}
	if dx[1] != nil && len(k.usesB) > 0 {
		k.share(f.batch*len(k.usesB), 1+n*len(k.a)/len(k.usesB), k.pullsB)
	}
}

func (k *matmul[T]) pullRangeA(lo, hi int) {
	for u := lo; u < hi; u++ {
		e, i := u/len(k.usesA), u%len(k.usesA)
		for j := range k.rows {
			row := e*k.rows + j
			da, beta := k.matrixA(k.da, row, i), T(0)
			for _, p := range k.usesA[i] {
				k.pullA(da, k.matrixC(k.c, row, p), k.matrixB(k.f.x[1], e, k.b[p]), beta)
				beta = 1
			}
			if beta == 0 {
				clear(da)
			}
		}
	}
}

func (k *matmul[T]) pullA(da, dc, b []T, beta T) {
	ldc := max(1, k.n)
	if k.transA {
		simd.Gemm(k.transB, true, k.k, k.m, k.n, 1, b, k.ldb, dc, ldc, beta, da, k.lda)
	} else {
		simd.Gemm(false, !k.transB, k.m, k.k, k.n, 1, dc, ldc, b, k.ldb, beta, da, k.lda)
	}
}

func (k *matmul[T]) pullRangeB(lo, hi int) {
	for u := lo; u < hi; u++ {
		e, i := u/len(k.usesB), u%len(k.usesB)
		for j := range k.rows {
			row := e*k.rows + j
			db, beta := k.matrixB(k.db, row, i), T(0)
			for _, p := range k.usesB[i] {
				k.pullB(db, k.matrixC(k.c, row, p), k.matrixA(k.f.x[0], e, k.a[p]), beta)
				beta = 1
			}
			if beta == 0 {
				clear(db)
			}
		}
	}
}

func (k *matmul[T]) pullB(db, dc, a []T, beta T) {
	ldc := max(1, k.n)
	if k.transB {
		simd.Gemm(true, k.transA, k.n, k.k, k.m, 1, dc, ldc, a, k.lda, beta, db, k.ldb)
	} else {
		simd.Gemm(!k.transA, false, k.k, k.n, k.m, 1, a, k.lda, dc, ldc, beta, db, k.ldb)
	}
}

// roundoff: the computed product of the computed matrices differs from their exact
// one by at most γ_k·|Â|·|B̂| (Higham, §3.5), in whatever order the sums of k products
// are formed. With B̂ = B + δB and Â = A + δA,
//
//	Â·B̂ − A·B = Â·δB + δA·B̂ − δA·δB,
//
// so that
//
//	|Ĉ − C| ≤ |Â|·(eB + γ_k·|B̂|) + eA·(|B̂| + eB).
//
// The terms here are non-negative, pass at most k + 6 roundings, and roundUp makes
// good for them.
func (k *matmul[T]) roundoff(f *frame[float64], ey []float64, ex [][]float64) {
	g, up := gamma(k.k), roundUp(k.k+6)
	k.absA, k.absB = sized(k.absA, len(f.x[0])), sized(k.absB, len(f.x[1]))
	k.moreB = sized(k.moreB, len(f.x[1]))
	for i, v := range f.x[0] {
		k.absA[i] = math.Abs(v)
	}
	for i, v := range f.x[1] {
		k.absB[i] = ex[1][i] + g*math.Abs(v)
		k.moreB[i] = ex[1][i] + math.Abs(v)
	}
	for e := range f.batch {
		for p := range k.a {
			c := matrixOf(ey, e, len(k.a), p, k.sizeC)
			k.bound(c, e, p, k.absA, k.absB, 0)
			k.bound(c, e, p, ex[0], k.moreB, 1)
		}
	}
	for i := range ey {
		ey[i] = ey[i]*up + underflow
	}
}

func (k *matmul[T]) bound(c []float64, e, p int, a, b []float64, beta float64) {
	x, y := matrixOf(a, e, len(k.usesA), k.a[p], k.sizeA), matrixOf(b, e, len(k.usesB), k.b[p], k.sizeB)
	simd.Gemm(k.transA, k.transB, k.m, k.n, k.k, 1, x, k.lda, y, k.ldb, beta, c, max(1, k.n))
}

// packs keeps packed right operands that the cores borrow.
type packs[T Float] struct {
	mu   sync.Mutex
	free []*simd.Packed[T]
}

// take packs op(b), k × n; nil where that is not wanted.
func (s *packs[T]) take(wanted, trans bool, k, n int, b []T, ldb int) *simd.Packed[T] {
	if !wanted {
		return nil
	}
	p := s.pop()
	p.Pack(trans, k, n, b, ldb)
	return p
}

func (s *packs[T]) pop() *simd.Packed[T] {
	s.mu.Lock()
	defer s.mu.Unlock()
	last := len(s.free) - 1
	if last < 0 {
		return new(simd.Packed[T])
	}
	p := s.free[last]
	s.free = s.free[:last]
	return p
}

func (s *packs[T]) giveBack(p *simd.Packed[T]) {
	if p == nil {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.free = append(s.free, p)
}
