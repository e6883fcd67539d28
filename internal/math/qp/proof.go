package qp

import (
	"math"

	"tattle/internal/math/simd"
)

// proof is by how much, over the sizes of the numbers in it, an inequality must hold to prove
// something.
const proof = 1e-6

// infeasible reports whether the multipliers, or after a short step the direction
// in which they grow, prove that there is no x.
func (s *Solver) infeasible(r *Result) bool {
	if s.farkas(s.y, s.rowsY, 1) {
		return true
	}
	if !s.short || r.Primal == 0 {
		return false
	}
	y := s.right
	copy(y, s.step.y)
	for j := s.Equal; j < s.m; j++ {
		y[j] = max(y[j], 0)
	}
	s.timesTransposed(s.affine.x, y)
	return s.farkas(y, s.affine.x, 0)
}

// farkas reports whether y, with Rowsᵀy, proves that no x satisfies the constraints (Farkas'
// lemma). If the entries of y for inequalities are at least 0, every feasible x has
// yᵀRows x ≤ yᵀRight. There is no such x if the minimum of yᵀRows x within the limits is
// larger. floor is added to the magnitude of y from which the tolerance for rounding is computed.
func (s *Solver) farkas(y, rowsY []float64, floor float64) bool {
	size := floor + simd.MaxAbs(y)
	least, terms := 0., 0.
	for i, g := range rowsY {
		end := s.Low[i]
		if g < 0 {
			end = s.High[i]
		}
		least += g * end
		terms += math.Abs(g * end)
	}
	most := simd.Dot(y, s.Right)
	for j, v := range y {
		terms += math.Abs(v * s.Right[j])
	}
	return least-most > proof*(terms+size)
}
