package qp

import (
	"math"

	"tattle/internal/math/simd"
)

const (
	// proximal holds x to where it is, and the multipliers of equations to where
	// they are: it makes every matrix regular and bends the steps, not what they
	// lead to (Altman and Gondzio 1999).
	proximal = 1e-8
	// within is how much of the way to the limit a step takes.
	within = 0.995
	// After a step of length short or less the next step balances the complementary
	// products first: it aims at no less than recenter of their mean.
	short, recenter = 0.1, 0.5
	// stuck is a step too short to lead anywhere.
	stuck = 1e-8
)

// iterate makes one step of Mehrotra's predictor and corrector. It reports whether
// there was any progress.
func (s *Solver) iterate() bool {
	s.reduce()
	mu, count := s.complementarity(nil, 0, 0)
	if count == 0 {
		s.aim(nil, 0)
		s.solve(&s.step)
		s.advance(&s.step, 1, 1)
		return true
	}
	s.aim(nil, 0)
	s.solve(&s.affine)
	primal, dual := s.longest(&s.affine)
	ahead, _ := s.complementarity(&s.affine, primal, dual)
	center := min(1, math.Pow(max(ahead/mu, 0), 3))
	if s.short {
		s.aim(nil, max(center, recenter)*mu/float64(count))
	} else {
		s.aim(&s.affine, center*mu/float64(count))
	}
	s.solve(&s.step)
	primal, dual = s.longest(&s.step)
	primal, dual = min(1, within*primal), min(1, within*dual)
	s.short = min(primal, dual) < short
	if s.D != nil { // stationarity has x in it: one length for all
		primal = min(primal, dual)
		dual = primal
	}
	s.advance(&s.step, primal, dual)
	return max(primal, dual) > stuck && finite(s.x[0]) && finite(simd.Sum(s.y))
}

// reduce eliminates slacks, the multipliers of the limits and x from Newton's
// equations, which leaves
//
//	(Rows Θ⁻¹ Rowsᵀ + E) Δy = Rows Θ⁻¹ r₁ − r₂,  Θ = D + u/(x − Low) + v/(High − x),
//
// E being s/y for inequalities, and factors that matrix.
func (s *Solver) reduce() {
	for i := range s.inv {
		s.inv[i] = 0
		if !s.fixed(i) {
			s.inv[i] = 1 / (s.hessian(i) + proximal + s.u[i]/(s.x[i]-s.Low[i]) + s.v[i]/(s.High[i]-s.x[i]))
		}
		s.step.x[i] = math.Sqrt(s.inv[i]) // until there is a step
	}
	simd.Parallel(s.m, 32, func(lo, hi int) {
		for j := lo; j < hi; j++ {
			simd.Mul(s.scaled[j*s.n:(j+1)*s.n], s.Rows[j*s.n:(j+1)*s.n], s.step.x)
		}
	})
	simd.Gram(false, s.m, s.n, 1, s.scaled, s.n, 0, s.normal.l, s.m)
	for j := range s.m {
		e := proximal
		if j >= s.Equal {
			e = s.s[j] / s.y[j]
		}
		s.normal.l[j*s.m+j] += e
	}
	s.normal.factor()
}

// aim sets the target changes of the complementary products: all shall become mu. The products
// of the changes in the predicted direction d are subtracted, unless d is nil.
func (s *Solver) aim(d *direction, mu float64) {
	t := &s.target
	clear(t.s)
	clear(t.u)
	clear(t.v)
	for j := s.Equal; j < s.m; j++ {
		t.s[j] = mu - s.s[j]*s.y[j]
	}
	for i, x := range s.x {
		if !s.fixed(i) {
			t.u[i], t.v[i] = mu-(x-s.Low[i])*s.u[i], mu-(s.High[i]-x)*s.v[i]
		}
	}
	if d == nil {
		return
	}
	for j := s.Equal; j < s.m; j++ {
		t.s[j] -= d.s[j] * d.y[j]
	}
	for i, dx := range d.x {
		t.u[i] -= dx * d.u[i]
		t.v[i] += dx * d.v[i]
	}
}

// solve overwrites d with the solution of Newton's equations for the target.
func (s *Solver) solve(d *direction) {
	t := &s.target
	for i, x := range s.x {
		r := -s.dual[i]
		if !s.fixed(i) {
			r += t.u[i] / (x - s.Low[i])
			r -= t.v[i] / (s.High[i] - x)
		}
		d.u[i] = r // r₁, until its place is needed
		d.x[i] = r * s.inv[i]
	}
	s.times(d.y, d.x)
	for j := range d.y {
		d.y[j] += s.primal[j]
		if j >= s.Equal {
			d.y[j] += t.s[j] / s.y[j]
		}
	}
	s.normal.solve(d.y)
	s.timesTransposed(d.x, d.y)
	s.substitute(d)
}

// substitute finds the other steps from that of y, with r₁ in d.u and Rowsᵀ Δy in
// d.x.
func (s *Solver) substitute(d *direction) {
	t := &s.target
	for i, x := range s.x {
		dx := (d.u[i] - d.x[i]) * s.inv[i]
		d.x[i], d.u[i], d.v[i] = dx, 0, 0
		if !s.fixed(i) {
			d.u[i], d.v[i] = (t.u[i]-s.u[i]*dx)/(x-s.Low[i]), (t.v[i]+s.v[i]*dx)/(s.High[i]-x)
		}
	}
	clear(d.s[:s.Equal])
	for j := s.Equal; j < s.m; j++ {
		d.s[j] = (t.s[j] - s.s[j]*d.y[j]) / s.y[j]
	}
}

// longest returns how far a step can go, up to just over 1, before a slack or x
// (primal) or a multiplier (dual) reaches its limit.
func (s *Solver) longest(d *direction) (primal, dual float64) {
	primal, dual = 1/within, 1/within
	for j := s.Equal; j < s.m; j++ {
		primal, dual = limit(primal, s.s[j], d.s[j]), limit(dual, s.y[j], d.y[j])
	}
	for i, x := range s.x {
		if !s.fixed(i) {
			primal, dual = limit(primal, x-s.Low[i], d.x[i]), limit(dual, s.u[i], d.u[i])
			primal, dual = limit(primal, s.High[i]-x, -d.x[i]), limit(dual, s.v[i], d.v[i])
		}
	}
	return primal, dual
}

// limit returns the least of a and the step at which x + step·dx is zero.
func limit(a, x, dx float64) float64 {
	if dx < 0 {
		return min(a, -x/dx)
	}
	return a
}

// advance makes the step. Rounding may not take anything to its limit.
func (s *Solver) advance(d *direction, primal, dual float64) {
	simd.Axpy(primal, d.s, s.s)
	simd.Axpy(dual, d.y, s.y)
	for i := range s.x {
		if x := s.x[i] + primal*d.x[i]; s.fixed(i) || !(x <= s.Low[i] || x >= s.High[i]) {
			s.x[i] = x
		}
		s.u[i] = max(s.u[i]+dual*d.u[i], 0)
		s.v[i] = max(s.v[i]+dual*d.v[i], 0)
	}
	for j := s.Equal; j < s.m; j++ {
		s.s[j], s.y[j] = max(s.s[j], 1e-300), max(s.y[j], 1e-300)
	}
}
