package bound

import (
	"math"

	"gonum.org/v1/gonum/mat"

	"tattle/internal/simd"
	"tattle/nn"
)

const (
	// farDirect is the most rows of J for which a step solves with J itself; beyond
	// it, by conjugate gradients.
	farDirect = 256
	// farSolve is the number of steps of conjugate gradients in place of one solve:
	// they take the largest singular values first, which move the features most.
	farSolve = 24
	// farRidge is the least λ, over the largest diagonal element: J in float32 is of
	// full rank by its rounding alone.
	farRidge = 1e-9
	// farDamping is λ over (‖z‖/‖ε‖)². The rooms, mostly well below 1, scale the
	// singular values down.
	farDamping = 1e-3
	// farAlternations are the steps within which a start is in the null space.
	farAlternations = 12
	// farStride is how much of the way to the nearest face one of them goes.
	farStride = 0.9
)

// A corrector solves for the least change x of ε, in the norm ‖W⁻¹x‖, that takes
// z away in the linear regime, J x = −z, W being the room that each entry has in
// the box. Small changes in that norm stay in the box. Singular values of JW below
// about ‖z‖/‖ε‖ it leaves alone (λ of Levenberg and Marquardt): that raises
// ‖ε‖/‖z‖ even where J has no null space, as an inverse iteration does, and once z
// nearly vanishes it is a full Gauss-Newton step.
type corrector interface {
	correct() // overwrites s.step
}

// hide moves the starts to where J at θ sees them least, an interior-point
// iteration in the box: the norm shrinks with the room.
func (s *farSearch) hide(factors []*Factors) {
	examples := len(s.theta) / s.p
	rows := make([][]float64, examples) // J, or SVᵀ, which is as long as it on every ε
	if factors == nil {
		js := jacobians(s.model.Linearize(s.theta), examples, s.p, s.n)
		for i := range rows {
			rows[i] = js[i].Rows
		}
	}
	parallel(examples, func(i int) {
		if factors != nil {
			rows[i] = append([]float64(nil), factors[i].V...)
			for k, v := range factors[i].S {
				simd.Scale(v, rowOf(rows[i], k, s.p))
			}
		}
		f := newFarSystem(len(rows[i])/s.p, s.p)
		for k := range s.options.Starts {
			row := i*s.options.Starts + k
			s.hideRow(f, rows[i], row)
		}
	})
}

// hideRow is hide of one row, j being J but for a rotation of the features.
func (s *farSearch) hideRow(f *farSystem, j []float64, row int) {
	e := rowOf(s.eps, row, s.p)
	w, wide, norm := rowOf(s.room, row, s.p), make([]float64, s.p), norm32(e)
	for range farAlternations {
		for i, v := range e {
			wide[i] = float64(v)
		}
		simd.Gemm(false, true, 1, f.rank, s.p, 1, wide, s.p, j, s.p, 0, f.z, f.rank)
		s.measure(w, row, e)
		ratio := math.Sqrt(simd.SumSquares(f.z) / simd.SumSquares(wide))
		if !(ratio > 0) || !f.factor(j, w, ratio) || !f.solve() {
			break
		}
		stride := min(1, farStride/simd.MaxAbs(f.x))
		for i, x := range f.x {
			e[i] += float32(stride*x) * w[i]
		}
		if f.rank >= s.p {
			s.stretch(row, e, norm)
		} else if stride == 1 {
			break
		}
	}
	s.clip(row, e)
}

// stretch lengthens ε of a row to norm, or as far as the box allows.
func (s *farSearch) stretch(row int, e []float32, norm float64) {
	low, high := rowOf(s.low, s.example(row), s.p), rowOf(s.high, s.example(row), s.p)
	by := norm / max(norm32(e), math.SmallestNonzeroFloat32)
	for i, v := range e {
		if v > 0 {
			by = min(by, float64(high[i])/float64(v))
		} else if v < 0 {
			by = min(by, float64(low[i])/float64(v))
		}
	}
	if by > 1 {
		simd.Scale(float32(by), e)
	}
}

// linearize returns a corrector for the open rows at their θ+ε.
func (s *farSearch) linearize(eps []float32) corrector {
	for k, row := range s.open {
		copy(rowOf(s.x, k, s.p), rowOf(eps, row, s.p))
		s.measure(rowOf(s.room, k, s.p), row, rowOf(eps, row, s.p))
	}
	lin := s.model.Linearize(s.points(s.x))
	if _, most := activeRows(lin, len(s.open), s.p, s.n); most > farDirect {
		return &farGradients{s, lin}
	}
	return &farMatrices{s, jacobians(lin, len(s.open), s.p, s.n)}
}

// advance takes the step of the corrector, or a part of it, wherever that is worth
// it.
func (s *farSearch) advance(c corrector) {
	c.correct()
	chosen := make([]float64, len(s.open))
	from := make([]float32, len(s.open)*s.p)
	for k, row := range s.open {
		e := rowOf(s.eps, row, s.p)
		copy(rowOf(from, k, s.p), e)
		chosen[k] = s.value(norm32(e), norm32(rowOf(s.z, row, s.n)), s.floor[s.example(row)], 0)
	}
	for _, part := range []float32{1, .5, .25} {
		parallel(len(s.open), func(k int) {
			x := rowOf(s.x, k, s.p)
			simd.Combine(x, rowOf(from, k, s.p), rowOf(s.step, k, s.p), 1, part, 0)
			s.clip(s.open[k], x)
		})
		s.evaluate()
		s.take(chosen, 0)
	}
}

