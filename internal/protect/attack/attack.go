// Package attack reconstructs inputs from releases, as an adversary would who knows the
// model, the noise and data like the inputs. The error of an attack is demonstrated: the
// best adversary errs by no more, as the bounds of package bound say by how much an
// adversary errs at least. No attack here is unbiased, so each may err by less than a bound
// on unbiased estimators.
package attack

import (
	"context"
	"fmt"

	"tattle/internal/engine/nn"
	"tattle/internal/protect/bayes"
	"tattle/internal/protect/bound"
	"tattle/internal/protect/release"
)

// A Setting is a release, and examples: what an attack learns from, or what it is measured on.
type Setting struct {
	Front   nn.Model
	Noise   release.Noise
	Queries int          // releases of one input, whose mean attacks use; 0 is 1
	Label   bool         // only the label of the features with noise is released
	Domain  bound.Domain // where reconstructions are clipped
	Data    nn.Source
	Memo    *bayes.Memo // of the features of Data; nil: they are computed
	Seed    uint64
	// Progress, unless nil, is called with the steps done, and those of the whole work.
	Progress func(done, total int)
}

// variance returns the variance of the noise on one feature, averaged over all releases.
func (s Setting) variance() float64 {
	return s.Noise.Std() * s.Noise.Std() / float64(max(1, s.Queries))
}

// tell reports progress.
func (s Setting) tell(done, total int) {
	if s.Progress != nil {
		s.Progress(done, total)
	}
}

// An Attack reconstructs inputs from releases. One goroutine at a time may use it.
type Attack struct {
	Name   string // "linear", "inversion", "decoder", "posterior" or "prior"
	About  string // a sentence on what the attack knows and how it was made
	p, n   int
	domain bound.Domain
	guess  func(ctx context.Context, dst, x []float32) error
}

// newAttack returns an attack whose reconstructions are clipped to the domain of the setting.
func newAttack(s Setting, name, about string, guess func(ctx context.Context, dst, x []float32) error) *Attack {
	p, n := s.Front.Dims()
	return &Attack{name, about, p, n, s.Domain, guess}
}

// Reconstruct overwrites dst, [batch, p], with inputs in the model's units, for
// the releases x, [batch, n]; of an input that was released several times, x is the
// mean. The inputs lie in the attack's domain. It returns ctx's error when that ends,
// and panics on wrong lengths.
func (a *Attack) Reconstruct(ctx context.Context, dst, x []float32) error {
	if len(x)%a.n != 0 || len(dst) != len(x)/a.n*a.p {
		panic(fmt.Sprintf("attack: %d and %d values: not a batch of inputs of %d values and releases of %d", len(dst), len(x), a.p, a.n))
	}
	if err := a.guess(ctx, dst, x); err != nil {
		return err
	}
	clip(dst, a.domain)
	return ctx.Err()
}

// clip moves each row of x, [batch, p], into the domain.
func clip(x []float32, d bound.Domain) {
	if d.Low == nil {
		return
	}
	p := len(d.Low)
	for i := range x {
		x[i] = min(max(x[i], float32(d.Low[i%p])), float32(d.High[i%p]))
	}
}

// NewMean returns the attack that answers the mean of the training data (PriorMean), whatever the release. Its error is
// that of the prior alone: an attack shows what a release gives away only if its error is smaller.
func NewMean(s Setting, mean []float64) *Attack {
	row := nn.Float32s(mean)
	return newAttack(s, "prior", "answers the mean of the training data and does not look at the release", func(_ context.Context, dst, _ []float32) error {
		for i := 0; i < len(dst); i += len(row) {
			copy(dst[i:], row)
		}
		return nil
	})
}
