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
