package bound

import (
	"context"
	"fmt"
	"math"
	"slices"

	"tattle/internal/simd"
	"tattle/nn"
	"tattle/release"
	"tattle/run"
)

// The methods of a van Trees bound.
const (
	MethodVanTrees           = "van-trees"             // on a coordinate's root mean square error
	MethodVanTreesMeanSquare = "van-trees-mean-square" // on that per input
)

const (
	// DefaultConfidence is that of bounds whose expectations are over random draws.
	DefaultConfidence = .999
	// gramDraws is the number of draws of the prior over which JᵀJ is averaged to choose
	// the displacements: a poor choice makes the bound smaller, never false.
	gramDraws = 100
	// scaleDraws are those by which one of the vanTreesScales is chosen.
	scaleDraws = 16
	// fewestDraws give, for the 784 modes of MNIST together, limits that cost a tenth of
	// the bound; mostDraws one percent.
	fewestDraws, mostDraws = 200, 2000
	// vanTreesWork is how many numbers may go through the model for the limits, unless
	// that takes more draws than mostDraws: 200 draws of MNIST's 784 modes, some seconds.
	vanTreesWork = 5e8
	// mostVanTreesWork is how many may, unless VanTreesOptions.Unlimited is set: more take
	// minutes to hours.
	mostVanTreesWork = 2e9
)

// vanTreesScales multiply the displacements that are best for a linear model: far ones
// are better where J is large at few inputs.
var vanTreesScales = []float64{1, 2, 4, 16}

// VanTreesOptions says how a van Trees bound is computed. The zero value is the default.
type VanTreesOptions struct {
	Draws      int     // of the prior, for the limits; 0 for as many as some seconds allow, from 200 to 2,000
	Confidence float64 // with which all figures hold together; 0 for DefaultConfidence
	Seed       uint64
	Unlimited  bool // compute however long that takes
	// Progress, unless nil, is called with the draws done and those there are.
	Progress func(done, total int)
}

// VanTrees bounds from below the root mean square error of every estimator of a
// coordinate wᵀθ, biased or not, on average over noise and inputs θ ~ N(Mean, Covariance)
// of the Prior. It is van Trees' inequality (1968) with a finite displacement h in the
// place of a derivative, the bound of Weiss and Weinstein (A lower bound on the mean-square
// error in random parameter estimation, IEEE Trans. Information Theory 31, 1985) at s = ½:
//
//	E(ŵ − wᵀθ)² ≥ (wᵀh)² η(h)² / (2(1 − η(2h))),
//	η(d) = ∫∫ √(p(y, θ+d) p(y, θ)) dθ dy = exp(−dᵀΣ⁻¹d/8) · E[B(θ + d/2, θ − d/2)],
//
// the expectation over the prior, and B, between 0 and 1, the Bhattacharyya coefficient of
// the releases of two inputs. It holds for every h, and increases with both η. Proof: for
// ψ = √(p(y,θ+h)/p(y,θ)) − √(p(y,θ−h)/p(y,θ)), E[ŵ(y)ψ] = 0, E[wᵀθ·ψ] = −wᵀh·η(h) and
// E[ψ²] ≤ 2 − 2η(2h); then Cauchy and Schwarz. As h goes to 0 it becomes Gill and Levit's
// form of van Trees' inequality, (wᵀu)²/(uᵀ(F·E[JᵀJ] + Σ⁻¹)u) with h along u.
//
// Both expectations are replaced with lower confidence limits from draws of the prior, by
// stat.BoundedMeanLow, which needs no more than that B is in [0, 1]: steep regions of the
// model that no draw has met cannot make the figure false with more than the probability
// stated. h is chosen by draws of its own.
type VanTrees struct {
	Errors     []float64 // [m], the bounds, in the order of the coordinates
	MeanSquare float64   // bound on the mean square error per input; NaN if the coordinates are no orthonormal basis
	Prior      *Prior
	Draws      int     // of the prior, behind the limits
	Confidence float64 // with which all figures hold together
}

