package attack

import (
	"context"
	"math"

	"gonum.org/v1/gonum/mat"

	"tattle/internal/simd"
)

// spectrumLimit is the largest number of features whose covariance is decomposed, which takes
// a second. With more, the equations are solved for each σ, which takes a second for 3,072
// features and inputs.
const spectrumLimit = 1024

// MeanSquareAt returns the mean square error per input of the best affine map on the training
// examples, if the noise has standard deviation sigma (with several queries, the standard
// deviation of their mean):
//
//	(tr C_θθ − Σ_i ‖C_θa u_i‖²/(λ_i+σ²))/p
//
// with the eigenvalues λ_i and the eigenvectors u_i of C_aa. It does not fall as sigma grows.
// With more than 1,024 features it solves the equations for each sigma, and uses at least the
// sigma² that covers the rounding errors of the moments. It is NaN if the attack was made for
// a Post.
func (l *Linear) MeanSquareAt(sigma float64) float64 {
	if l.noisy {
		return math.NaN()
	}
	gain := l.solved
	if l.n <= spectrumLimit {
		l.once.Do(l.decompose)
	}
	if l.gains != nil {
		gain = l.spectral
	}
	return max(0, l.moments.trace-gain(sigma*sigma)) / float64(l.p)
}

// spectral returns tr C_θa (C_aa+added·I)⁻¹ C_aθ, computed from eigenvalues.
func (l *Linear) spectral(added float64) (gain float64) {
	for i, g := range l.gains {
		if v := max(0, l.spectrum[i]) + added; v > 0 && g > 0 {
			gain += g / v
		}
	}
	return gain
}

// solved returns the same by elimination, as the squared norm of R⁻ᵀC_aθ. At least a bound on
// the rounding errors, n·u·tr C_aa, is added to the diagonal, so that the matrix stays
// positive definite.
func (l *Linear) solved(added float64) (gain float64) {
	m := l.moments
	floor := float64(m.n) * float64(m.n) * 0x1p-50 * m.scale()
	for least := max(added, floor); ; least *= 16 {
		s := m.equations(least)
		if s.eliminate(context.Background()) != nil {
			continue // a few times at most, as the moments are finite
		}
		for i := range m.n {
			gain += simd.SumSquares(s.x[i*s.width+m.n : (i+1)*s.width])
		}
		return gain
	}
}

// decompose sets the spectrum and gains.
func (l *Linear) decompose() {
	m := l.moments
	a := mat.NewSymDense(m.n, nil)
	for i := range m.n {
		for j := i; j < m.n; j++ {
			a.SetSym(i, j, m.joint[i*m.width()+j])
		}
	}
	var e mat.EigenSym
	if !e.Factorize(a, true) {
		return // the eigenvalues do not converge: MeanSquareAt uses solved
	}
	var u mat.Dense
	e.VectorsTo(&u)
	l.spectrum = e.Values(nil)
	floor := l.spectrum[m.n-1] * float64(m.n) * 0x1p-52 // a smaller eigenvalue is rounding error
	y := make([]float64, m.n*m.p)
	simd.Gemm(true, false, m.n, m.p, m.n, 1, u.RawMatrix().Data, m.n, m.joint[m.n:], m.width(), 0, y, m.p)
	l.gains = make([]float64, m.n)
	for i := range l.gains {
		if l.spectrum[i] > floor {
			l.gains[i] = simd.SumSquares(y[i*m.p : (i+1)*m.p])
		}
	}
}
