package tattle

import (
	"context"
	"math"

	"tattle/internal/protect/bound"
)

// CertifyOptions are the settings of Certify. The zero value is the default.
type CertifyOptions struct {
	// Low and High are the least and the largest value of each number of the input. Estimators are then
	// unbiased for inputs between them only, and bounds are usually much larger, because inputs far from x are
	// searched, too. Nil: estimators are unbiased for any real numbers.
	Low, High []float64
	Releases  int    // independent releases of the input; 0 is 1
	Seed      uint64 // of the search
}

// A Certificate bounds the errors of every unbiased reconstruction of one input.
type Certificate struct {
	// Std has a lower bound on the standard deviation of an unbiased estimator of each number of
	// the input, in the units of the input. It is +Inf where no estimator is unbiased.
	Std []float64
	// RootMeanSquare is a lower bound on the root-mean-square error over all numbers.
	RootMeanSquare float64
	// Certified reports whether every bound has a witness and every rounding error is bounded.
	// The bounds are estimates otherwise.
	Certified bool
	Note      string // what that rests on
}

// What Certify searches for: near witnesses by paper A's Algorithm 1, far witnesses, and the
// witnesses along singular directions that are combined.
const (
	farWitnesses      = 8
	combinedWitnesses = bound.DefaultWitnesses
)

// Certify searches for witnesses of the input x and certifies what they prove about the
// release of its features with the noise: no unbiased estimator of a number of the input has a
// smaller standard deviation (A eq. 11). An adversary who already knows what inputs look like may use a
// biased estimator and err by less: see [Model.Identify] and [Model.Attack].
func (m *Model) Certify(ctx context.Context, x []float32, n Noise, o CertifyOptions) (*Certificate, error) {
	if err := checkContext(ctx); err != nil {
		return nil, err
	}
	if err := m.check(x); err != nil {
		return nil, err
	}
	m, noise, err := m.released(n)
	if err != nil {
		return nil, err
	}
	domain, err := m.domain(o.Low, o.High)
	if err != nil {
		return nil, err
	}
	e := bound.Experiment{Noise: noise, Queries: o.Releases,
		Settings: bound.Settings{
			Domain: domain, Search: bound.SearchOptions{Seed: o.Seed},
			Barankin: bound.BarankinOptions{Witnesses: combinedWitnesses, Near: true},
		},
	}
	if domain.Low != nil {
		e.Far = bound.FarOptions{Starts: farWitnesses, Domain: domain, Seed: o.Seed}
		e.Twins = bound.TwinOptions{Examples: 1, Domain: domain, Seed: o.Seed}
	}
	r, err := bound.Certify(ctx, m.front, x, e)
	if err != nil {
		return nil, err
	}
	status, note := r.Experiment.Standing()
	c := &Certificate{Std: make([]float64, len(x)), Certified: status == bound.StatusCertified, Note: note}
	for _, b := range r.Kinds {
		for k, v := range b.Std {
			c.Std[k] = max(c.Std[k], v)
		}
		c.RootMeanSquare = max(c.RootMeanSquare, math.Sqrt(b.MeanSquare[0]))
	}
	return c, nil
}

// domain is the box of inputs between low and high, or all inputs if both are nil.
func (m *Model) domain(low, high []float64) (bound.Domain, error) {
	if low == nil && high == nil {
		return bound.Free, nil
	}
	return bound.Legal(low, high)
}
