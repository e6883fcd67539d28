package attack

import (
	"context"
	"math"

	"gonum.org/v1/gonum/mat"

	"tattle/internal/simd"
)

// spectrumLimit is the most features that are decomposed, in a second: beyond
// it every σ is solved for, in a second at 3,072 features and inputs.
const spectrumLimit = 1024

// MeanSquareAt returns the mean-square error per input that the best affine map
// would have on the training examples, were the noise of standard deviation sigma
// (that of the mean, for several queries): (tr C_θθ − Σ_i ‖C_θa u_i‖²/(λ_i+σ²))/p,
// λ_i and u_i being C_aa's eigenvalues and eigenvectors. It does not fall as sigma
// grows. Of more than 1,024 features it solves for each sigma anew, and no sigma²
// counts as less than what rounding makes of the moments. It is NaN where the
// attack was made for a Post.
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

// spectral is tr C_θa (C_aa+added·I)⁻¹ C_aθ by eigenvalues.
func (l *Linear) spectral(added float64) (gain float64) {
	for i, g := range l.gains {
		if v := max(0, l.spectrum[i]) + added; v > 0 && g > 0 {
			gain += g / v
		}
	}
	return gain
}

// solved is the same by elimination: the square of R⁻ᵀC_aθ. Rounding errs by less
// than n·u·tr C_aa, which keeps the matrix positive definite.
func (l *Linear) solved(added float64) (gain float64) {
	m := l.moments
	floor := float64(m.n) * float64(m.n) * 0x1p-50 * m.scale()
	for least := max(added, floor); ; least *= 16 {
		s := m.equations(least)
		if s.eliminate(context.Background()) != nil {
			continue // of finite moments, a few at the most
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
		return // they do not converge: then every σ is solved for
	}
	var u mat.Dense
	e.VectorsTo(&u)
	l.spectrum = e.Values(nil)
	floor := l.spectrum[m.n-1] * float64(m.n) * 0x1p-52 // below it an eigenvalue is rounding
	y := make([]float64, m.n*m.p)
	simd.Gemm(true, false, m.n, m.p, m.n, 1, u.RawMatrix().Data, m.n, m.joint[m.n:], m.width(), 0, y, m.p)
	l.gains = make([]float64, m.n)
	for i := range l.gains {
		if l.spectrum[i] > floor {
			l.gains[i] = simd.SumSquares(y[i*m.p : (i+1)*m.p])
		}
	}
}
