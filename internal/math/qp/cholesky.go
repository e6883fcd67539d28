package qp

import (
	"math"

	"tattle/internal/math/simd"
)

const (
	// panel is how many columns of the factor are computed at once: enough that
	// products outweigh the rest, whose share grows with it.
	panel = 64
	// void is the least pivot, over the diagonal entry it came from, that counts;
	// below it rounding is all there is, and the row depends on those before it.
	void = 1e-14
)

// cholesky holds the factor K = L Lᵀ of a symmetric matrix and room to compute it.
type cholesky struct {
	m       int
	l       []float64 // [m, m], the lower triangle
	diag    []float64 // [m], K's diagonal
	inverse []float64 // [panel, panel], of the block on the diagonal
	below   []float64 // [m, panel], what is left below it
}

func (c *cholesky) grow(m int) {
	c.m = m
	c.l, c.below = sized(c.l, m*m), sized(c.below, m*panel)
	c.diag, c.inverse = sized(c.diag, m), sized(c.inverse, panel*panel)
}

// factor overwrites the lower triangle of K with L, panel by panel: what the
// columns before contribute is one product, the block on the diagonal is factored
// and inverted by itself, and what lies below is multiplied by the inverse.
func (c *cholesky) factor() {
	m := c.m
	for i := range m {
		c.diag[i] = c.l[i*m+i]
	}
	for j := 0; j < m; j += panel {
		w := min(panel, m-j)
		if j > 0 {
			simd.Gemm(false, true, m-j, w, j, -1, c.l[j*m:], m, c.l[j*m:], m, 1, c.l[j*m+j:], m)
		}
		c.factorBlock(j, w)
		if r := m - j - w; r > 0 {
			c.invertBlock(j, w)
			for i := range r {
				copy(c.below[i*w:(i+1)*w], c.l[(j+w+i)*m+j:])
			}
			simd.Gemm(false, true, r, w, w, 1, c.below, w, c.inverse, w, 0, c.l[(j+w)*m+j:], m)
		}
	}
}

// factorBlock factors the block of w rows and columns from j. A pivot that is
// void is made infinite for all purposes, so that its unknown comes out as zero.
func (c *cholesky) factorBlock(j, w int) {
	m := c.m
	for i := j; i < j+w; i++ {
		row := c.l[i*m : (i+1)*m]
		for k := j; k < i; k++ {
			row[k] = (row[k] - simd.Dot(row[j:k], c.l[k*m+j:k*m+k])) / c.l[k*m+k]
		}
		pivot := row[i] - simd.Dot(row[j:i], row[j:i])
		if !(pivot > void*c.diag[i]) {
			pivot = 1e128
		}
		row[i] = math.Sqrt(pivot)
	}
}

// invertBlock overwrites inverse, [w, w], with the inverse of the triangular block
// at j, row i of it being (e_i − Σ_{k<i} l_ik · row k)/l_ii.
func (c *cholesky) invertBlock(j, w int) {
	for i := range w {
		row := c.inverse[i*w : (i+1)*w]
		clear(row)
		l := c.l[(j+i)*c.m+j:]
		for k := range i {
			simd.Axpy(-l[k], c.inverse[k*w:k*w+k+1], row[:k+1])
		}
		row[i] = 1
		simd.Scale(1/l[i], row[:i+1])
	}
}

// solve overwrites x with the solution of L Lᵀ x = x.
func (c *cholesky) solve(x []float64) {
	m := c.m
	for i := range m {
		x[i] = (x[i] - simd.Dot(c.l[i*m:i*m+i], x[:i])) / c.l[i*m+i]
	}
	for i := m - 1; i >= 0; i-- {
		x[i] /= c.l[i*m+i]
		simd.Axpy(-x[i], c.l[i*m:i*m+i], x[:i])
	}
}

// sized returns x with length n, in its own storage where that suffices.
func sized[T any](x []T, n int) []T {
	if cap(x) < n {
		return make([]T, n)
	}
	return x[:n]
}
