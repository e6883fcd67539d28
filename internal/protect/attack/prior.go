package attack

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"

	"tattle/internal/engine/nn"
	"tattle/internal/math/simd"
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

// NewPrior estimates a Prior from data. The sample covariance S is shrunk toward the identity of the same
// trace, (1−λ)S + λ(tr S/p)I, with the λ of Ledoit and Wolf (A well-conditioned estimator
// for large-dimensional covariance matrices, J. Multivariate Analysis 88, 2004, Lemmas 3.2
// to 3.5), so that inputs that never change have some variance too. It returns an error if
// there are fewer than two different examples, if a value is not finite, and beyond 16,384
// inputs.
func NewPrior(ctx context.Context, data nn.Source, inputs int) (*Prior, error) {
	if inputs > priorLimit {
		return nil, fmt.Errorf("a prior of %d inputs: a covariance of more than %d is too large; reduce the inputs or do without", inputs, priorLimit)
	}
	mean, err := PriorMean(ctx, data, inputs)
	if err != nil {
		return nil, err
	}
	p := &Prior{P: inputs, Examples: data.Len(), Mean: mean, Covariance: make([]float64, inputs*inputs)}
	fourth, err := p.second(ctx, data)
	if err != nil {
		return nil, err
	}
	return p, p.shrink(fourth)
}

// PriorMean returns the mean of a Prior, [inputs], without its covariance. So inputs may be larger
// than for NewPrior. It returns an error if there are fewer than two examples, or if a value is not
// finite.
func PriorMean(ctx context.Context, data nn.Source, inputs int) ([]float64, error) {
	if data.Len() < 2 {
		return nil, fmt.Errorf("a prior from %d examples: at least two are needed", data.Len())
	}
	mean, wide := make([]float64, inputs), make([]float64, inputs)
	err := nn.EachBatch(ctx, data, inputs, nn.Indices(data.Len()), priorChunk, func(_ []int, x []float32) error {
		for row := range slices.Chunk(x, inputs) {
			for j, v := range row {
				wide[j] = float64(v)
			}
			simd.Add(mean, mean, wide)
		}
		return nil
	})
	simd.Scale(1/float64(data.Len()), mean)
	if err == nil && !nn.Finite(mean) {
		err = errors.New("a prior from inputs that are not finite")
	}
	return mean, err
}

// second overwrites the covariance with that of the sample, and returns the mean of ‖x−mean‖⁴.
func (p *Prior) second(ctx context.Context, data nn.Source) (fourth float64, err error) {
	n, wide := float64(data.Len()), make([]float64, priorChunk*p.P)
	err = nn.EachBatch(ctx, data, p.P, nn.Indices(data.Len()), priorChunk, func(some []int, x []float32) error {
		simd.Parallel(len(some), 1, func(lo, hi int) {
			for i := lo * p.P; i < hi*p.P; i++ {
				wide[i] = float64(x[i]) - p.Mean[i%p.P]
			}
		})
		for i := range some {
			v := simd.SumSquares(wide[i*p.P : (i+1)*p.P])
			fourth += v * v / n
		}
		simd.Gram(true, p.P, len(some), 1/n, wide, p.P, 1, p.Covariance, p.P)
		return nil
	})
	simd.Mirror(p.P, p.Covariance, p.P)
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
