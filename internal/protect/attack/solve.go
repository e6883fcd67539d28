package attack

import (
	"context"
	"fmt"
	"slices"

	"tattle/internal/math/simd"
)

// scale is the mean variance of a feature, or 1 if all are constant.
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

// equations returns C_aa + added·I beside C_aθ.
func (m *moments) equations(added float64) *system {
	s := &system{m.n, m.width(), slices.Clone(m.joint)}
	for i := range m.n {
		s.x[i*s.width+i] += added
	}
	return s
}

// solve returns (C_aa + added·I)⁻¹ C_aθ, [n, p].
func (m *moments) solve(ctx context.Context, added float64) ([]float64, error) {
	return m.equations(added).solve(ctx)
}

// filter returns C_aa (C_aa + added·I)⁻¹, [n, n], symmetric: the best linear
// estimate of the features from their release.
func (m *moments) filter(ctx context.Context, added float64) ([]float64, error) {
	s := &system{m.n, 2 * m.n, make([]float64, 2*m.n*m.n)}
	for i := range m.n {
		row := s.x[i*s.width : (i+1)*s.width]
		copy(row[:m.n], m.joint[i*m.width():])
		copy(row[m.n+i:], row[i:m.n])
		for j := i + 1; j < m.n; j++ {
			s.x[j*s.width+m.n+i] = row[j]
		}
		row[i] += added
	}
	return s.solve(ctx)
}

// solve returns A⁻¹B. It overwrites A and B.
func (s *system) solve(ctx context.Context) ([]float64, error) {
	err := s.eliminate(ctx)
	if err == nil {
		err = s.substitute(ctx)
	}
	if err != nil {
		return nil, fmt.Errorf("attack: the moments of the features: %w", err)
	}
	return s.right(), nil
}

// intercept returns E[θ] − Wᵀ E[a].
func (m *moments) intercept(w []float64) []float64 {
	b := append([]float64(nil), m.meanT...)
	simd.Gemm(false, false, 1, m.p, m.n, -1, m.meanA, m.n, w, m.p, 1, b, m.p)
	return b
}
