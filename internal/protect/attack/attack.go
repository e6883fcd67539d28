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
	"tattle/internal/protect/bound"
	"tattle/internal/protect/release"
)

// An Attack reconstructs inputs from releases. One goroutine at a time may use it.
type Attack interface {
	// Name is "linear", "inversion", "decoder", "posterior" or "prior".
	Name() string
	// About says in a sentence what the attack knows and how it was made.
	About() string
	// Reconstruct overwrites dst, [batch, p], with inputs in the model's units, for
	// the releases x, [batch, n]; of an input that was released several times, x is the
	// mean. The inputs lie in the attack's domain. It returns ctx's error when that ends,
	// and panics on wrong lengths.
	Reconstruct(ctx context.Context, dst, x []float32) error
}

// rows returns the batch of x, [batch, n], and dst, [batch, p].
func rows(dst, x []float32, p, n int) int {
	if len(x)%n != 0 || len(dst) != len(x)/n*p {
		panic(fmt.Sprintf("attack: %d and %d values: not a batch of inputs of %d values and releases of %d", len(dst), len(x), p, n))
	}
	return len(x) / n
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

// variance returns the variance of the noise on one feature, averaged over that many releases.
func variance(noise release.Noise, queries int) float64 {
	return noise.Std() * noise.Std() / float64(max(1, queries))
}

// check returns an error if a domain is neither free nor of p inputs.
func check(p int, d bound.Domain) error {
	if d.Low != nil && (len(d.Low) != p || len(d.High) != p) {
		return fmt.Errorf("attack: a domain of %d inputs for a model of %d: give the range of each input", len(d.Low), p)
	}
	return nil
}

// Mean returns the mean of the training data, whatever the release. Its error is that of
// the prior alone: an attack shows what a release gives away only if its error is smaller.
type Mean struct {
	n    int
	mean []float32
}

// NewMean returns that attack for a mean of PriorMean.
func NewMean(front nn.Model, mean []float64, d bound.Domain) *Mean {
	_, n := front.Dims()
	m := &Mean{n: n, mean: nn.Float32s(mean)}
	clip(m.mean, d)
	return m
}

// Name returns "prior".
func (m *Mean) Name() string { return "prior" }

// About says what the attack is.
func (m *Mean) About() string {
	return "answers the mean of the training data and does not look at the release"
}

// Reconstruct overwrites each row of dst with the mean.
func (m *Mean) Reconstruct(ctx context.Context, dst, x []float32) error {
	for i := range rows(dst, x, len(m.mean), m.n) {
		copy(dst[i*len(m.mean):], m.mean)
	}
	return ctx.Err()
}
