package bound

import (
	"context"
	"fmt"
	"math"

	"gonum.org/v1/gonum/mat"

	"tattle/internal/simd"
	"tattle/nn"
	"tattle/release"
)

// The methods of a van Trees bound.
const (
	MethodVanTrees           = "van-trees"             // on a coordinate's root mean square error
	MethodVanTreesMeanSquare = "van-trees-mean-square" // on that per input
)

// DefaultVanTreesExamples are averaged over: for paper A's MNIST net, σ the features'
// root mean square, the bounds per input of three such averages are 0.2% above that
// of six thousand examples, and those per mode within 2.3%.
const DefaultVanTreesExamples = 400

// vanTreesEntries is how many entries the Jacobians that are averaged may have
// together unless all are asked for: twice those of DefaultVanTreesExamples dense ones
// of 784×784. Beyond, as of a convolutional net of 3,072 inputs, it is hours of work.
const vanTreesEntries = 5e8

// VanTreesOptions says how E[JᵀJ] is averaged.
type VanTreesOptions struct {
	Examples  int // by default DefaultVanTreesExamples; all where there are fewer
	Seed      uint64
	Unlimited bool // however long that takes
	// Progress, unless nil, is called with the examples done and those there are.
	Progress func(done, total int)
}

// VanTrees is the Bayesian Cramér-Rao bound (van Trees 1968; Gill and Levit
// 1995): for every estimator, biased or not, the mean over inputs and noise of
// (θ̂−θ)(θ̂−θ)ᵀ is at least Covariance. It assumes that inputs are Gaussian: of all
// distributions of that covariance Σ the Gaussian has the least Fisher
// information, Σ⁻¹, so the figure is larger than the truth for inputs of more
// structure, as pictures are. E[JᵀJ] is over data, not over that Gaussian.
type VanTrees struct {
	Covariance []float64 // (E[JᵀJ]·Fisher·queries + Σ⁻¹)⁻¹, [p, p]
	MeanSquare float64   // its trace over p
	Prior      *Prior
	Examples   int // that E[JᵀJ] is averaged over
}

// NewVanTrees evaluates the bound for queries independent releases of one input (0
// for one), with E[JᵀJ] averaged over examples of data drawn by the seed. It errs
// where the prior is not of the model's inputs, where inputs or J are not finite, and
// where it would take hours, unless that is what o wants.
func NewVanTrees(ctx context.Context, m nn.Model, data Source, prior *Prior, noise release.Noise, queries int, o VanTreesOptions) (*VanTrees, error) {
	p, _ := m.Dims()
	if prior.P != p || len(prior.Covariance) != p*p {
		return nil, fmt.Errorf("a prior of %d inputs for a model of %d", prior.P, p)
	}
	if o.Examples == 0 {
		o.Examples = DefaultVanTreesExamples
	}
	indices := drawExamples(data.Len(), o.Examples, o.Seed)
	if len(indices) == 0 || o.Examples < 0 || queries < 0 {
		return nil, fmt.Errorf("van Trees bound: %d of %d examples, %d queries: none may be negative, and there must be examples", o.Examples, data.Len(), queries)
	}
	v := &VanTrees{Prior: prior, Examples: len(indices)}
	if err := o.bearable(m, data, indices); err != nil {
		return nil, err
	}
	information, err := meanGram(ctx, m, data, indices, o.Progress)
	if err != nil {
		return nil, err
	}
	simd.Scale(noise.Fisher()*float64(max(1, queries)), information)
	if v.Covariance, err = posterior(prior.Covariance, information, p); err != nil {
		return nil, err
	}
	for i := range p {
		v.MeanSquare += v.Covariance[i*p+i] / float64(p)
	}
	return v, nil
}

// bearable errs where the Jacobians of the examples, judged by the first of them, are
// too many or too large.
func (o VanTreesOptions) bearable(m nn.Model, data Source, indices []int) error {
	p, _ := m.Dims()
	some := indices[:min(len(indices), rowGroupSize)]
	x := make([]float32, len(some)*p)
	data.Examples(x, some)
	j := sizeUp(m, x)
	if !o.Unlimited && float64(len(indices))*float64(j.rows)*float64(p) > vanTreesEntries {
		return fmt.Errorf("the mean of JᵀJ over %d examples, of %d rows and %d columns each, would take hours", len(indices), j.rows, j.cols)
	}
	return nil
}

// gramChunk is how many examples are read at once, to be grouped by how many rows
// their Jacobians have: about 50 of MNIST's, 90 in the worst of 32.
const gramChunk = 256

