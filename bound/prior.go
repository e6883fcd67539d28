package bound

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"

	"tattle/internal/simd"
	"tattle/run"
)

// Prior is what an adversary is assumed to know about inputs before any release: a Gaussian with
// the mean and the covariance of the data.
type Prior struct {
	Mean       []float64 // [p]
	Covariance []float64 // [p, p], regular
	P          int
	Examples   int     // it was estimated from
	Shrinkage  float64 // weight of the scaled identity in Covariance, in (0, 1]
}

const (
	// UsualPrior is the largest number of inputs of a Prior that is made without being asked for by
	// name: their covariance takes half a gigabyte, and its inverse some minutes.
	UsualPrior = 8192
	// priorLimit is the largest there is: 2 GiB, and some four times that while it is inverted.
	priorLimit = 16384
	// priorChunk is how many examples are multiplied together.
	priorChunk = 1024
	// leastShrinkage keeps the covariance regular where the estimate of the
	// shrinkage is zero: far below the error of any covariance, far above rounding.
	leastShrinkage = 1e-9
)

// NewPrior estimates a Prior from at most most examples of data (all where most is 0),
// drawn by the seed. The sample covariance S is shrunk toward the identity of the same
// trace, (1−λ)S + λ(tr S/p)I, with the λ of Ledoit and Wolf (A well-conditioned estimator
// for large-dimensional covariance matrices, J. Multivariate Analysis 88, 2004, Lemmas 3.2
// to 3.5), so that inputs that never change have some variance too. It returns an error if
// there are fewer than two different examples, if a value is not finite, and beyond 16,384
// inputs.
func NewPrior(ctx context.Context, data Source, inputs, most int, seed uint64) (*Prior, error) {
	if inputs > priorLimit {
		return nil, fmt.Errorf("a prior of %d inputs: a covariance of more than %d is too large; reduce the inputs or do without", inputs, priorLimit)
	}
	mean, err := PriorMean(ctx, data, inputs, most, seed)
	if err != nil {
		return nil, err
	}
	indices := drawExamples(data.Len(), most, seed)
	p := &Prior{P: inputs, Examples: len(indices), Mean: mean, Covariance: make([]float64, inputs*inputs)}
	c := &covariance{data: data, indices: indices, p: inputs}
	fourth, err := c.second(ctx, p.Covariance, p.Mean)
	if err != nil {
		return nil, err
	}
	return p, p.shrink(fourth)
}

// PriorMean returns the mean of a Prior, [inputs], without its covariance. So inputs may be larger
// than for NewPrior. It returns an error if there are fewer than two examples, or if a value is not
// finite.
func PriorMean(ctx context.Context, data Source, inputs, most int, seed uint64) ([]float64, error) {
	indices := drawExamples(data.Len(), most, seed)
	if len(indices) < 2 {
		return nil, fmt.Errorf("a prior from %d examples: at least two are needed", len(indices))
	}
	mean := make([]float64, inputs)
	c := &covariance{data: data, indices: indices, p: inputs}
	if err := c.mean(ctx, mean); err != nil {
		return nil, err
	}
	for _, v := range mean {
		if math.IsNaN(v) || math.IsInf(v, 0) {
			return nil, errors.New("a prior from inputs that are not finite")
		}
	}
	return mean, nil
}

// drawExamples returns at most most of n indices, all where most is 0, ascending.
func drawExamples(n, most int, seed uint64) []int {
	if most <= 0 || most >= n {
		return numbersTo(n)
	}
	indices := run.Rand(seed, -1, -1).Perm(n)[:most]
	slices.Sort(indices)
	return indices
}

// covariance reads examples a chunk at a time.
type covariance struct {
	data    Source
	indices []int
	p       int
}

// each calls f with every chunk, [·, p].
func (c *covariance) each(ctx context.Context, f func(x []float64)) error {
	narrow, wide := make([]float32, priorChunk*c.p), make([]float64, priorChunk*c.p)
	for lo := 0; lo < len(c.indices); lo += priorChunk {
		if err := ctx.Err(); err != nil {
			return err
		}
		some := c.indices[lo:min(len(c.indices), lo+priorChunk)]
		x, w := narrow[:len(some)*c.p], wide[:len(some)*c.p]
		c.data.Examples(x, some)
		parallel(len(some), func(i int) {
			w := rowOf(w, i, c.p)
			for j, v := range rowOf(x, i, c.p) {
				w[j] = float64(v)
			}
		})
		f(w)
	}
	return nil
}

func (c *covariance) mean(ctx context.Context, mean []float64) error {
	err := c.each(ctx, func(x []float64) {
		for i := 0; i < len(x); i += c.p {
			simd.Add(mean, mean, x[i:i+c.p])
		}
	})
	simd.Scale(1/float64(len(c.indices)), mean)
	return err
}

// second overwrites s with the sample covariance, and returns the mean of ‖x−mean‖⁴.
func (c *covariance) second(ctx context.Context, s, mean []float64) (fourth float64, err error) {
	n, p := float64(len(c.indices)), c.p
	err = c.each(ctx, func(x []float64) {
		rows := len(x) / p
		parallel(rows, func(i int) { simd.Combine(rowOf(x, i, p), rowOf(x, i, p), mean, 1, -1, 0) })
		for i := range rows {
			v := simd.SumSquares(rowOf(x, i, p))
			fourth += v * v / n
		}
		simd.Gram(true, p, rows, 1/n, x, p, 1, s, p)
	})
	simd.Mirror(p, s, p)
	return fourth, err
}

// shrink turns the sample covariance S into (1−λ)S + λμI with μ = tr S/p and λ =
// b²/d²: d² = ‖S−μI‖², and b² = (E‖x‖⁴ − ‖S‖²)/n, ‖x xᵀ − S‖² over examples, at
// most d² (Ledoit and Wolf, whose norm is over p, which cancels).
func (p *Prior) shrink(fourth float64) error {
	s, trace := p.Covariance, 0.
	for i := range p.P {
		trace += s[i*p.P+i]
	}
	square := simd.SumSquares(s)
	if math.IsNaN(square+fourth) || math.IsInf(square+fourth, 0) {
		return fmt.Errorf("a prior from inputs that are not finite, or too large")
	}
	if !(trace > 0) {
		return fmt.Errorf("a prior from %d equal examples: nothing varies", p.Examples)
	}
	mu := trace / float64(p.P)
	d := max(square-trace*mu, 0)
	b := max(fourth-square, 0) / float64(p.Examples)
	p.Shrinkage = 1
	if b < d {
		p.Shrinkage = max(b/d, leastShrinkage)
	}
	simd.Scale(1-p.Shrinkage, s)
	for i := range p.P {
		s[i*p.P+i] += p.Shrinkage * mu
	}
	return nil
}
