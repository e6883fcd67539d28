package eigen

import (
	"context"
	"math"

	"tattle/internal/math/simd"
)

// reflectPanel is the number of Householder reflections that are applied to the rest of the
// matrix together, as a matrix product.
const reflectPanel = 32

// reduction reduces a symmetric matrix to a tridiagonal one: A = H T Hᵀ, where T is
// tridiagonal and H is a product of Householder reflections.
type reduction struct {
	n       int
	a       []float64 // [n, n]: the matrix, overwritten
	d, e    []float64 // T: diagonal and off-diagonal
	v       []float64 // [n, n]: row j is v of the j-th reflection I − τ v vᵀ, zero up to entry j
	tau     []float64
	w       []float64 // [panel, n]
	product func(lo, hi int)
	from    int
	x, y    []float64 // the operands of product
}

// Large returns the same as Symmetric for a large matrix, which it overwrites: 1,548 rows
// take half a second, where gonum's QL iteration takes 15. Reduction and divide and conquer
// consist mostly of matrix products. It returns soon, with ok false, after ctx is cancelled.
func Large(ctx context.Context, a []float64, n int, floor float64) (values, vectors []float64, ok bool) {
	if n == 0 {
		return nil, nil, true
	}
	scale := simd.MaxAbs(a)
	if math.IsNaN(scale) || math.IsInf(scale, 0) {
		return nil, nil, false
	}
	if scale == 0 {
		scale = 1
	}
	simd.Scale(1/scale, a)
	s := &reduction{n: n, a: a, d: make([]float64, n), e: make([]float64, n), v: make([]float64, n*n), tau: make([]float64, n),
		w: make([]float64, reflectPanel*n), y: make([]float64, n)}
	s.product = s.rows
	s.reduce(ctx)
	q, ok := divideAndConquer(ctx, s.d, s.e[:n-1])
	if !ok {
		return nil, nil, false
	}
	simd.Scale(scale, s.d)
	for len(values) < n && s.d[n-1-len(values)] > floor {
		values = append(values, s.d[n-1-len(values)])
	}
	if len(values) == 0 {
		return nil, nil, ctx.Err() == nil
	}
	vectors = s.a[:len(values)*n] // the matrix is not needed any more
	for i := range values {
		copy(rowOf(vectors, i, n), rowOf(q, n-1-i, n))
	}
	s.transform(ctx, vectors)
	return values, vectors, ctx.Err() == nil
}

// reduce computes d, e and the reflections, one panel at a time (G. H. Golub and C. F.
// Van Loan, Matrix Computations, 4th edition, section 8.3; J. J. Dongarra, S. J.
// Hammarling and D. C. Sorensen, Block reduction of matrices to condensed forms, J.
// Comput. Appl. Math. 27, 1989).
func (s *reduction) reduce(ctx context.Context) {
	n := s.n
	for first := 0; first < n && ctx.Err() == nil; first += reflectPanel {
		last := min(n, first+reflectPanel)
		for j := first; j < last; j++ {
			s.reflect(first, j)
		}
		rest := n - last
		if rest <= 0 {
			continue
		}
		v, w, k := s.v[first*n+last:], s.w[last:], last-first // A ← A − V Wᵀ − W Vᵀ
		simd.Gemm(true, false, rest, rest, k, -1, v, n, w, n, 1, s.a[last*n+last:], n)
		simd.Gemm(true, false, rest, rest, k, -1, w, n, v, n, 1, s.a[last*n+last:], n)
	}
}