// farMatrices solves with every row's Jacobian.
type farMatrices struct {
	s  *farSearch
	js []Jacobian
}

func (c *farMatrices) correct() {
	s := c.s
	parallel(len(s.open), func(k int) {
		row, j, u := s.open[k], c.js[k], rowOf(s.step, k, s.p)
		clear(u)
		f := newFarSystem(len(j.Active), s.p)
		z, w := rowOf(s.z, row, s.n), rowOf(s.room, k, s.p)
		for r, a := range j.Active {
			f.z[r] = float64(z[a])
		}
		if !f.factor(j.Rows, w, norm32(z)/norm32(rowOf(s.eps, row, s.p))) || !f.solve() {
			return
		}
		for i, x := range f.x {
			u[i] = float32(x) * w[i]
		}
	})
}

// farSystem is one row's (JW²Jᵀ + λ) y = −z with x = WJᵀy.
type farSystem struct {
	rank, p  int
	jw, gram []float64 // [rank, p], [rank, rank]
	z, x     []float64 // [rank], [p]
	cholesky mat.Cholesky
}

// newFarSystem makes room for one.
func newFarSystem(rank, p int) *farSystem {
	return &farSystem{rank: rank, p: p, jw: make([]float64, rank*p), gram: make([]float64, rank*rank),
		z: make([]float64, rank), x: make([]float64, p)}
}

// factor takes up another J and W, with λ = ratio². It reports whether there is
// anything to solve.
func (f *farSystem) factor(j []float64, w []float32, ratio float64) bool {
	if f.rank == 0 {
		return false
	}
	for i, v := range w {
		f.x[i] = float64(v)
	}
	for r := range f.rank {
		simd.Mul(rowOf(f.jw, r, f.p), rowOf(j, r, f.p), f.x)
	}
	simd.Gemm(false, true, f.rank, f.rank, f.p, 1, f.jw, f.p, f.jw, f.p, 0, f.gram, f.rank)
	top := 0.
	for r := range f.rank {
		top = max(top, f.gram[r*f.rank+r])
	}
	for r := range f.rank {
		f.gram[r*f.rank+r] += farDamping*ratio*ratio + farRidge*top
	}
	return top > 0 && f.cholesky.Factorize(mat.NewSymDense(f.rank, f.gram))
}

// solve overwrites x, and z.
func (f *farSystem) solve() bool {
	y := mat.NewVecDense(f.rank, f.z)
	if f.cholesky.SolveVecTo(y, y) != nil {
		return false
	}
	simd.Gemm(false, false, 1, f.p, f.rank, -1, f.z, f.rank, f.jw, f.p, 0, f.x, f.p)
	return true
}

// farGradients solves by conjugate gradients on ‖JWx + z‖² + λ‖x‖².
type farGradients struct {
	s   *farSearch
	lin nn.Linearization[float32]
}

func (c *farGradients) correct() {
	s := c.s
	rows := len(s.open)
	r, q := make([]float32, rows*s.n), make([]float32, rows*s.n)
	d, g, t := make([]float32, rows*s.p), make([]float32, rows*s.p), make([]float32, rows*s.p)
	lambda, rho := make([]float32, rows), make([]float64, rows)
	for k, row := range s.open {
		z := rowOf(s.z, row, s.n)
		simd.ScaleShift(rowOf(r, k, s.n), z, -1, 0)
		ratio := norm32(z) / norm32(rowOf(s.eps, row, s.p))
		lambda[k] = float32(farDamping * ratio * ratio)
	}
	clear(s.step)
	for range farSolve {
		c.lin.VJP(g, r) // g = WJᵀr − λx
		parallel(rows, func(k int) {
			g, d := rowOf(g, k, s.p), rowOf(d, k, s.p)
			simd.Mul(g, g, rowOf(s.room, k, s.p))
			simd.Axpy(-lambda[k], rowOf(s.step, k, s.p), g)
			now := float64(simd.SumSquares(g))
			beta := 0.
			if rho[k] > 0 {
				beta = now / rho[k]
			}
			simd.Combine(d, g, d, 1, float32(beta), 0)
			simd.Mul(rowOf(t, k, s.p), d, rowOf(s.room, k, s.p))
			rho[k] = now
		})
		c.lin.JVP(q, t)
		parallel(rows, func(k int) {
			q, d := rowOf(q, k, s.n), rowOf(d, k, s.p)
			curve := float64(simd.SumSquares(q)) + float64(lambda[k])*float64(simd.SumSquares(d))
			if !(curve > 0) {
				return
			}
			alpha := float32(rho[k] / curve)
			simd.Axpy(alpha, d, rowOf(s.step, k, s.p))
			simd.Axpy(-alpha, q, rowOf(r, k, s.n))
		})
	}
	simd.Mul(s.step[:rows*s.p], s.step[:rows*s.p], s.room[:rows*s.p])
}
