package eigen

import (
	"cmp"
	"context"
	"math"
	"slices"

	"gonum.org/v1/gonum/lapack"
	"gonum.org/v1/gonum/lapack/gonum"

	"tattle/internal/math/simd"
)

// leafSize is the largest tridiagonal block that the QL iteration solves.
const leafSize = 32

// divideAndConquer returns the eigenvectors of the tridiagonal matrix with diagonal d and
// off-diagonal e, one per row, [n, n], and overwrites d with the eigenvalues, ascending.
// The entries must be of order 1, because the tolerances are absolute. The two halves are
// solved separately and joined by a change of rank one (J. J. M. Cuppen, Numer. Math. 36,
// 1981; M. Gu and S. C. Eisenstat, SIAM J. Matrix Anal. Appl. 16, 1995). ok is false if the
// iteration does not converge or ctx is cancelled.
func divideAndConquer(ctx context.Context, d, e []float64) (vectors []float64, ok bool) {
	n := len(d)
	t := &tridiagonal{n: n, d: d, e: append([]float64(nil), e...), q: make([]float64, n*n), spare: make([]float64, n*n)}
	return t.q, t.solve(ctx, 0, n)
}

// tridiagonal is the matrix, and the eigenvectors found so far.
type tridiagonal struct {
	n        int
	d, e     []float64 // diagonal, which becomes the eigenvalues, and off-diagonal
	q, spare []float64 // [n, n]
}

// solve solves the diagonal block of rows lo to hi.
func (t *tridiagonal) solve(ctx context.Context, lo, hi int) bool {
	if hi-lo <= leafSize {
		return t.leaf(lo, hi)
	}
	mid := (lo + hi) / 2
	rho := t.e[mid-1]
	t.d[mid-1] -= math.Abs(rho)
	t.d[mid] -= math.Abs(rho)
	if !t.solve(ctx, lo, mid) || !t.solve(ctx, mid, hi) || ctx.Err() != nil {
		return false
	}
	if rho != 0 {
		t.join(lo, mid, hi, rho)
	}
	t.sort(lo, hi)
	return true
}

// leaf solves the diagonal block of rows lo to hi by the QL iteration.
func (t *tridiagonal) leaf(lo, hi int) bool {
	k := hi - lo
	z := make([]float64, k*k)
	e := append(make([]float64, 0, k), t.e[lo:hi-1]...)
	if !(gonum.Implementation{}).Dsteqr(lapack.EVTridiag, k, t.d[lo:hi], e, z, k, make([]float64, max(1, 2*k-2))) {
		return false
	}
	for i := range k {
		for j := range k {
			t.q[(lo+j)*t.n+lo+i] = z[i*k+j]
		}
	}
	return true
}

// sort puts eigenvalues lo to hi in ascending order, and their vectors with them.
func (t *tridiagonal) sort(lo, hi int) {
	order := make([]int, hi-lo)
	for i := range order {
		order[i] = lo + i
	}
	slices.SortStableFunc(order, func(i, j int) int { return cmp.Compare(t.d[i], t.d[j]) })
	d := make([]float64, hi-lo)
	parallel(hi-lo, func(i int) {
		d[i] = t.d[order[i]]
		copy(t.spare[(lo+i)*t.n+lo:(lo+i)*t.n+hi], t.q[order[i]*t.n+lo:])
	})
	copy(t.d[lo:hi], d)
	parallel(hi-lo, func(i int) {
		copy(t.q[(lo+i)*t.n+lo:(lo+i)*t.n+hi], t.spare[(lo+i)*t.n+lo:])
	})
}

// join adds the change of rank one, ρ u uᵀ, that solve subtracted to separate the halves.
// In the basis of the halves' eigenvectors the matrix is D + |ρ| z zᵀ.
func (t *tridiagonal) join(lo, mid, hi int, rho float64) {
	r := &rankOne{t: t, lo: lo, mid: mid, hi: hi, rho: 2 * math.Abs(rho), z: make([]float64, hi-lo), kind: make([]uint8, hi-lo)}
	for i := lo; i < hi; i++ {
		if i < mid {
			r.z[i-lo], r.kind[i-lo] = t.q[i*t.n+mid-1]/math.Sqrt2, upper
		} else {
			r.z[i-lo], r.kind[i-lo] = math.Copysign(1, rho)*t.q[i*t.n+mid]/math.Sqrt2, lower
		}
	}
	r.deflate()
	if len(r.keep) > 0 {
		r.solve()
	}
}

