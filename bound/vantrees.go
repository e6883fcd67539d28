package bound

import (
	"context"

	"tattle/nn"
	"tattle/release"
)

// The methods of a van Trees bound.
const (
	MethodVanTrees           = "van-trees"             // on a coordinate's root mean square error
	MethodVanTreesMeanSquare = "van-trees-mean-square" // on that per input
)

// DefaultVanTreesExamples are averaged over: E[JᵀJ] of a thousand differs from
// that of all by a few percent.
const DefaultVanTreesExamples = 1000

// VanTreesOptions says how E[JᵀJ] is averaged.
type VanTreesOptions struct {
	Examples int // by default DefaultVanTreesExamples, or all if there are fewer
	Seed     uint64
}

// VanTrees is the Bayesian Cramér-Rao bound of van Trees: the mean square error,
// over the prior and the noise, of any estimator, biased or not.
type VanTrees struct {
	Covariance []float64 // (E[JᵀJ]·Fisher·queries + Σ⁻¹)⁻¹, [p, p]
	MeanSquare float64   // its trace over p
	Prior      *Prior
	Examples   int
}

// NewVanTrees evaluates the bound for a number of releases of one input.
func NewVanTrees(ctx context.Context, m nn.Model, data Source, prior *Prior, noise release.Noise, queries int, o VanTreesOptions) (*VanTrees, error) {
	return nil, ctx.Err()
}

// Std returns √(wᵀCw) of each coordinate, C the bound's covariance.
func (v *VanTrees) Std(c Coordinates) []float64 { return nil }

// Summaries returns the report's rows: coordinates, their low band, and the
// mean square per input.
func (v *VanTrees) Summaries(c Coordinates, size int) []Summary { return nil }
