package classify

import (
	"math"

	"tattle/internal/math/gram"
	"tattle/internal/math/simd"
)

const (
	// farthest cuts standardised values off before they are multiplied, so that no
	// product of finite numbers overflows.
	farthest = 1e6
	// faintest is the least variance of a component, of standardised columns, that counts. Its root, 10⁻⁵, is
	// far above the rounding of float32 outputs, as in rows that sum to 1, and far below what carries anything.
	faintest = 1e-10
	// whitenBlock rows are projected at once.
	whitenBlock = 512
)

// whitening maps rows to uncorrelated components of variance 1, which span the same space as the standardised columns. The
// components of a row are L⁺ times the row, where L is a factor of the covariance of the columns, C = LLᵀ. A row that does
// not lie in the space is projected to it. Another choice of components would be a rotation, which changes no ridge penalty.
type whitening struct {
	*scaler
	d, r int
	w    []float64 // [d, r], the transposed of L⁺
}

// newWhitening returns that of a table. In the order of pivoted, L = MA, where A is square, and M is the unit matrix above B. Then
// L⁺ = A⁻¹(I + BᵀB)⁻¹Mᵀ. The matrix in the middle has no eigenvalue below 1.
func newWhitening(t *Table) *whitening {
	w := &whitening{scaler: t.scale(), d: t.d}
	l, order, r := pivoted(w.covariance(t.x), t.d, faintest)
	w.r, w.w = r, make([]float64, w.d*r)
	if r == 0 {
		return w
	}
	inverse := invertLower(l, w.d, r)
	m, square, rows := make([]float64, w.d*r), make([]float64, r*r), make([]float64, w.d*r)
	simd.Gemm(false, false, w.d, r, r, 1, l, w.d, inverse, r, 0, m, r)
	simd.Gram(true, r, w.d, 1, m, r, 0, square, r)
	if err := gram.Solve(square, r, m); err != nil {
		panic(err) // I + BᵀB is not singular
	}
	simd.Gemm(false, true, w.d, r, r, 1, m, r, inverse, r, 0, rows, r)
	for k, j := range order {
		copy(w.w[j*r:(j+1)*r], rows[k*r:])
	}
	return w
}

// covariance returns that of the standardised columns, [d, d].
func (w *whitening) covariance(x []float32) []float64 {
	d, n := w.d, len(x)/w.d
	c := make([]float64, d*d)
	z := make([]float64, min(n, whitenBlock)*d)
	for lo := 0; lo < n; lo += whitenBlock {
		m := min(whitenBlock, n-lo)
		standardise(w.scaler, farthest, z, x[lo*d:(lo+m)*d])
		simd.Gram(true, d, m, 1/float64(n), z, d, 1, c, d)
	}
	simd.Mirror(d, c, d)
	return c
}

// pivoted factors a covariance c, [d, d], as LLᵀ. It takes the column with the largest variance left by those before it
// first, until the variances that are left are floor at most. Row k of l, [d, d], is that of column order[k], and r columns of it count.
func pivoted(c []float64, d int, floor float64) (l []float64, order []int, r int) {
	l, order = make([]float64, d*d), make([]int, d)
	left := make([]float64, d)
	for j := range d {
		order[j], left[j] = j, c[j*d+j]
	}
	for ; r < d; r++ {
		best := r
		for k := r + 1; k < d; k++ {
			if left[order[k]] > left[order[best]] {
				best = k
			}
		}
		p := order[best]
		if !(left[p] > floor) {
			break
		}
		order[r], order[best] = p, order[r]
		for k := range r {
			l[r*d+k], l[best*d+k] = l[best*d+k], l[r*d+k]
		}
		own, pivot := l[r*d:][:r], math.Sqrt(left[p])
		simd.Parallel(d-r-1, 1+pivotGrain/(r+1), func(lo, hi int) {
			for k := r + 1 + lo; k < r+1+hi; k++ {
				j := order[k]
				v := (c[p*d+j] - simd.Dot(own, l[k*d:][:r])) / pivot
				l[k*d+r] = v
				left[j] -= v * v
			}
		})
		l[r*d+r] = pivot
	}
	return l, order, r
}

// pivotGrain products are worth a core.
const pivotGrain = 1 << 17

// invertLower returns the inverse, [r, r], of a lower triangular matrix l, whose rows are d apart.
func invertLower(l []float64, d, r int) []float64 {
	inverse := make([]float64, r*r)
	for i := range r {
		row := inverse[i*r:][:i+1]
		for k := range i {
			simd.Axpy(-l[i*d+k], inverse[k*r:][:k+1], row[:k+1])
		}
		simd.Scale(1/l[i*d+i], row[:i])
		row[i] = 1 / l[i*d+i]
	}
	return inverse
}

// whitened are the rows of a table as a whitening projects them, with a column of ones, [n, r+1].
type whitened struct {
	*whitening
	z []float32
}

func newWhitened(t *Table) *whitened {
	w := newWhitening(t)
	stride := w.r + 1
	z := make([]float32, t.n*stride)
	block, y := make([]float64, min(t.n, whitenBlock)*w.d), make([]float64, min(t.n, whitenBlock)*w.r)
	for lo := 0; lo < t.n; lo += whitenBlock {
		m := min(whitenBlock, t.n-lo)
		standardise(w.scaler, farthest, block, t.x[lo*w.d:(lo+m)*w.d])
		if w.r > 0 {
			simd.Gemm(false, false, m, w.r, w.d, 1, block, w.d, w.w, w.r, 0, y, w.r)
		}
		for i := range m {
			row := z[(lo+i)*stride:][:stride]
			for c, v := range y[i*w.r : (i+1)*w.r] {
				row[c] = float32(v)
			}
			row[w.r] = 1
		}
	}
	return &whitened{w, z}
}
