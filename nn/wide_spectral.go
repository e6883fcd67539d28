package nn

import (
	"math"

	"tattle/internal/simd"
)

const (
	// spectralSteps is how often a matrix is squared: with n rows, the bound is at most
	// n^(1/2^(steps+1)) times too large.
	spectralSteps = 5

	// spectralWork is how many products the first square may take.
	spectralWork = 1 << 36
)

// spectrum bounds spectral norms, in room of its own: a matrix for each step.
type spectrum struct{ room [spectralSteps + 1][]float64 }

// spectralBound returns at least the spectral norm of a matrix.
func spectralBound(w []float32, rows, cols int) float64 {
	steps := spectralSteps
	if float64(min(rows, cols))*float64(rows)*float64(cols) > spectralWork {
		steps = 0
	}
	return new(spectrum).above(widen[float64](nil, w, false), rows, cols, steps)
}

// above returns at least the spectral norm of x, which it changes.
//
// ‖X‖₂² = ‖XXᵀ‖₂ ≤ ‖M‖₂ + γ_k·‖X‖²_F, where M is XXᵀ as computed, with sums of k products. Its
// entries are off by at most γ_k·|X||X|ᵀ, and the Frobenius norm of |X||X|ᵀ is at most ‖X‖²_F. M is
// bounded in the same way, and the last matrix by its Frobenius norm. To scale a matrix by a power of
// two is exact; what underflows on the way is less than normSlack of its norm.
func (s *spectrum) above(x []float64, rows, cols, steps int) float64 {
	most := simd.MaxAbs(x)
	if most == 0 {
		return 0
	}
	_, e := math.Frexp(most)
	simd.Scale(math.Ldexp(1, -e), x)
	f := length(x)
	if steps > 0 && f <= math.MaxFloat64 {
		n, k := min(rows, cols), max(rows, cols)
		s.room[steps-1] = sized(s.room[steps-1], n*n)
		m := s.room[steps-1]
		simd.Gram(cols < rows, n, k, 1, x, cols, 0, m, n)
		simd.Mirror(n, m, n)
		f = math.Sqrt(s.above(m, n, n, steps-1)+gamma(k)*f*f)*normUp + normSlack
	}
	return math.Ldexp(f, e)
}
