package qp

import (
	"context"
	"math"

	"tattle/internal/math/simd"
)

// A Solver solves programmes in storage of its own, which it keeps for the next
// one. The zero value is ready; it is not safe for concurrent use.
type Solver struct {
	*Problem
	n, m int

	x, y, s, u, v []float64 // iterate: variables, multipliers of the rows, slacks, multipliers of the limits

	dual, primal []float64 // residuals of stationarity [n] and of the rows [m]
	rowsY        []float64 // [n], Rowsᵀ y
	inv          []float64 // [n], the inverse of the diagonal of the reduced Hessian; 0 if x is fixed
	scaled       []float64 // [m, n], Rows times the root of inv
	step         direction
	target       complements
	affine       direction
	right        []float64 // [m], multipliers that may prove infeasibility
	short        bool      // the last step was
	normal       cholesky
}

// direction is a step in all unknowns.
type direction struct{ x, y, s, u, v []float64 }

// complements is what each complementary product is to change by: of slacks, and
// of both limits.
type complements struct{ s, u, v []float64 }

func (d *direction) grow(n, m int) {
	d.x, d.u, d.v = sized(d.x, n), sized(d.u, n), sized(d.v, n)
	d.y, d.s = sized(d.y, m), sized(d.s, m)
}

func (s *Solver) grow(p *Problem) {
	s.Problem, s.n, s.m = p, len(p.Q), len(p.Right)
	n, m := s.n, s.m
	for _, x := range []*[]float64{&s.x, &s.u, &s.v, &s.dual, &s.rowsY, &s.inv, &s.target.u, &s.target.v} {
		*x = sized(*x, n)
	}
	for _, x := range []*[]float64{&s.y, &s.s, &s.primal, &s.target.s, &s.right} {
		*x = sized(*x, m)
	}
	s.scaled = sized(s.scaled, m*n)
	s.step.grow(n, m)
	s.affine.grow(n, m)
	s.normal.grow(m)
}

// Solve solves p, which must not change meanwhile. It returns an error if numbers make no
// sense and if ctx ends, and panics if lengths do not match.
func (s *Solver) Solve(ctx context.Context, p *Problem, o Options) (Result, error) {
	if err := p.check(); err != nil {
		return Result{}, err
	}
	o, err := o.resolve()
	if err != nil {
		return Result{}, err
	}
	s.grow(p)
	s.start()
	s.short = false
	r := Result{X: s.x, Multipliers: s.y, AtLow: s.u, AtHigh: s.v}
	for ; ; r.Iterations++ {
		if err := ctx.Err(); err != nil {
			return Result{}, err
		}
		s.residuals(&r)
		switch {
		case r.Primal <= o.Feasibility && r.Dual <= o.Tolerance && r.Gap <= o.Tolerance:
			r.Status = Solved
			return r, nil
		case s.infeasible(&r):
			r.Status = Infeasible
			return r, nil
		case r.Iterations == o.Iterations || !s.iterate():
			r.Status = Unfinished
			return r, nil
		}
	}
}

// start puts x in the middle of its limits and every complementary product to the
// same value, of the size of the objective's slope times the width of the limits.
func (s *Solver) start() {
	width, slope := 0., 0.
	for i := range s.n {
		l, h := s.Low[i], s.High[i]
		s.x[i] = l + (h-l)/2
		width += (h - l) / 2
		slope = max(slope, math.Abs(s.slope(i)))
	}
	width = (width + 1) / float64(s.n+1)
	mu := max(slope*width, 1e-3)
	for i, x := range s.x {
		s.u[i], s.v[i] = 0, 0
		if !s.fixed(i) {
			s.u[i], s.v[i] = mu/(x-s.Low[i]), mu/(s.High[i]-x)
		}
	}
	s.startRows(mu)
}

// leastSlack is the least slack at the start over the average: on MNIST's twins a
// tenth or the average itself take one to two steps more.
const leastSlack = 0.3

// startRows gives every inequality a slack, what x leaves or leastSlack.
func (s *Solver) startRows(mu float64) {
	s.times(s.primal, s.x)
	mean := 0.
	for j := s.Equal; j < s.m; j++ {
		mean += math.Abs(s.Right[j]-s.primal[j]) / float64(s.m-s.Equal)
	}
	clear(s.y)
	clear(s.s)
	for j := s.Equal; j < s.m; j++ {
		s.s[j] = max(s.Right[j]-s.primal[j], leastSlack*mean, 1e-3)
		s.y[j] = mu / s.s[j]
	}
}

func (s *Solver) hessian(i int) float64 {
	if s.D == nil {
		return 0
	}
	return s.D[i]
}

// slope is the derivative of the objective in x_i.
func (s *Solver) slope(i int) float64 { return s.hessian(i)*s.x[i] + s.Q[i] }

func (s *Solver) fixed(i int) bool { return s.Low[i] == s.High[i] }

// residuals computes what the iterate leaves of stationarity, D x + Q + Rowsᵀy − u
// + v, and of the rows, Rows x + s − Right, and the three measures of both and of
// complementarity.
func (s *Solver) residuals(r *Result) {
	s.timesTransposed(s.rowsY, s.y)
	r.Objective, r.Primal, r.Dual, r.Gap = 0, 0, 0, 0
	q, b := 1+simd.MaxAbs(s.Q), 1+simd.MaxAbs(s.Right)
	for i, x := range s.x {
		s.dual[i] = s.slope(i) + s.rowsY[i] - s.u[i] + s.v[i]
		r.Objective += x * (s.hessian(i)*x/2 + s.Q[i])
		if s.fixed(i) {
			s.dual[i] = 0
		}
		r.Dual = max(r.Dual, math.Abs(s.dual[i])/q)
	}
	s.times(s.primal, s.x)
	for j := range s.primal {
		s.primal[j] += s.s[j] - s.Right[j]
		r.Primal = max(r.Primal, math.Abs(s.primal[j])/b)
	}
	sum, _ := s.complementarity(nil, 0, 0)
	r.Gap = sum / (1 + math.Abs(r.Objective))
}

// complementarity returns the sum and the number of complementary products after
// steps along d, of length primal in x and s and dual in the multipliers.
func (s *Solver) complementarity(d *direction, primal, dual float64) (sum float64, count int) {
	if d == nil {
		d = &s.step
		primal, dual = 0, 0
	}
	at := func(x, dx []float64, i int, a float64) float64 {
		if a == 0 {
			return x[i]
		}
		return x[i] + a*dx[i]
	}
	for j := s.Equal; j < s.m; j++ {
		sum += at(s.s, d.s, j, primal) * at(s.y, d.y, j, dual)
		count++
	}
	for i := range s.n {
		if s.fixed(i) {
			continue
		}
		x := at(s.x, d.x, i, primal)
		sum += (x - s.Low[i]) * at(s.u, d.u, i, dual)
		sum += (s.High[i] - x) * at(s.v, d.v, i, dual)
		count += 2
	}
	return sum, count
}

// times overwrites dst, [m], with Rows x.
func (s *Solver) times(dst, x []float64) {
	simd.Parallel(s.m, 64, func(lo, hi int) {
		for j := lo; j < hi; j++ {
			dst[j] = simd.Dot(s.Rows[j*s.n:(j+1)*s.n], x)
		}
	})
}

// timesTransposed overwrites dst, [n], with Rowsᵀ y.
func (s *Solver) timesTransposed(dst, y []float64) {
	clear(dst)
	simd.Parallel(s.n, 128, func(lo, hi int) {
		for j, v := range y {
			simd.Axpy(v, s.Rows[j*s.n+lo:j*s.n+hi], dst[lo:hi])
		}
	})
}
