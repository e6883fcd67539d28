package attack

import (
	"context"
	"fmt"

	"tattle/internal/engine/nn"
	"tattle/internal/math/simd"
	"tattle/internal/protect/bayes"
	"tattle/internal/protect/bound"
	"tattle/internal/protect/release"
)

// LinearOptions are the settings of NewLinear.
type LinearOptions struct {
	Queries int          // releases of one input; the attacker takes their mean; 0 is 1
	Post    release.Post // if any, the moments are those of releases drawn by Seed
	Domain  bound.Domain // where reconstructions are clipped
	Seed    uint64
	Memo    *bayes.Memo // of the training examples' features; nil: they are computed
	// Progress, unless nil, is called with the steps done, of which the batches of
	// examples and the maps solved for are one each, and those of the whole fit.
	Progress func(done, total int)
}

// Linear is the affine map of least mean-square error, θ̂ = E[θ] + C_θa (C_aa +
// σ²I)⁻¹ (x − E[a]), from moments of training examples in float64. The noise is
// added to them exactly, so the attack is adapted to it.
type Linear struct {
	affine
	p, n    int
	domain  bound.Domain
	indices []int  // of the training examples
	kept    affine // the map without the held-out ones
	added   float64
	about   string
	moments *moments
	ridge   float64
	noisy   bool // the moments hold the noise
}

// affine is the map θ̂ = Wᵀx + b.
type affine struct {
	weight []float32 // W, [n, p]
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
func NewLinear(ctx context.Context, front nn.Model, noise release.Noise, train nn.Source, o LinearOptions) (*Linear, error) {
	p, n := front.Dims()
	if err := check(p, o.Domain); err != nil {
		return nil, err
	}
	if n > maxMoments/(n+p) {
		return nil, fmt.Errorf("attack: the linear attack on %d features and %d inputs takes %d moments, more than %d: release fewer features", n, p, n*(n+p), maxMoments)
	}
	indices, err := trainingSet(train, train.Len(), o.Seed)
	if err != nil {
		return nil, err
	}
	c, err := newChannel(noise, o.Queries, o.Post, n)
	if err != nil {
		return nil, err
	}
	l := &Linear{p: p, n: n, domain: o.Domain, indices: indices, noisy: (o.Post != release.Post{}), added: variance(noise, o.Queries)}
	f := &fitting{Linear: l, front: front, train: train, channel: c, memo: o.Memo, seed: o.Seed, onProgress: o.Progress}
	if err := f.run(ctx); err != nil {
		return nil, err
	}
	l.about = fmt.Sprintf("knows the model, the noise and the post-processing, and applies the affine map of least mean-square error for %d training examples", len(indices))
	return l, nil
}

// apply sets dst, [batch, p], for x, [batch, n].
func (m affine) apply(dst, x []float32) {
	p := len(m.bias)
	n := len(m.weight) / p
	simd.Gemm(false, false, len(x)/n, p, n, 1, x, n, m.weight, p, 0, dst, p)
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

// Name returns "linear".
func (l *Linear) Name() string { return "linear" }

// About says what the attack knows.
func (l *Linear) About() string { return l.about }

// Reconstruct applies the map.
func (l *Linear) Reconstruct(ctx context.Context, dst, x []float32) error {
	rows(dst, x, l.p, l.n)
	l.apply(dst, x)
	clip(dst, l.domain)
	return ctx.Err()
}
