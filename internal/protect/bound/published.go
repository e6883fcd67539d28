package bound

import (
	"context"
	"math"

	"tattle/internal/engine/nn"
	"tattle/internal/math/lsqr"
	"tattle/internal/math/simd"
)

// The stopping rule of the authors' program
// (https://github.com/facebookresearch/hcrbounds, codes/testers.py) is that of scipy's LSQR.
// btol, conlim and the limit on iterations are scipy's defaults. atol is a fiftieth of the
// smallest ‖z̃‖ in the stack: the program uses an absolute length as a relative tolerance.
const (
	publishedATol = 2e-2
	publishedBTol = 1e-6
)

// published is the procedure of the authors' program. It differs from Algorithm 1 in three
// points:
//   - The examples of a stack are one least-squares problem with a block-diagonal J. They share
//     LSQR's scalars and its stopping rule. LSQR stops early, which damps the small singular
//     values.
//   - J is computed at θ+ε of the previous repeat.
//   - θ+ε and its features are float32, and ε is the difference of the rounded inputs.
//
// Implementation: with J = U S Vᵀ, LSQR on (J, z) makes the same steps as LSQR on (S, Uᵀz) with
// one more row of zeros, for the part of z outside the range of J, because rotations change no
// norm and no inner product. So LSQR runs on a diagonal matrix, and the decomposition of J at
// θ+ε is an update of that at θ. If J is too large to be decomposed, LSQR runs on products
// with J.
type published struct {
	model   nn.Model
	options SearchOptions
	domain  Domain
	updater *updater // nil if J is not decomposed
	effort  []int64  // of the first example of the stack
}

func (s *published) search(ctx context.Context, eps []float32, b *batch, size float64, progress func(part float64)) error {
	p, n := s.model.Dims()
	examples := len(b.theta) / p
	restarts := len(b.start) / (examples * n)
	features := make([]float32, examples*n)
	s.model.Forward(features, b.theta)
	s.updater, s.effort = nil, b.effort[:3]
	rows := 0
	for _, f := range b.factors {
		rows = max(rows, len(f.Active))
	}
	if b.factors != nil && updates(rows, s.model) {
		s.updater = newUpdater(s.model, b.theta, b.factors)
	}
	for r := range restarts {
		progress(float64(r) / float64(restarts))
		if err := s.restart(ctx, eps, b, features, size, r, restarts); err != nil {
			return err
		}
	}
	return nil
}

// restart runs the repeats of restart r for the whole stack.
func (s *published) restart(ctx context.Context, eps []float32, b *batch, features []float32, size float64, r, restarts int) error {
	p, n := s.model.Dims()
	examples := len(b.theta) / p
	z, norms := make([]float32, examples*n), make([]float64, examples)
	for i := range examples {
		copy(z[i*n:(i+1)*n], b.start[(i*restarts+r)*n:])
		norms[i] = norm32(z[i*n:(i+1)*n]) * size
	}
	at, moved := append([]float32(nil), b.theta...), make([]float32, examples*n)
	for range s.options.Repeats {
		smallest := math.Inf(1)
		for i := range examples {
			now := norm32(z[i*n : (i+1)*n])
			if !(now < math.Inf(1)) {
				clear(z[i*n : (i+1)*n]) // features that overflow would spoil the LSQR of the whole stack
			} else if now > 0 {
				simd.Scale(float32(norms[i]/now), z[i*n:(i+1)*n])
				smallest = min(smallest, norms[i])
			}
		}
		delta, err := s.stacked(ctx, at, z, smallest)
		if err != nil {
			return err
		}
		for i := range at {
			at[i] = b.theta[i] + delta[i]
		}
		s.model.Forward(moved, at)
		for i := range z {
			z[i] = moved[i] - features[i]
		}
	}
	for i := range examples {
		for k := range p {
			eps[(i*restarts+r)*p+k] = at[i*p+k] - b.theta[i*p+k]
		}
		s.domain.project(eps[(i*restarts+r)*p:(i*restarts+r+1)*p], b.theta[i*p:(i+1)*p])
	}
	return nil
}

// stacked solves J δ = z for the stack, with J at the inputs at.
func (s *published) stacked(ctx context.Context, at, z []float32, smallest float64) ([]float32, error) {
	p, n := s.model.Dims()
	if s.updater == nil {
		a := stack{&products{ctx.Err, s.model.Linearize(at), p, n}, len(at) / p}
		return s.solve(a, z, smallest, len(at)), ctx.Err()
	}
	delta := make([]float32, len(at))
	parts, err := s.updater.decompose(ctx, at)
	if err != nil {
		return nil, err
	}
	first := make([]int, len(parts)+1) // where the singular values of each example begin
	for i, f := range parts {
		first[i+1] = first[i] + len(f.values())
	}
	total := first[len(parts)]
	if total == 0 {
		return delta, nil
	}
	d := diagonal{make([]float32, total)}
	rhs, rest := make([]float32, total+1), make([]float64, len(parts))
	parallel(len(parts), func(i int) {
		c, outside := parts[i].split(z[i*n : (i+1)*n])
		rest[i] = outside
		for k, v := range parts[i].values() {
			rhs[first[i]+k], d.s[first[i]+k] = float32(c[k]), float32(v)
		}
	})
	rhs[total] = float32(math.Sqrt(simd.Sum(rest)))
	got := s.solve(d, rhs, smallest, len(at))
	parallel(len(parts), func(i int) {
		parts[i].combine(delta[i*p:(i+1)*p], got[first[i]:first[i+1]])
	})
	return delta, nil
}

// solve runs LSQR on one system. cols, which sets the limit on iterations, is the number of
// unknowns before the decomposition.
func (s *published) solve(a lsqr.Operator[float32], b []float32, smallest float64, cols int) []float32 {
	got := lsqr.Solve(a, b, 1, lsqr.Options{ATol: publishedATol * smallest, BTol: publishedBTol, MaxIter: 2 * cols})
	s.effort[0] += int64(got.Stats[0].Iterations)
	s.effort[1]++
	return got.X
}

// stack is a block-diagonal matrix of the Jacobians of a batch.
type stack struct {
	*products
	examples int
}

func (a stack) Dims() (rows, cols int) { return a.n * a.examples, a.p * a.examples }

// diagonal is a diagonal matrix with a row of zeros below it.
type diagonal struct{ s []float32 }

func (d diagonal) Dims() (rows, cols int) { return len(d.s) + 1, len(d.s) }

func (d diagonal) Mul(dst, v []float32) {
	simd.Mul(dst[:len(d.s)], d.s, v)
	dst[len(d.s)] = 0
}

func (d diagonal) MulTrans(dst, u []float32) { simd.Mul(dst, d.s, u[:len(d.s)]) }
