package bound

import (
	"context"
	"math"

	"tattle/internal/engine/nn"
	"tattle/internal/math/lsqr"
	"tattle/internal/math/simd"
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
}

func (a *products) Dims() (rows, cols int) { return a.n, a.p }

func (a *products) Mul(dst, v []float32) {
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
	model  nn.Model
	batch  *batch
	a      systems
	solver lsqr.Solver[float32]
}

func (s *matrixFree) prepare(b *batch) { s.batch = b }

// operator returns the products for that many systems.
func (s *matrixFree) operator(ctx context.Context, count int) *systems {
	p, n := s.model.Dims()
	s.a = systems{products{ctx.Err, s.model.Linearize(s.batch.theta), p, n}, s.model, s.batch.theta, count * p / len(s.batch.theta), s.a.chosen}
	return &s.a
}

func (s *matrixFree) apply(ctx context.Context, dst, x []float32, back bool) error {
	p, n := s.model.Dims()
	count := len(x) / n
	if back {
		count = len(x) / p
	}
	var a lsqr.Operator[float32] = s.operator(ctx, count)
	if back {
		a = transposed{&s.a}
	}
	r := s.solver.Solve(a, x, count, converged)
	if err := ctx.Err(); err != nil {
		return err
	}
	copy(dst, r.X)
	for i, st := range r.Stats {
		effort := rowOf(s.batch.effort, i/s.a.each, 3)
		effort[0], effort[1] = max(effort[0], int64(st.Iterations)), effort[1]+1
		if !st.Status.Solved() {
			effort[2]++
		}
	}
	return nil
}

// explicit applies J⁺ as a matrix, formed once for each example from the singular
// value decomposition of its Jacobian's active rows.
type explicit struct {
	p, n  int
	batch *batch
}

func (s *explicit) prepare(b *batch) {
	if s.batch = b; b.inverses == nil {
		b.inverses = make([][]float32, len(b.factors))
		parallel(len(b.factors), func(i int) { b.inverses[i] = b.factors[i].pseudoinverse() })
	}
}

func (s *explicit) apply(_ context.Context, dst, x []float32, back bool) error {
	examples, from, to := len(s.batch.factors), s.n, s.p
	if back {
		from, to = to, from
	}
	restarts := len(x) / (examples * from)
	clear(dst)
	parallel(examples, func(i int) {
		active, inverse := s.batch.factors[i].Active, s.batch.inverses[i] // J⁺ transposed, [active, p]
		a, x, dst := len(active), rowOf(x, i, restarts*from), rowOf(dst, i, restarts*to)
		za := make([]float32, restarts*a)
		switch {
		case a == 0:
		case back:
			simd.Gemm(false, true, restarts, a, s.p, 1, x, s.p, inverse, s.p, 0, za, a)
			scatter(dst, za, active, s.n)
		default:
			gather(za, x, active, s.n)
			simd.Gemm(false, false, restarts, s.p, a, 1, za, a, inverse, s.p, 0, dst, s.p)
		}
	})
	return nil
}

// factored applies J⁺ of the batch's only example by its factor.
type factored struct {
	p, n   int
	of     *gramian
	eps, z []float64
}

func (s *factored) prepare(b *batch) { s.of = b.gramian }

func (s *factored) apply(ctx context.Context, dst, x []float32, back bool) error {
	clear(dst)
	if s.of == nil {
		return nil
	}
	k, active := len(x)/s.n, s.of.active
	if back {
		k = len(x) / s.p
	}
	s.eps, s.z = room(s.eps, k*s.p), room(s.z, k*len(active))
	if back {
		copy(s.eps, nn.Float64s(x))
		err := s.of.across(ctx, s.z, s.eps, k, s.of.tall)
		scatter(dst, s.z, active, s.n)
		return err
	}
	gather(s.z, x, active, s.n)
	err := s.of.across(ctx, s.eps, s.z, k, !s.of.tall)
	convert(dst, s.eps)
	return err
}
