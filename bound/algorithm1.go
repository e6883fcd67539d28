package bound

import (
	"slices"

	"tattle/lsqr"
	"tattle/nn"
)

// DefaultTolerance is algorithm1's for LSQR, atol and btol: near the limit of the
// float32 products, so that small singular values come through as the
// pseudoinverse has them.
const DefaultTolerance = 1e-7

// products is a linearised model as lsqr's operator, each row of [examples,
// restarts] a system.
type products struct {
	lin  nn.Linearization[float32]
	p, n int
}

func (a products) Dims() (rows, cols int)    { return a.n, a.p }
func (a products) Mul(dst, v []float32)      { a.lin.JVP(dst, v) }
func (a products) MulTrans(dst, u []float32) { a.lin.VJP(dst, u) }

// transposed is Jᵀ.
type transposed struct{ products }

func (a transposed) Dims() (rows, cols int)    { return a.p, a.n }
func (a transposed) Mul(dst, v []float32)      { a.lin.VJP(dst, v) }
func (a transposed) MulTrans(dst, u []float32) { a.lin.JVP(dst, u) }

// matrixFree applies J⁺ by LSQR, with J known by its products only.
type matrixFree struct {
	model   nn.Model
	options SearchOptions

	theta   []float32
	at      []float32 // [systems, p], where J is taken if re-linearising; empty for θ
	solver  lsqr.Solver[float32]
	steps   int // of LSQR, the most of a system, over all solves
	systems int // solved
	stopped int // of these, how many met a limit before they converged
}

func newMatrixFree(m nn.Model, o SearchOptions) *matrixFree {
	if o.LSQR.ATol == 0 {
		o.LSQR.ATol = DefaultTolerance
	}
	if o.LSQR.BTol == 0 {
		o.LSQR.BTol = DefaultTolerance
	}
	return &matrixFree{model: m, options: o}
}

func (s *matrixFree) prepare(b *batch) { s.theta, s.at = b.theta, s.at[:0] }

func (s *matrixFree) operator() products {
	p, n := s.model.Dims()
	x := s.theta
	if len(s.at) > 0 {
		x = s.at
	}
	return products{s.model.Linearize(x), p, n}
}

func (s *matrixFree) solve(eps, z []float32) {
	a := s.operator()
	s.count(eps, s.solver.Solve(a, z, len(z)/a.n, s.options.LSQR))
}

func (s *matrixFree) transpose(z, eps []float32) {
	a := s.operator()
	s.count(z, s.solver.Solve(transposed{a}, eps, len(eps)/a.p, s.options.LSQR))
}

func (s *matrixFree) count(x []float32, r lsqr.Result[float32]) {
	copy(x, r.X)
	for _, st := range r.Stats {
		s.systems++
		s.steps = max(s.steps, st.Iterations)
		if !st.Status.Solved() {
			s.stopped++
		}
	}
}

func (s *matrixFree) moved(eps []float32) {
	if !s.options.Relinearize {
		return
	}
	p, _ := s.model.Dims()
	s.at = slices.Grow(s.at[:0], len(eps))[:len(eps)]
	restarts := len(eps) / len(s.theta)
	for r := 0; r < len(eps)/p; r++ {
		t := s.theta[r/restarts*p : (r/restarts+1)*p]
		for i, v := range t {
			s.at[r*p+i] = v + eps[r*p+i]
		}
	}
}
