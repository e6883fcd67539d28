package attack

import (
	"context"

	"tattle/bound"
	"tattle/nn"
	"tattle/release"
)

// The priors of an Inversion.
const (
	TotalVariation = "tv"       // neighbouring pixels differ little
	GaussianPrior  = "gaussian" // of the data's mean and covariance
)

// InversionOptions are the settings of NewInversion.
type InversionOptions struct {
	Queries int          // releases of one input, of which the attacker takes the mean; 0 is 1
	Prior   string       // by default …
	Steps   int          // of Adam
	Rate    float64      // of Adam, in the model's units
	Weight  float64      // of the prior against what is derived for it; 0 is 1
	Shape   []int        // of the input, for TotalVariation; nil for that of a *nn.Net's graph
	Starts  []Attack     // whose reconstructions are starts, beside the prior's mean
	Domain  bound.Domain // where reconstructions stay
}

// Inversion searches the input that explains the release best.
type Inversion struct{}

// NewInversion prepares it.
func NewInversion(front nn.Model, noise release.Noise, prior *bound.Prior, o InversionOptions) (*Inversion, error) {
	return nil, nil
}

// Name returns "inversion".
func (a *Inversion) Name() string { return "inversion" }

// About says what the attack knows.
func (a *Inversion) About() string { return "" }

// Reconstruct runs the search.
func (a *Inversion) Reconstruct(ctx context.Context, dst, x []float32) error { return nil }
