package attack

import (
	"context"
	"errors"
	"fmt"
	"math"
	"sync"

	"tattle/bound"
	"tattle/internal/simd"
	"tattle/nn"
	"tattle/release"
)

// LinearOptions are the settings of NewLinear.
type LinearOptions struct {
	Queries  int          // releases of one input, of which the attacker takes the mean; 0 is 1
	Post     Post         // nil for none; else the moments are those of releases drawn by Seed
	Examples int          // the most that are trained on; 0 is all
	Domain   bound.Domain // where reconstructions are clipped
	Seed     uint64
}

// Linear is the affine map of least mean-square error, θ̂ = E[θ] + C_θa (C_aa +
// σ²I)⁻¹ (x − E[a]), from moments of training examples in float64. The noise is
// added to them exactly, so the attack is adapted to it.
type Linear struct {
	p, n    int
	domain  bound.Domain
	weight  []float32 // [n, p]
	bias    []float32 // [p]
	about   string
	moments *moments
	ridge   float64

	once     sync.Once
	spectrum []float64 // eigenvalues of C_aa
	gains    []float64 // ‖C_θa u_i‖²; nil where the moments hold noise
	noisy    bool
}

// Held-out examples say how much ridge beside the noise the map needs: one in
// holdout of the training examples, at most maxHeld.
const (
	holdout = 10
	maxHeld = 2000
)

// ridges are what is tried, against the mean variance of a feature. The least
// keeps the solve regular where features are constant.
var ridges = []float64{1e-10, 1e-6, 1e-5, 1e-4, 1e-3, 1e-2, 1e-1, 1}

// NewLinear fits the map to training examples. It errs on noise of no strength,
// on data of fewer than two examples or that is not finite, and on models too large
// for dense moments.
func NewLinear(ctx context.Context, front nn.Model, noise release.Noise, train bound.Source, o LinearOptions) (*Linear, error) {
	p, n := front.Dims()
	if err := check(p, o.Queries, o.Domain); err != nil {
		return nil, err
	}
	if n > maxMoments/(n+p) {
		return nil, fmt.Errorf("attack: the linear attack on %d features and %d inputs takes %d moments, more than %d: release fewer features", n, p, n*(n+p), maxMoments)
	}
	indices, err := trainingSet(train, o.Examples, o.Seed)
	if err != nil {
		return nil, err
	}
	l := &Linear{p: p, n: n, domain: o.Domain, noisy: active(o.Post)}
	added := variance(noise, o.Queries)
	if l.noisy {
		added = 0 // the draws have it
	}
	if err := l.fit(ctx, front, newChannel(noise, o.Queries, o.Post, n), train, indices, added, o.Seed); err != nil {
		return nil, err
	}
	l.about = fmt.Sprintf("knows the model and the noise and what is done to a release, and applies the affine map of least mean-square error for %d training examples", len(indices))
	return l, nil
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

// fit chooses the ridge on held-out examples, and fits the map to all of them.
func (l *Linear) fit(ctx context.Context, front nn.Model, c *channel, train bound.Source, indices []int, added float64, seed uint64) error {
	kept, held := split(indices)
	s, late := newSums(l.p, l.n), heldOut{p: l.p, n: l.n}
	err := eachBatch(ctx, front, train, kept, func(batch []int, a, theta []float32) {
		l.passOn(c, seed, batch, a)
		s.add(a, theta)
	})
	if err != nil {
		return err
	}
	m := s.central()
	err = eachBatch(ctx, front, train, held, func(batch []int, a, theta []float32) {
		l.passOn(c, seed, batch, a)
		late.a, late.theta = append(late.a, a...), append(late.theta, theta...)
		s.add(a, theta)
	})
	if err != nil {
		return err
	}
	l.moments = s.central()
	if l.ridge, err = late.ridge(ctx, m, added); err != nil {
		return err
	}
	w, err := l.moments.solve(added + l.ridge*l.moments.scale())
	if err != nil {
		return err
	}
	l.weight, l.bias = narrow(w), narrow(l.moments.intercept(w))
	return nil
}

// passOn replaces features by releases where the moments are to be theirs.
func (l *Linear) passOn(c *channel, seed uint64, batch []int, a []float32) {
	if l.noisy {
		c.release(a, a, sources(seed^trainingStream, batch, 0))
	}
}

// heldOut are examples that the moments leave out.
type heldOut struct {
	p, n     int
	a, theta []float32
}

// ridge returns the best of ridges, in units of the mean variance; the least where
// no examples are held out.
func (h *heldOut) ridge(ctx context.Context, m *moments, added float64) (float64, error) {
	best, least := ridges[0], math.Inf(1)
	for _, ridge := range ridges {
		if err := ctx.Err(); err != nil {
			return 0, err
		}
		w, err := m.solve(added + ridge*m.scale())
		if err != nil {
			continue
		}
		if e := h.error(narrow(w), narrow(m.intercept(w)), added); e < least {
			best, least = ridge, e
		}
	}
	if math.IsInf(least, 1) && len(h.a) > 0 {
		return 0, errors.New("attack: no linear map could be solved for: look for extreme values in the features")
	}
	return best, nil
}

// error is the mean-square error of a map on releases with noise of that variance
// still to be added: ‖θ − Wᵀa − b‖² + added·‖W‖², summed over examples.
func (h *heldOut) error(w, b []float32, added float64) float64 {
	count := len(h.a) / h.n
	guess := affine(nil, h.a, w, b, h.n)
	var sum float64
	for i, v := range guess {
		d := float64(v) - float64(h.theta[i])
		sum += d * d
	}
	for _, v := range w {
		sum += added * float64(v) * float64(v) * float64(count)
	}
	return sum
}

// affine sets dst = x W + b, [batch, n] by [n, p], allocating a nil dst.
func affine(dst, x, w, b []float32, n int) []float32 {
	batch, p := len(x)/n, len(b)
	if dst == nil {
		dst = make([]float32, batch*p)
	}
	simd.Gemm(false, false, batch, p, n, 1, x, n, w, p, 0, dst, p)
	simd.AddRows(dst, batch, p, b)
	return dst
}

// Name returns "linear".
func (l *Linear) Name() string { return "linear" }

// About says what the attack knows.
func (l *Linear) About() string { return l.about }

// Reconstruct applies the map.
func (l *Linear) Reconstruct(ctx context.Context, dst, x []float32) error {
	rows(dst, x, l.p, l.n)
	affine(dst, x, l.weight, l.bias, l.n)
	clip(dst, l.domain)
	return ctx.Err()
}
