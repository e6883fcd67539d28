package bound

import (
	"context"
	"slices"

	"tattle/internal/math/float16"
)

// largeBytes is the size of the near witnesses of a run from which on it saves disk: its near
// witnesses are stored in float16 and certified as they are stored, its figures in float32 rounded
// toward what an adversary can do, and its shards are removed while they are merged. A run that ends
// before its arrays are in place computes again what was removed. Smaller runs keep all digits, and
// their shards until they are merged as a whole.
var largeBytes int64 = 64 << 20

// mostLoss is the largest part of a bound that rounding a witness may cost.
const mostLoss = .01

// large reports whether a run saves disk.
func (r *runner) large() bool {
	var bytes int64
	for _, s := range r.experiment.witnessSets() {
		if s.near() {
			bytes += 4 * int64(len(r.indices)) * int64(s.Witnesses) * int64(r.experiment.Coordinates.Inputs())
		}
	}
	return bytes >= largeBytes
}

// near reports whether these are near witnesses that are stored in float32 or less.
func (s *Bounds) near() bool { return s.Size > 0 && !s.double }

// shrink chooses the small types.
func (e *record) shrink() {
	e.small = true
	for _, s := range e.sets {
		s.small, s.half = true, s.near()
	}
}

// halve rounds near witnesses to float16, toward zero, so that they stay in the domain. If that costs a
// bound of the first example of a shard more than mostLoss, all of the shard's stay as they are.
func (r *runner) halve(ctx context.Context, s *Bounds, rec *record) error {
	if s.half && rec.first%r.shard == 0 {
		if err := r.tryHalf(ctx, s, rec.theta); err != nil {
			return err
		}
	}
	if s.half {
		halve(s.eps)
	}
	return nil
}

// tryHalf settles s.half with the first example.
func (r *runner) tryHalf(ctx context.Context, s *Bounds, theta []float32) error {
	p, m := r.experiment.Coordinates.Inputs(), r.experiment.Coordinates.Len()
	first := s.rows(0, 1, p, m)
	if err := first.certify(ctx, r.certifier, r.experiment.Coordinates, theta[:p]); err != nil {
		return err
	}
	std, square, whole := slices.Clone(first.Std), first.MeanSquare[0], slices.Clone(first.eps)
	halve(first.eps)
	if err := first.certify(ctx, r.certifier, r.experiment.Coordinates, theta[:p]); err != nil {
		return err
	}
	s.half = first.MeanSquare[0] >= (1-mostLoss)*square
	for k, v := range first.Std {
		s.half = s.half && v >= (1-mostLoss)*std[k]
	}
	copy(first.eps, whole)
	return nil
}

func halve(x []float32) {
	for i, v := range x {
		x[i] = float16.FromBits(float16.TowardZero(v))
	}
}
