package gram

import (
	"math"

	"tattle/internal/math/simd"
)

// panel is the number of rows of L that are eliminated together. In their place on the diagonal
// stands the inverse of the lower triangular matrix, so that substitution is products only.
const panel = 64

// forward overwrites the rows of y, [k, n], with those of y L⁻ᵀ, for the lower triangular L,
// [n, n], as cholesky leaves it. ldy and ldl are the distances between rows. It needs a buffer of
// k·panel elements.
func forward(y []float64, k, ldy int, l []float64, n, ldl int, buffer []float64) {
	for t := 0; t < n; t += panel {
		w := min(panel, n-t)
		simd.Gemm(false, true, k, w, t, -1, y, ldy, l[t*ldl:], ldl, 1, y[t:], ldy)
		apply(y[t:], k, ldy, true, l[t*ldl+t:], w, ldl, buffer)
	}
}

// backward overwrites the rows of y, [k, n], with those of y L⁻¹. See forward.
func backward(y []float64, k, ldy int, l []float64, n, ldl int, buffer []float64) {
	for t := (n - 1) / panel * panel; t >= 0; t -= panel {
		w := min(panel, n-t)
		apply(y[t:], k, ldy, false, l[t*ldl+t:], w, ldl, buffer)
		simd.Gemm(false, false, k, t, w, -1, y[t:], ldy, l[t*ldl:], ldl, 1, y, ldy)
	}
}

// apply overwrites y, [k, w], with y d, or y dᵀ if trans is true.
func apply(y []float64, k, ldy int, trans bool, d []float64, w, ldd int, buffer []float64) {
	for i := range k {
		copy(buffer[i*w:(i+1)*w], y[i*ldy:])
	}
	simd.Gemm(false, trans, k, w, w, 1, buffer, w, d, ldd, 0, y, ldy)
}

// cholesky overwrites the lower triangle of a, [n, n], with its Cholesky factor, the triangles
// on its diagonal by their inverses. It returns false if a is not positive definite.
func cholesky(a []float64, n, lda int, buffer []float64) bool {
	for t := 0; t < n; t += panel {
		w := min(panel, n-t)
		row := a[t*lda:]
		forward(row, w, lda, a, t, lda, buffer)
		d := row[t:]
		simd.Gemm(false, true, w, w, t, -1, row, lda, row, lda, 1, d, lda)
		if !eliminate(d, w, lda) {
			return false
		}
		invert(d, w, lda)
	}
	return true
}

// eliminate overwrites a small matrix with its Cholesky factor, zeros above the diagonal.
func eliminate(a []float64, n, lda int) bool {
	for i := range n {
		row := a[i*lda : i*lda+n]
		for j := range i {
			row[j] = (row[j] - simd.Dot(row[:j], a[j*lda:j*lda+j])) / a[j*lda+j]
		}
		square := row[i] - simd.SumSquares(row[:i])
		if !(square > 0) || math.IsInf(square, 1) {
			return false
		}
		row[i] = math.Sqrt(square)
		clear(row[i+1:])
	}
	return true
}

// invert overwrites a small lower triangular matrix with its inverse.
func invert(l []float64, n, ldl int) {
	for j := range n {
		l[j*ldl+j] = 1 / l[j*ldl+j]
		for i := j + 1; i < n; i++ {
			sum := 0.
			for k := j; k < i; k++ {
				sum += l[i*ldl+k] * l[k*ldl+j]
			}
			l[i*ldl+j] = -sum / l[i*ldl+i]
		}
	}
}
