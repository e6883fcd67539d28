package bound

import (
	"cmp"
	"context"
	"math"
	"slices"

	"gonum.org/v1/gonum/lapack"
	"gonum.org/v1/gonum/lapack/gonum"

	"tattle/internal/simd"
)

// conquerLeaf is the largest tridiagonal matrix that is left to the QL iteration.
const conquerLeaf = 32

// eps64 is the distance from 1 to the next number.
const eps64 = 2 * ulp

// conquer returns the eigenvectors of a tridiagonal matrix with diagonal d and e beside
// it, one a row, [n, n], and overwrites d with the eigenvalues, ascending; entries are to
// be of order 1, as the tolerances are absolute. Two halves
// are solved by themselves and joined by a change of rank one (J. J. M. Cuppen, Numer.
// Math. 36, 1981; M. Gu and S. C. Eisenstat, SIAM J. Matrix Anal. Appl. 16, 1995).
func conquer(ctx context.Context, d, e []float64) (q []float64, ok bool) {
	n := len(d)
	c := &conquest{ctx: ctx, n: n, d: d, e: append([]float64(nil), e...), q: make([]float64, n*n), spare: make([]float64, n*n)}
	return c.q, c.solve(0, n)
}

type conquest struct {
	ctx      context.Context
	n        int
	d, e     []float64
	q, spare []float64 // [n, n]
}

// solve solves rows lo to hi.
func (c *conquest) solve(lo, hi int) bool {
	if hi-lo <= conquerLeaf {
		return c.leaf(lo, hi)
	}
	mid := (lo + hi) / 2
	rho := c.e[mid-1]
	c.d[mid-1] -= math.Abs(rho)
	c.d[mid] -= math.Abs(rho)
	if !c.solve(lo, mid) || !c.solve(mid, hi) || c.ctx.Err() != nil {
		return false
	}
	if rho != 0 {
		c.join(lo, mid, hi, rho)
	}
	c.sort(lo, hi)
	return true
}

// leaf solves rows lo to hi by the QL iteration.
func (c *conquest) leaf(lo, hi int) bool {
	k := hi - lo
	z := make([]float64, k*k)
	e := append(make([]float64, 0, k), c.e[lo:hi-1]...)
	if !(gonum.Implementation{}).Dsteqr(lapack.EVTridiag, k, c.d[lo:hi], e, z, k, make([]float64, max(1, 2*k-2))) {
		return false
	}
	for i := range k {
		for j := range k {
			c.q[(lo+j)*c.n+lo+i] = z[i*k+j]
		}
	}
	return true
}

// sort puts eigenvalues lo to hi in ascending order.
func (c *conquest) sort(lo, hi int) {
	order := make([]int, hi-lo)
	for i := range order {
		order[i] = lo + i
	}
	slices.SortStableFunc(order, func(i, j int) int { return cmp.Compare(c.d[i], c.d[j]) })
	d := make([]float64, hi-lo)
	parallel(hi-lo, func(i int) {
		d[i] = c.d[order[i]]
		copy(c.spare[(lo+i)*c.n+lo:(lo+i)*c.n+hi], c.q[order[i]*c.n+lo:])
	})
	copy(c.d[lo:hi], d)
	parallel(hi-lo, func(i int) {
		copy(c.q[(lo+i)*c.n+lo:(lo+i)*c.n+hi], c.spare[(lo+i)*c.n+lo:])
	})
}

// join adds the change of rank one, ρ u uᵀ, that was left out between the halves: in
// their eigenvectors' basis the matrix is D + |ρ| z zᵀ.
func (c *conquest) join(lo, mid, hi int, rho float64) {
	r := &rankOne{c: c, lo: lo, mid: mid, hi: hi, rho: 2 * math.Abs(rho), z: make([]float64, hi-lo), kind: make([]uint8, hi-lo)}
	for i := lo; i < hi; i++ {
		if i < mid {
			r.z[i-lo], r.kind[i-lo] = c.q[i*c.n+mid-1]/math.Sqrt2, upper
		} else {
			r.z[i-lo], r.kind[i-lo] = math.Copysign(1, rho)*c.q[i*c.n+mid]/math.Sqrt2, lower
		}
	}
	r.deflate()
	if len(r.keep) > 0 {
		r.solve()
	}
}

// Which half an eigenvector lives in.
const (
	upper = 1
	lower = 2
)

// rankOne is D + ρ z zᵀ with ‖z‖ = 1, of the eigenvectors lo to hi.
type rankOne struct {
	c           *conquest
	lo, mid, hi int
	rho         float64
	z           []float64
	kind        []uint8 // halves, of each eigenvector
	keep        []int   // those that the change moves, by ascending D, counted from lo
}

// deflate finds the eigenvectors that the change does not move, but for rounding: z is
// 0 there, or can be made so by a rotation with another of nearly the same eigenvalue.
func (r *rankOne) deflate() {
	d, n := r.c.d[r.lo:r.hi], r.c.n
	tol := 8 * eps64 * max(simd.MaxAbs(d), simd.MaxAbs(r.z))
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
				rotate(r.c.q[(r.lo+last)*n+r.lo:][:len(d)], r.c.q[(r.lo+j)*n+r.lo:][:len(d)], cs, sn)
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

// solve finds eigenvalues and eigenvectors of what is left, and multiplies the latter
// with the halves' own.
func (r *rankOne) solve() {
	slices.SortStableFunc(r.keep, func(i, j int) int { return cmp.Compare(r.c.d[r.lo+i], r.c.d[r.lo+j]) })
	k := len(r.keep)
	s := &secular{rho: r.rho, d: make([]float64, k), z: make([]float64, k), apart: make([]float64, k*k), root: make([]float64, k)}
	for i, j := range r.keep {
		s.d[i], s.z[i] = r.c.d[r.lo+j], r.z[j]
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
		r.c.d[r.lo+j] = s.root[i]
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

// multiply overwrites the kept eigenvectors by their combinations x, [k, k], the
// columns ordered by kind.
func (r *rankOne) multiply(x []float64, order []int) {
	n, k := r.c.n, len(order)
	wide, top := r.hi-r.lo, r.mid-r.lo
	old := r.c.spare[:k*wide]
	first, last := k, 0 // of those with a lower part; after those with an upper one
	for i, at := range order {
		kind := r.kind[r.keep[at]]
		copy(rowOf(old, i, wide), r.c.q[(r.lo+r.keep[at])*n+r.lo:][:wide])
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
		copy(r.c.q[(r.lo+j)*n+r.lo:][:wide], rowOf(out, i, wide))
	}
}
