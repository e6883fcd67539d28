package attack

import (
	"context"

	"tattle/bound"
	"tattle/nn"
	"tattle/release"
)

// Post is what is done to a release before it leaves, such as release.Post: it
// changes x, [batch, n], in place.
type Post interface{ Apply(x []float32, n int) }

// LinearOptions are the settings of NewLinear.
type LinearOptions struct {
	Queries  int          // releases of one input, of which the attacker takes the mean; 0 is 1
	Post     Post         // nil for none; else the moments are those of releases drawn by Seed
	Examples int          // the most that are trained on; 0 is all
	Domain   bound.Domain // where reconstructions are clipped
	Seed     uint64
}

// Linear is the affine map of least mean-square error.
type Linear struct{}

// NewLinear fits it.
func NewLinear(ctx context.Context, front nn.Model, noise release.Noise, train bound.Source, o LinearOptions) (*Linear, error) {
	return nil, ctx.Err()
}

// Name returns "linear".
func (l *Linear) Name() string { return "linear" }

// About says what the attack knows.
func (l *Linear) About() string { return "" }

// Reconstruct applies the map.
func (l *Linear) Reconstruct(ctx context.Context, dst, x []float32) error { return nil }

// MeanSquareAt returns the mean-square error per input that the best affine map
// would have on the training examples, were the noise of standard deviation sigma
// (that of the mean, for several queries). It does not fall as sigma grows.
func (l *Linear) MeanSquareAt(sigma float64) float64 { return 0 }
