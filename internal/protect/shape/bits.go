package shape

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/mat"

	"tattle/internal/engine/nn/train"
	"tattle/internal/math/simd"
)

// Bits is a penalty on the information that a release can carry: Weight times
//
//	½ log₂ det(1 + C/σ²) bits,
//
// where C is the covariance of the values that a batch releases and σ the standard deviation of
// the Gaussian noise. No release of values with this covariance carries more. A batch of b
// examples shows at most b − 1 directions in which values vary, so the limit of a batch is below
// that of the data: larger batches come closer.
//
// With A the centered values of the batch, [b, n], the limit is ½ ln det M / ln 2, with
// M = 1 + AAᵀ/(bσ²), which is as large as the batch, not as a release. Its gradient with
// respect to A, in nats, is M⁻¹A/(bσ²); it is centered already, because M maps (1 … 1) to itself.
type Bits struct {
	Weight float64
	// Scaled says that σ is proportional to the root mean square of the values of the batch. The
	// gradient then has the term of σ: −(b − tr M⁻¹)·a/Σa² in nats.
	Scaled bool

	values, gradient []float64 // centered values and their gradient, [b, n]
	gram             []float64 // [b, b]
	mean             []float64 // [n]
}

// Penalty returns the penalty of a batch and adds its gradient with respect to the released
// values to grad. It is a [train.ReleasedOptions.Penalty]. Without noise it is infinite, unless
// all values are zero.
func (p *Bits) Penalty(grad []float32, batch train.Released) float64 {
	b := len(batch.Indices)
	n := len(batch.Values) / b
	if simd.MaxAbs(batch.Values) == 0 {
		return 0
	}
	p.center(batch.Values, b, n)
	unit := 1 / (float64(b) * batch.Sigma * batch.Sigma)
	p.gram = room(p.gram, b*b)
	simd.Gemm(false, true, b, b, n, unit, p.values, n, p.values, n, 0, p.gram, b)
	for i := range b {
		p.gram[i*b+i]++
	}
	var c mat.Cholesky
	var inverse mat.SymDense
	if !c.Factorize(mat.NewSymDense(b, p.gram)) || c.InverseTo(&inverse) != nil {
		return math.Inf(1)
	}
	p.gradient = room(p.gradient, b*n)
	full := p.gram // the factor is a copy
	for i := range b {
		for j := range b {
			full[i*b+j] = inverse.At(i, j)
		}
	}
	simd.Gemm(false, false, b, n, b, p.Weight/math.Ln2*unit, full, b, p.values, n, 0, p.gradient, n)
	for i, g := range p.gradient {
		grad[i] += float32(g)
	}
	if p.Scaled {
		_, squares := simd.SumAndSquares(batch.Values)
		simd.Axpy(float32(-p.Weight/math.Ln2*(float64(b)-mat.Trace(&inverse))/squares), batch.Values, grad)
	}
	return p.Weight * c.LogDet() / 2 / math.Ln2
}

// center sets values to those of a batch less their mean.
func (p *Bits) center(values []float32, b, n int) {
	p.values, p.mean = room(p.values, b*n), room(p.mean, n)
	for i, v := range values {
		p.values[i] = float64(v)
	}
	clear(p.mean)
	simd.SumRows(p.mean, b, n, p.values)
	for i := range b {
		simd.Axpy(-1/float64(b), p.mean, p.values[i*n:(i+1)*n])
	}
}

// room returns s with n entries, their values left open.
func room[T any](s []T, n int) []T { return slices.Grow(s[:0], n)[:n] }
