package bound

import (
	"context"
	"math"

	"tattle/internal/engine/nn"
	"tattle/internal/math/simd"
)

// near are the witnesses of one size.
type near struct{}

func (near) seek(ctx context.Context, r *runner, s *Bounds, b *batch, progress func(part float64)) error {
	eps := make([]float32, len(b.index)*s.Witnesses*b.p)
	if err := r.searcher.search(ctx, eps, b, s.Size, progress); err != nil {
		return err
	}
	r.experiment.replaceVoid(eps, b.theta, s.Size)
	keep(s, b.theta, eps, b.p)
	return nil
}

// A searcher overwrites eps, [examples, restarts, p], with perturbations whose
// features move by about size·σ. It reports the part that is done, and ends soon after ctx is
// cancelled, with its error.
type searcher interface {
	search(ctx context.Context, eps []float32, b *batch, size float64, progress func(part float64)) error
}

// pseudoinverter applies the pseudoinverse of each example's J, to every restart.
type pseudoinverter interface {
	prepare(b *batch)
	apply(ctx context.Context, dst, x []float32, back bool) error // ε = J⁺z, or z = (J⁺)ᵀε if back
}

// repeats is Algorithm 1 of A around a way to apply J⁺.
type repeats struct {
	model   nn.Model
	options SearchOptions
	domain  Domain
	inverse pseudoinverter

	z, next []float32
	frozen  []bool
}

func (s *repeats) search(ctx context.Context, eps []float32, b *batch, size float64, progress func(part float64)) error {
	p, n := s.model.Dims()
	rows := len(b.start) / n
	s.z, s.next, s.frozen = room(s.z, len(b.start)), room(s.next, len(eps)), room(s.frozen, rows)
	clear(s.frozen)
	simd.ScaleShift(s.z, b.start, float32(size), 0) // 1: z⁰
	norms := make([]float64, rows)
	for i := range norms {
		norms[i] = norm32(rowOf(b.start, i, n))
	}
	s.inverse.prepare(b)
	for j := 1; ; j++ {
		if err := ctx.Err(); err != nil {
			return err
		}
		progress(float64(j-1) / float64(s.options.Repeats))
		s.rescale(norms, size, n)                                        // 4: ‖z̃‖ = ‖z⁰‖
		if err := s.inverse.apply(ctx, s.next, s.z, false); err != nil { // 5
			return err
		}
		s.domain.project(s.next, b.theta)
		s.accept(eps, p)
		if j == s.options.Repeats {
			return nil // the certificate computes z of the last ε
		}
		if s.options.Iteration == InverseIteration {
			if err := s.inverse.apply(ctx, s.z, eps, true); err != nil {
				return err
			}
			continue
		}
		moved(ctx, s.model, s.z, b.theta, eps) // 6, 7
	}
}

// rescale gives each z the norm of its start. If z is zero because the features do
// not change at all, its ε stays: no other is harder to distinguish from θ.
func (s *repeats) rescale(norms []float64, size float64, n int) {
	parallel(len(norms), func(i int) {
		z := s.z[i*n : (i+1)*n]
		if now := norm32(z); now > 0 {
			simd.Scale(float32(norms[i]*size/now), z)
		} else {
			s.frozen[i] = true
		}
	})
}

// accept takes the new ε of every row that is not frozen. One that float32 cannot
// hold freezes its row.
func (s *repeats) accept(eps []float32, p int) {
	parallel(len(s.frozen), func(i int) {
		next := s.next[i*p : (i+1)*p]
		s.frozen[i] = s.frozen[i] || !nn.Finite(next)
		if !s.frozen[i] {
			copy(eps[i*p:(i+1)*p], next)
		}
	})
}

// norm32 returns ‖x‖, in float64 where squares might leave float32.
func norm32(x []float32) float64 {
	s := float64(simd.SumSquares(x))
	if !(s > 1e-25 && s < 1e30) {
		s = squareNorm32(x)
	}
	return math.Sqrt(s)
}

// squareNorm32 returns ‖x‖², summed in float64.
func squareNorm32(x []float32) (s float64) {
	for _, v := range x {
		s += float64(v) * float64(v)
	}
	return s
}

// searcher returns the search of a resolved experiment.
func (e Experiment) searcher(m nn.Model) searcher {
	p, n := m.Dims()
	by := &repeats{model: m, options: e.Search, domain: e.Domain, inverse: &explicit{p: p, n: n}}
	switch e.Search.Search {
	case Published:
		return &published{model: m, options: e.Search, domain: e.Domain}
	case Algorithm1:
		by.inverse = &matrixFree{model: m}
	case Cholesky:
		by.inverse = &factored{p: p, n: n}
	}
	return by
}

// moved overwrites z, [examples, each, n], with how far perturbations eps, [examples, each, p], of
// the inputs theta move the features: a(θ+ε) − a(θ), the difference of two float64 passes. It errs
// by the rounding of both. That is far below what a search notices: perturbations move the features
// by 10⁻⁵ of the noise or more. If ctx is cancelled, z means nothing.
func moved[T nn.Float](ctx context.Context, m nn.Model, z, theta, eps []T) {
	p, n := m.Dims()
	each := len(eps) / len(theta)
	a0 := make([]float64, len(theta)/p*n)
	m.Forward64(a0, nn.Float64s(theta))
	rows := len(eps) / p
	most := min(rows, certifyRowsOf(p, n))
	x, a := make([]float64, most*p), make([]float64, most*n)
	for lo := 0; lo < rows && ctx.Err() == nil; lo += most {
		count := min(most, rows-lo)
		parallel(count, func(i int) {
			e, t, to := rowOf(eps, lo+i, p), rowOf(theta, (lo+i)/each, p), rowOf(x, i, p)
			for k, v := range e {
				to[k] = float64(t[k]) + float64(v)
			}
		})
		m.Forward64(a[:count*n], x[:count*p])
		parallel(count, func(i int) {
			from, at, to := rowOf(a0, (lo+i)/each, n), rowOf(a, i, n), rowOf(z, lo+i, n)
			for k, v := range at {
				to[k] = T(v - from[k])
			}
		})
	}
}