// In which half an eigenvector has entries other than zero.
const (
	upper = 1
	lower = 2
)

// rankOne is the eigenvalue problem of D + ρ z zᵀ, ‖z‖ = 1, for eigenvectors lo to hi.
type rankOne struct {
	t           *tridiagonal
	lo, mid, hi int
	rho         float64
	z           []float64
	kind        []uint8 // of each eigenvector: upper, lower or both
	keep        []int   // the eigenvectors that the change affects, by ascending D, counted from lo
}

// deflate fills in keep. The change does not affect an eigenvector, up to rounding, where z
// is 0 or can be made 0 by a rotation with another vector of nearly the same eigenvalue.
func (r *rankOne) deflate() {
	d, n := r.t.d[r.lo:r.hi], r.t.n
	tol := 8 * machineEps * max(simd.MaxAbs(d), simd.MaxAbs(r.z))
	order := make([]int, len(d))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(i, j int) int { return cmp.Compare(d[i], d[j]) })
	last := -1
	for _, j := range order {
		if r.rho*math.Abs(r.z[j]) <= tol {
			continue
		}
		if last >= 0 {
			norm := math.Hypot(r.z[j], r.z[last])
			cs, sn := r.z[j]/norm, -r.z[last]/norm
			if math.Abs((d[j]-d[last])*cs*sn) <= tol {
				r.z[j], r.z[last] = norm, 0
				rotate(r.t.q[(r.lo+last)*n+r.lo:][:len(d)], r.t.q[(r.lo+j)*n+r.lo:][:len(d)], cs, sn)
				d[last], d[j] = d[last]*cs*cs+d[j]*sn*sn, d[last]*sn*sn+d[j]*cs*cs
				both := r.kind[j] | r.kind[last]
				r.kind[j], r.kind[last] = both, both
				last = j
				continue
			}
			r.keep = append(r.keep, last)
		}
		last = j
	}
	if last >= 0 {
		r.keep = append(r.keep, last)
	}
}

// rotate replaces x and y by c x + s y and c y − s x.
func rotate(x, y []float64, c, s float64) {
	for i, v := range x {
		x[i], y[i] = c*v+s*y[i], c*y[i]-s*v
	}
}

// solve finds the eigenvalues and eigenvectors of the deflated problem, and multiplies the
// vectors by those of the halves.
func (r *rankOne) solve() {
	slices.SortStableFunc(r.keep, func(i, j int) int { return cmp.Compare(r.t.d[r.lo+i], r.t.d[r.lo+j]) })
	k := len(r.keep)
	s := &secular{rho: r.rho, d: make([]float64, k), z: make([]float64, k), apart: make([]float64, k*k), root: make([]float64, k)}
	for i, j := range r.keep {
		s.d[i], s.z[i] = r.t.d[r.lo+j], r.z[j]
	}
	s.solve()
	order := make([]int, k) // upper half alone, both, lower half alone
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(i, j int) int { return cmp.Compare(place(r.kind[r.keep[i]]), place(r.kind[r.keep[j]])) })
	x := s.vectors(order)
	r.multiply(x, order)
	for i, j := range r.keep {
		r.t.d[r.lo+j] = s.root[i]
	}
}

// place orders the kinds of eigenvectors.
func place(kind uint8) int {
	switch kind {
	case upper:
		return 0
	case lower:
		return 2
	}
	return 1
}

// multiply overwrites the kept eigenvectors with their combinations x, [k, k], whose
// columns are ordered by kind.
func (r *rankOne) multiply(x []float64, order []int) {
	n, k := r.t.n, len(order)
	wide, top := r.hi-r.lo, r.mid-r.lo
	old := r.t.spare[:k*wide]
	first, last := k, 0 // of those with a lower part; after those with an upper one
	for i, at := range order {
		kind := r.kind[r.keep[at]]
		copy(rowOf(old, i, wide), r.t.q[(r.lo+r.keep[at])*n+r.lo:][:wide])
		if kind&lower != 0 {
			first = min(first, i)
		}
		if kind&upper != 0 {
			last = i + 1
		}
	}
	out := make([]float64, k*wide)
	if last > 0 {
		simd.Gemm(false, false, k, top, last, 1, x, k, old, wide, 0, out, wide)
	}
	if first < k {
		simd.Gemm(false, false, k, wide-top, k-first, 1, x[first:], k, old[first*wide+top:], wide, 0, out[top:], wide)
	}
	for i, j := range r.keep {
		copy(r.t.q[(r.lo+j)*n+r.lo:][:wide], rowOf(out, i, wide))
	}
}
