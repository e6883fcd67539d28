package bound

import (
	"context"
	"slices"

	"tattle/internal/engine/nn"
)

// factored applies J⁺ of the batch's only example by its factor.
type factored struct {
	p, n int
	of   *gramian

	eps, z []float64
}

func (s *factored) prepare(b *batch) { s.of = b.gramian }

// room makes room for k vectors.
func (s *factored) room(k int) {
	s.eps = slices.Grow(s.eps[:0], k*s.p)[:k*s.p]
	s.z = slices.Grow(s.z[:0], k*len(s.of.active))[:k*len(s.of.active)]
}

func (s *factored) solve(ctx context.Context, eps, z []float32) error {
	if s.of == nil {
		clear(eps)
		return nil
	}
	k := len(z) / s.n
	s.room(k)
	for i := range k {
		gather(rowOf(s.z, i, len(s.of.active)), rowOf(z, i, s.n), s.of.active)
	}
	err := s.of.across(ctx, s.eps, s.z, k, !s.of.tall)
	narrow(eps, s.eps)
	return err
}

func (s *factored) transpose(ctx context.Context, z, eps []float32) error {
	clear(z)
	if s.of == nil {
		return nil
	}
	k := len(z) / s.n
	s.room(k)
	copy(s.eps, nn.Float64s(eps))
	err := s.of.across(ctx, s.z, s.eps, k, s.of.tall)
	for i := range k {
		row := rowOf(z, i, s.n)
		for a, j := range s.of.active {
			row[j] = float32(s.z[i*len(s.of.active)+a])
		}
	}
	return err
}
