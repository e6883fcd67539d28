package attack

import (
	"math"

	"gonum.org/v1/gonum/mat"

	"tattle/internal/simd"
)

// MeanSquareAt returns the mean-square error per input that the best affine map
// would have on the training examples, were the noise of standard deviation sigma
// (that of the mean, for several queries): (tr C_θθ − Σ_i ‖C_θa u_i‖²/(λ_i+σ²))/p,
// λ_i and u_i being C_aa's eigenvalues and eigenvectors. It does not fall as sigma
// grows. It is NaN where the attack was made for a Post.
func (l *Linear) MeanSquareAt(sigma float64) float64 {
	if l.noisy {
		return math.NaN()
	}
	l.once.Do(l.decompose)
	left := l.moments.trace
	for i, g := range l.gains {
		if v := max(0, l.spectrum[i]) + sigma*sigma; v > 0 && g > 0 {
			left -= g / v
		}
	}
	return max(0, left) / float64(l.p)
}

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
		panic("attack: the eigenvalues of finite moments do not converge")
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
