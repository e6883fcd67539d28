package bound

import (
	"context"

	"tattle/internal/math/simd"
)

// explicit applies J⁺ as a matrix, formed once for each example from the singular
// value decomposition of its Jacobian's active rows.
type explicit struct {
	p, n  int
	batch *batch
}

func (s *explicit) prepare(b *batch) { s.batch = b; b.pseudoinverses() }

// each calls f for every example with its J⁺ transposed, [active, p], and its
// rows of z and eps.
func (s *explicit) each(eps, z []float32, f func(active []int, inverse, eps, z []float32)) {
	examples := len(s.batch.factors)
	restarts := len(z) / (examples * s.n)
	parallel(examples, func(i int) {
		f(s.batch.factors[i].Active, s.batch.inverses[i],
			eps[i*restarts*s.p:(i+1)*restarts*s.p], z[i*restarts*s.n:(i+1)*restarts*s.n])
	})
}

func (s *explicit) solve(_ context.Context, eps, z []float32) error {
	s.each(eps, z, func(active []int, inverse, eps, z []float32) {
		restarts, a := len(eps)/s.p, len(active)
		if a == 0 {
			clear(eps)
			return
		}
		za := make([]float32, restarts*a)
		for r := range restarts {
			gather(rowOf(za, r, a), rowOf(z, r, s.n), active)
		}
		simd.Gemm(false, false, restarts, s.p, a, 1, za, a, inverse, s.p, 0, eps, s.p)
	})
	return nil
}

func (s *explicit) transpose(_ context.Context, z, eps []float32) error {
	s.each(eps, z, func(active []int, inverse, eps, z []float32) {
		restarts, a := len(eps)/s.p, len(active)
		clear(z)
		if a == 0 {
			return
		}
		za := make([]float32, restarts*a)
		simd.Gemm(false, true, restarts, a, s.p, 1, eps, s.p, inverse, s.p, 0, za, a)
		for r := range restarts {
			for k, j := range active {
				z[r*s.n+j] = za[r*a+k]
			}
		}
	})
	return nil
}
