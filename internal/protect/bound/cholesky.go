package bound

import (
	"context"

	"tattle/internal/engine/nn"
)

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