// reflect makes column j tridiagonal. It computes v and w of row j: the column of
// A − v wᵀ − w vᵀ is tridiagonal.
func (s *reduction) reflect(first, j int) {
	n := s.n
	v, w := rowOf(s.v, j, n), rowOf(s.w, j-first, n)
	clear(w)
	copy(v[j:], s.a[j*n+j:(j+1)*n])
	for i := first; i < j; i++ {
		vi, wi := rowOf(s.v, i, n), rowOf(s.w, i-first, n)
		simd.Axpy(-wi[j], vi[j:], v[j:])
		simd.Axpy(-vi[j], wi[j:], v[j:])
	}
	s.d[j] = v[j]
	v[j] = 0
	if j == n-1 {
		return
	}
	s.e[j], s.tau[j] = householder(v[j+1:])
	if s.tau[j] == 0 {
		clear(v)
		return
	}
	s.from, s.x = j+1, v
	simd.Parallel(n-s.from, 1+(1<<14)/(n-s.from), s.product)
	copy(w[j+1:], s.y[j+1:])
	for i := first; i < j; i++ {
		vi, wi := rowOf(s.v, i, n)[j+1:], rowOf(s.w, i-first, n)[j+1:]
		x, y := simd.Dot(wi, v[j+1:]), simd.Dot(vi, v[j+1:])
		simd.Axpy(-x, vi, w[j+1:])
		simd.Axpy(-y, wi, w[j+1:])
	}
	simd.Scale(s.tau[j], w[j+1:])
	simd.Axpy(-s.tau[j]/2*simd.Dot(w[j+1:], v[j+1:]), v[j+1:], w[j+1:])
}

// rows computes rows lo to hi of y = A x, counted from s.from.
func (s *reduction) rows(lo, hi int) {
	for i := s.from + lo; i < s.from+hi; i++ {
		s.y[i] = simd.Dot(s.a[i*s.n+s.from:(i+1)*s.n], s.x[s.from:])
	}
}

// householder overwrites x with v and returns β and τ such that (I − τ v vᵀ) x = β e₁. τ is
// 0 if x already is a multiple of e₁.
func householder(x []float64) (beta, tau float64) {
	rest := math.Sqrt(simd.SumSquares(x[1:]))
	if rest == 0 {
		return x[0], 0
	}
	beta = -math.Copysign(math.Hypot(x[0], rest), x[0])
	tau = (beta - x[0]) / beta
	simd.Scale(1/(x[0]-beta), x[1:])
	x[0] = 1
	return beta, tau
}

// transform turns q, eigenvectors of T as rows, into those of A, (H qᵀ)ᵀ, one panel of
// reflections at a time. The product of a panel is I − V S Vᵀ with S triangular
// (R. Schreiber and C. Van Loan, SIAM J. Sci. Stat. Comput. 10, 1989).
func (s *reduction) transform(ctx context.Context, q []float64) {
	n := s.n
	rows := len(q) / n
	s.w = nil
	qv, qs := make([]float64, rows*reflectPanel), make([]float64, rows*reflectPanel)
	for first := (n - 1) / reflectPanel * reflectPanel; first >= 0 && ctx.Err() == nil; first -= reflectPanel {
		k := min(n, first+reflectPanel) - first
		v := s.v[first*n+first:] // zero to the left
		triangle := s.triangle(first, k)
		simd.Gemm(false, true, rows, k, n-first, 1, q[first:], n, v, n, 0, qv, k)
		simd.Gemm(false, true, rows, k, k, 1, qv, k, triangle, k, 0, qs, k)
		simd.Gemm(false, false, rows, n-first, k, -1, qs, k, v, n, 1, q[first:], n)
	}
}

// triangle returns S of the k reflections from first on, [k, k], upper triangular.
func (s *reduction) triangle(first, k int) []float64 {
	n := s.n
	t, vv := make([]float64, k*k), make([]float64, k*k)
	v := s.v[first*n:]
	simd.Gemm(false, true, k, k, n, 1, v, n, v, n, 0, vv, k)
	for j := range k {
		tau := s.tau[first+j]
		t[j*k+j] = tau
		for i := range j { // −τ S[:j,:j] Vᵀv_j
			for l := i; l < j; l++ {
				t[i*k+j] -= tau * t[i*k+l] * vv[l*k+j]
			}
		}
	}
	return t
}
