package tattle

import (
	"context"
	"math"

	"tattle/bound"
	"tattle/release"
)

// CertifyOptions are the settings of Certify. The zero value is the default.
type CertifyOptions struct {
	// Coordinates are the numbers to be reconstructed: by default the entries of the input.
	Coordinates bound.Coordinates
	// Domain is where estimators are unbiased: by default any real numbers. In a box, such
	// as bound.Legal returns, inputs far from x are searched, too, and the bounds are
	// usually much larger.
	Domain bound.Domain
	// Queries is the number of independent releases of the input; 0 is 1.
	Queries int
	Seed    uint64 // of the search
}

// A Certificate bounds the errors of every unbiased reconstruction of one input.
type Certificate struct {
	// Std are lower bounds on the standard deviations of unbiased estimators, one for each
	// coordinate, in the units of the input; +Inf if there is no such estimator.
	Std []float64
	// RootMeanSquare is a lower bound on the root-mean-square error over all inputs.
	RootMeanSquare float64
	// Status is bound.StatusCertified where every bound has a witness and every rounding
	// error is bounded, else bound.StatusEstimated.
	Status string
	// Note says what the status rests on.
	Note string
	// Result has every kind of bound by itself, and the witnesses.
	Result *bound.Result
}

// What Certify searches for: near witnesses by paper A's Algorithm 1, far witnesses, and the
// witnesses along singular directions that are combined.
const (
	farWitnesses      = 8
	combinedWitnesses = bound.DefaultWitnesses
)

// Certify searches for witnesses of the input x and certifies what they prove about the
// release of its features with the noise: no unbiased estimator of a coordinate has a
// smaller standard deviation. An adversary who already knows what inputs look like may use a
// biased estimator and err by less: see Attack.
func (m *Model) Certify(ctx context.Context, x []float32, noise release.Noise, o CertifyOptions) (*Certificate, error) {
	e := bound.Experiment{Noise: noise, Queries: o.Queries, Coordinates: o.Coordinates,
		Settings: bound.Settings{
			Domain: o.Domain, Search: bound.SearchOptions{Seed: o.Seed},
			Barankin: bound.BarankinOptions{Witnesses: combinedWitnesses, Near: o.Domain.Grid == nil},
		},
	}
	if o.Domain.Low != nil {
		e.Far = bound.FarOptions{Starts: farWitnesses, Domain: o.Domain, Seed: o.Seed}
		e.Twins = bound.TwinOptions{Examples: 1, Domain: o.Domain, Seed: o.Seed}
	}
	r, err := bound.Certify(ctx, m.Front, x, e)
	if err != nil {
		return nil, err
	}
	c := &Certificate{Result: r, Std: make([]float64, r.Experiment.Coordinates.Len())}
	for _, b := range append(r.Sizes, r.Far, r.Barankin, r.Twins) {
		if b == nil {
			continue
		}
		for k, v := range b.Std {
			c.Std[k] = max(c.Std[k], v)
		}
		c.RootMeanSquare = max(c.RootMeanSquare, math.Sqrt(b.MeanSquare[0]))
	}
	c.Status, c.Note = r.Experiment.Standing()
	return c, nil
}