// meanGram returns the mean of JᵀJ over examples, J from float32 products: their
// rounding is far below the spread of J over examples.
func meanGram(ctx context.Context, m nn.Model, data Source, indices []int, tell func(done, total int)) ([]float64, error) {
	p, n := m.Dims()
	sum := make([]float64, p*p)
	chunk := max(1, min(gramChunk, rowBudget/(p+n)))
	for lo := 0; lo < len(indices); lo += chunk {
		some := indices[lo:min(len(indices), lo+chunk)]
		x := make([]float32, len(some)*p)
		data.Examples(x, some)
		if !finite32(x) {
			return nil, fmt.Errorf("van Trees bound: among examples %d to %d there are inputs that are not finite", some[0], some[len(some)-1])
		}
		done := lo
		err := addGrams(ctx, sum, m, x, 1/float64(len(indices)), func(more int) {
			if done += more; tell != nil {
				tell(done, len(indices))
			}
		})
		if err != nil {
			return nil, err
		}
	}
	mirror(sum, p)
	if s := simd.SumSquares(sum); math.IsNaN(s) || math.IsInf(s, 0) {
		return nil, fmt.Errorf("the Jacobian of the features is not finite: the model's weights are too large")
	}
	return sum, nil
}

// addGrams adds alpha·JᵀJ at every input of x, [·, p], to the lower triangle of sum,
// and tells how many more it has done.
func addGrams(ctx context.Context, sum []float64, m nn.Model, x []float32, alpha float64, tell func(more int)) error {
	p, n := m.Dims()
	on := activity(m.Linearize(x), len(x)/p*n)
	size := max(1, min(rowGroupSize, rowBudget/(p*n)))
	point, rows := make([]float32, size*p), []float64(nil)
	for _, group := range groupByRows(on, n, size) {
		if err := ctx.Err(); err != nil {
			return err
		}
		for i, k := range group.at {
			copy(rowOf(point, i, p), rowOf(x, k, p))
		}
		rows = rows[:0]
		for _, j := range jacobians(ctx, m.Linearize(point[:len(group.at)*p]), len(group.at), p, n) {
			rows = append(rows, j.Rows...)
		}
		addGram(sum, alpha, rows, p)
		tell(len(group.at))
	}
	return nil
}

// posterior returns (G + Σ⁻¹)⁻¹ = Tᵀ T with Σ = RᵀR, I + R G Rᵀ = L Lᵀ and T =
// L⁻¹R: no inverse is formed of Σ, and what is factored has no eigenvalue below 1.
func posterior(sigma, g []float64, p int) ([]float64, error) {
	var c mat.Cholesky
	if !c.Factorize(mat.NewSymDense(p, sigma)) {
		return nil, fmt.Errorf("the prior's covariance is not positive definite")
	}
	var upper, lower mat.TriDense
	c.UTo(&upper)
	r := mat.DenseCopyOf(&upper)
	rg, inner := make([]float64, p*p), make([]float64, p*p)
	simd.Gemm(false, false, p, p, p, 1, r.RawMatrix().Data, p, g, p, 0, rg, p)
	simd.Gemm(false, true, p, p, p, 1, rg, p, r.RawMatrix().Data, p, 0, inner, p)
	for i := range p {
		inner[i*p+i]++
	}
	if !c.Factorize(mat.NewSymDense(p, inner)) {
		return nil, fmt.Errorf("the information of the release is not finite: the noise is too weak")
	}
	c.LTo(&lower)
	var t mat.Dense
	if err := lower.SolveTo(&t, false, r); err != nil {
		return nil, fmt.Errorf("van Trees bound: %w", err)
	}
	simd.Gemm(true, false, p, p, p, 1, t.RawMatrix().Data, p, t.RawMatrix().Data, p, 0, inner, p)
	return inner, nil
}

// Std returns √(wᵀCw) of each coordinate, C the Covariance: no estimator has a
// smaller root mean square error on average. It panics where c is of another
// number of inputs.
func (v *VanTrees) Std(c Coordinates) []float64 { return quadraticStd(v.Covariance, c) }

// Summaries returns the report's rows: over all coordinates, over their low band
// of size×size modes where they have one, and the root mean square per input.
func (v *VanTrees) Summaries(c Coordinates, size int) []Summary {
	std, m := v.Std(c), c.Len()
	row := Summary{Method: MethodVanTrees, Coordinates: c.Name(), Status: StatusAssumed, Note: v.note()}
	out := []Summary{row.in(band{name: "all"}, std, m)}
	if low := c.Band(size); len(low) > 0 && len(low) < m {
		out = append(out, row.in(band{fmt.Sprintf("%dx%d", size, size), low}, std, m))
	}
	row.Method, row.Coordinates, row.Band = MethodVanTreesMeanSquare, "inputs", "all"
	return append(out, row.summarize([]float64{math.Sqrt(v.MeanSquare)}))
}

func (v *VanTrees) note() string {
	return fmt.Sprintf("assumes that inputs are Gaussian, with the mean and covariance of %d examples (shrinkage %.2g): "+
		"of any estimator, biased or not, on average over such inputs; "+
		"real inputs have more structure, and an adversary who knows it may do better", v.Prior.Examples, v.Prior.Shrinkage)
}
