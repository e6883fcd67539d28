package bound

import (
	"context"
	"math"
	"slices"

	"tattle/lsqr"
	"tattle/nn"
)

// DefaultTolerance is algorithm1's for LSQR, atol and btol: near the limit of the
// float32 products, so that small singular values come through as the
// pseudoinverse has them.
const DefaultTolerance = 1e-7

// converged is the stopping rule.
var converged = lsqr.Options{ATol: DefaultTolerance, BTol: DefaultTolerance}

// products is a linearised model as lsqr's operator. Once stopped returns an error, as a
// context's Err does, products are NaN, at which LSQR stops.
type products struct {
	stopped func() error
	lin     nn.Linearization[float32]
	p, n    int
	step    func() // is called at every step, which has one product with J
}

func (a *products) Dims() (rows, cols int) { return a.n, a.p }

func (a *products) Mul(dst, v []float32) {
	if a.step != nil {
		a.step()
	}
	if !a.cancelled(dst) {
		a.lin.JVP(dst, v)
	}
}

func (a *products) MulTrans(dst, u []float32) {
	if !a.cancelled(dst) {
		a.lin.VJP(dst, u)
	}
}

func (a *products) cancelled(dst []float32) bool {
	if a.stopped() == nil {
		return false
	}
	for i := range dst {
		dst[i] = float32(math.NaN())
	}
	return true
}

// systems is the products of as many systems for each point where J is taken. A
// narrowed batch has a point for each system, so that what has stopped costs
// nothing.
type systems struct {
	products
	model  nn.Model
	points []float32 // [·, p]
	each   int       // systems for each point
	chosen []float32 // [systems, p], the points of those that are left
}

// Select implements lsqr.Selector.
func (a *systems) Select(left []int) {
	a.chosen = a.chosen[:0]
	for _, i := range left {
		i /= a.each
		a.chosen = append(a.chosen, a.points[i*a.p:(i+1)*a.p]...)
	}
	a.lin = a.model.Linearize(a.chosen)
}

// transposed is Jᵀ.
type transposed struct{ *systems }

func (a transposed) Dims() (rows, cols int)    { return a.p, a.n }
func (a transposed) Mul(dst, v []float32)      { a.systems.MulTrans(dst, v) }
func (a transposed) MulTrans(dst, u []float32) { a.systems.Mul(dst, u) }

// matrixFree applies J⁺ by LSQR, with J known by its products only.
type matrixFree struct {
	model   nn.Model
	options SearchOptions

	theta    []float32
	at       []float32 // [systems, p], where J is taken if re-linearising; empty for θ
	a        systems
	solver   lsqr.Solver[float32]
	progress func(part float64) // of a solve; nil for none
	now      int                // steps of LSQR under way
	before   int                // of the solve before
	effort   effort
}

func newMatrixFree(m nn.Model, o SearchOptions) *matrixFree {
	s := &matrixFree{model: m, options: o}
	s.solver.Progress = func(part float64) {
		if s.before == 0 && s.progress != nil {
			s.progress(part)
		}
	}
	return s
}

func (s *matrixFree) prepare(b *batch) { s.theta, s.at = b.theta, s.at[:0] }

// operator returns the products for that many systems.
func (s *matrixFree) operator(ctx context.Context, count int) *systems {
	p, n := s.model.Dims()
	x := s.theta
	if len(s.at) > 0 {
		x = s.at
	}
	s.now = 0
	s.a = systems{products{ctx.Err, s.model.Linearize(x), p, n, s.step}, s.model, x, count * p / len(x), s.a.chosen}
	return &s.a
}

func (s *matrixFree) solve(ctx context.Context, eps, z []float32) error {
	_, n := s.model.Dims()
	count := len(z) / n
	return s.take(ctx, eps, s.solver.Solve(s.operator(ctx, count), z, count, converged))
}

func (s *matrixFree) transpose(ctx context.Context, z, eps []float32) error {
	p, _ := s.model.Dims()
	count := len(eps) / p
	return s.take(ctx, z, s.solver.Solve(transposed{s.operator(ctx, count)}, eps, count, converged))
}

func (s *matrixFree) reportTo(progress func(part float64)) { s.progress = progress }

// step counts a step of LSQR and reports the part of the solve that is done. It assumes as many
// steps as in the solve before and keeps the last tenth for further steps. The first solve
// estimates the part from its convergence.
func (s *matrixFree) step() {
	if s.now++; s.progress == nil || s.before == 0 {
		return
	}
	if part := float64(s.now) / float64(s.before); part <= 1 {
		s.progress(.9 * part)
	} else {
		s.progress(1 - .1/part)
	}
}

// take copies the solutions and counts what they took.
func (s *matrixFree) take(ctx context.Context, x []float32, r lsqr.Result[float32]) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	copy(x, r.X)
	s.before = s.now
	for _, st := range r.Stats {
		s.effort.solves++
		s.effort.steps = max(s.effort.steps, st.Iterations)
		if !st.Status.Solved() {
			s.effort.stopped++
		}
	}
	return nil
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
