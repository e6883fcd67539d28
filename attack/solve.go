package attack

import (
	"errors"
	"fmt"

	"gonum.org/v1/gonum/mat"

	"tattle/internal/simd"
)

// scale is the mean variance of a feature, or 1 where all are constant.
func (m *moments) scale() float64 {
	var s float64
	for i := range m.n {
		s += m.joint[i*m.width()+i]
	}
	if s <= 0 {
		return 1
	}
	return s / float64(m.n)
}

// solve returns (C_aa + added·I)⁻¹ C_aθ, [n, p].
func (m *moments) solve(added float64) ([]float64, error) {
	w := make([]float64, m.n*m.p)
	for i := range m.n {
		copy(w[i*m.p:(i+1)*m.p], m.joint[i*m.width()+m.n:])
	}
	return w, m.divide(w, m.p, added)
}

// filter returns C_aa (C_aa + added·I)⁻¹, [n, n], symmetric: the best linear
// estimate of the features from their release.
func (m *moments) filter(added float64) ([]float64, error) {
	f := make([]float64, m.n*m.n)
	for i := range m.n {
		copy(f[i*m.n:(i+1)*m.n], m.joint[i*m.width():])
	}
	return f, m.divide(f, m.n, added)
}

// divide replaces w, [n, cols], by (C_aa + added·I)⁻¹ w.
func (m *moments) divide(w []float64, cols int, added float64) error {
	a := mat.NewSymDense(m.n, nil)
	for i := range m.n {
		row := m.joint[i*m.width() : (i+1)*m.width()]
		for j := i; j < m.n; j++ {
			a.SetSym(i, j, row[j])
		}
		a.SetSym(i, i, row[i]+added)
	}
	var c mat.Cholesky
	if !c.Factorize(a) {
		return errors.New("attack: the moments of the features are singular in floating point: give stronger noise or more examples")
	}
	d := mat.NewDense(m.n, cols, w)
	err := c.SolveTo(d, d)
	var ill mat.Condition
	if err != nil && !errors.As(err, &ill) { // an inexact map is a map: the held-out examples judge it
		return fmt.Errorf("attack: linear map: %w", err)
	}
	return nil
}

// intercept returns E[θ] − Wᵀ E[a].
func (m *moments) intercept(w []float64) []float64 {
	b := append([]float64(nil), m.meanT...)
	simd.Gemm(false, false, 1, m.p, m.n, -1, m.meanA, m.n, w, m.p, 1, b, m.p)
	return b
}
