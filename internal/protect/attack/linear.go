package attack

import (
	"context"
	"fmt"

	"tattle/internal/math/gram"
	"tattle/internal/math/simd"
	"tattle/internal/protect/release"
)

// Linear is the affine map of least mean-square error, θ̂ = E[θ] + C_θa (C_aa +
// σ²I)⁻¹ (x − E[a]), from moments of training examples in float64. The noise is
// added to them exactly, so the attack is adapted to it. With post-processing, the moments
// are those of releases that are drawn.
type Linear struct {
	*Attack
	affine
	indices []int  // of the training examples
	kept    affine // the map without the held-out ones
	added   float64
	moments *gram.Moments
	ridge   float64
	noisy   bool // the moments hold the noise
}

// affine is the map θ̂ = Wx + b.
type affine struct {
	weight []float32 // W, [p, n]
	bias   []float32 // [p]
}

// The ridge that is added to the noise is chosen on held-out examples: one in holdout of
// the training examples, at most maxHeld.
const (
	holdout = 10
	maxHeld = 2000
)

// ridges are the candidates, relative to the mean variance of a feature. The smallest keeps
// the equations regular where features are constant.
var ridges = []float64{1e-10, 1e-6, 1e-5, 1e-4, 1e-3, 1e-2, 1e-1, 1}

// NewLinear fits the map to training examples. It returns an error for data of fewer than
// two examples or that is not finite, and on models too large for dense moments:
// beyond 8,192 features of as many inputs. At 3,072 of each it holds 0.8 GiB.
// A batch of examples, and a map that is solved for, are a step of its progress.
func NewLinear(ctx context.Context, s Setting) (*Linear, error) {
	p, n := s.Front.Dims()
	if d := s.Domain; d.Low != nil && (len(d.Low) != p || len(d.High) != p) {
		return nil, fmt.Errorf("attack: a domain of %d inputs for a model of %d: give the range of each input", len(d.Low), p)
	}
	if n > maxMoments/(n+p) {
		return nil, fmt.Errorf("attack: the linear attack on %d features and %d inputs takes %d moments, more than %d: release fewer features", n, p, n*(n+p), maxMoments)
	}
	indices, err := s.trainingSet(s.Data.Len())
	if err != nil {
		return nil, err
	}
	c, err := newChannel(s)
	if err != nil {
		return nil, err
	}
	l := &Linear{indices: indices, noisy: (s.Post != release.Post{}), added: s.variance()}
	l.Attack = newAttack(s, "linear", fmt.Sprintf("knows the model, the noise and the post-processing, and applies the affine map of least mean-square error for %d training examples", len(indices)),
		func(_ context.Context, dst, x []float32) error {
			l.apply(dst, x)
			return nil
		})
	if err := (&fitting{Linear: l, channel: c}).run(ctx); err != nil {
		return nil, err
	}
	return l, nil
}

// apply sets dst, [batch, p], for x, [batch, n].
func (m affine) apply(dst, x []float32) {
	p := len(m.bias)
	n := len(m.weight) / p
	simd.Gemm(false, true, len(x)/n, p, n, 1, x, n, m.weight, n, 0, dst, p)
	simd.AddRows(dst, len(x)/n, p, m.bias)
}

// split parts held-out examples from those that are kept.
func split(indices []int) (kept, held []int) {
	for i, index := range indices {
		if i%holdout == holdout-1 && len(held) < maxHeld {
			held = append(held, index)
		} else {
			kept = append(kept, index)
		}
	}
	return kept, held
}