// NewVanTrees evaluates the bound for queries independent releases of one input (0 for
// one). It returns an error if the prior is not one of the model's inputs or is not
// finite, if J is not, and if the work is more than mostVanTreesWork, unless o.Unlimited.
func NewVanTrees(ctx context.Context, m nn.Model, prior *Prior, noise release.Noise, queries int, c Coordinates, o VanTreesOptions) (*VanTrees, error) {
	p, _ := m.Dims()
	if prior.P != p || len(prior.Covariance) != p*p || c.Inputs() != p {
		return nil, fmt.Errorf("a prior of %d inputs and coordinates of %d for a model of %d", prior.P, c.Inputs(), p)
	}
	if queries < 0 {
		return nil, fmt.Errorf("van Trees bound: %d queries: must not be negative", queries)
	}
	if err := o.settle(p, c.Len()); err != nil {
		return nil, err
	}
	a := &affinities{m: m, noise: noise, queries: max(1, queries), onProgress: o.Progress,
		total: gramDraws + len(vanTreesScales)*scaleDraws + o.Draws}
	if err := a.split(); err != nil {
		return nil, err
	}
	h, err := a.displacements(ctx, prior, c, o)
	if err != nil {
		return nil, err
	}
	v := &VanTrees{Prior: prior, Draws: o.Draws, Confidence: o.Confidence}
	if v.Errors, err = a.limits(ctx, prior, h, o); err != nil {
		return nil, err
	}
	v.MeanSquare = math.NaN()
	if orthonormalBasis(c) {
		v.MeanSquare = simd.SumSquares(v.Errors) / float64(p)
	}
	return v, nil
}

// settle fills in the defaults for m coordinates of p inputs.
func (o *VanTreesOptions) settle(p, m int) error {
	if o.Confidence == 0 {
		o.Confidence = DefaultConfidence
	}
	if o.Draws < 0 || !(o.Confidence > 0 && o.Confidence < 1) {
		return fmt.Errorf("van Trees bound: %d draws, confidence %g: draws must not be negative, the confidence must be between 0 and 1", o.Draws, o.Confidence)
	}
	each := 4 * float64(m) * float64(p) // two pairs of inputs for each coordinate
	if o.Draws == 0 {
		o.Draws = int(min(mostDraws, max(fewestDraws, vanTreesWork/each)))
	}
	if work := float64(o.Draws) * each; !o.Unlimited && work > mostVanTreesWork {
		return fmt.Errorf("%d draws of %d displacements of %d inputs would take minutes to hours", o.Draws, 4*m, p)
	}
	return nil
}

// The streams of draws, none of which another shares.
const (
	gramStream = -2 - iota
	scaleStream
	limitStream
)

// draws returns n draws of the prior, [n, p], rounded to float32.
func (p *Prior) draws(root []float64, n int, seed uint64, stream int) []float32 {
	z, x := make([]float64, n*p.P), make([]float64, n*p.P)
	parallel(n, func(i int) {
		r := run.Rand(seed, stream, i)
		for k := range p.P {
			z[i*p.P+k] = r.NormFloat64()
		}
	})
	simd.Gemm(false, false, n, p.P, p.P, 1, z, p.P, root, p.P, 0, x, p.P)
	out := make([]float32, n*p.P)
	for i, v := range x {
		out[i] = float32(v + p.Mean[i%p.P])
	}
	return out
}

// VanTreesRows returns the report's rows of van Trees bounds: over all coordinates, over
// their low band of size×size modes where they have one, and the root mean square per
// input, unless meanSquare is NaN.
func VanTreesRows(errors []float64, meanSquare, confidence float64, c Coordinates, size int, notes []Note) []Summary {
	m := c.Len()
	row := Summary{Method: MethodVanTrees, Coordinates: c.Name(), Status: StatusAssumed, Confidence: confidence, Notes: notes}
	var out []Summary
	for _, b := range bands(c, size) {
		out = append(out, row.in(b, slices.Clone(errors), m))
	}
	if math.IsNaN(meanSquare) {
		return out
	}
	row.Method, row.Coordinates, row.Band = MethodVanTreesMeanSquare, "inputs", "all"
	return append(out, row.summarize([]float64{math.Sqrt(meanSquare)}))
}

// Assumptions returns what the bound assumes.
func (v *VanTrees) Assumptions() Note {
	return Note{Kind: NoteGaussianPrior, Examples: v.Prior.Examples, Shrinkage: v.Prior.Shrinkage, Draws: v.Draws, Confidence: v.Confidence}
}
