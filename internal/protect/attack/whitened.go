package attack

import (
	"context"
	"fmt"
	"slices"

	"tattle/internal/engine/nn"
	"tattle/internal/math/gram"
	"tattle/internal/math/simd"
)

// whitened is −log of a Gaussian prior's density, up to a constant, in coordinates in
// which the prior is standard normal: ½‖v‖² for θ = μ + L v, L Lᵀ = Σ. It does not keep to
// a domain: what comes out is clipped.
type whitened struct {
	p       int
	mean    []float32
	lower   []float32 // L, [p, p]
	inverse []float32 // L⁻ᵀ, [p, p]
	g       []float32
}

// farthest bounds a coordinate of a start, in standard deviations: descent would need all
// its steps to come back from a start that the prior makes nearly impossible.
const farthest = 4

func newWhitened(prior *Prior) (*whitened, error) {
	p := prior.P
	f, err := gram.Factorize(context.Background(), slices.Clone(prior.Covariance), p)
	if err != nil {
		return nil, fmt.Errorf("the prior's covariance: %w: give more data", err)
	}
	inverse := make([]float64, p*p)
	for i := range p {
		inverse[i*p+i] = 1
	}
	err = f.Forward(context.Background(), inverse)
	return &whitened{p: p, mean: nn.Float32s(prior.Mean), lower: nn.Float32s(f.Lower()), inverse: nn.Float32s(inverse)}, err
}

// input overwrites θ with the inputs at the coordinates v.
func (w *whitened) input(theta, v []float32) {
	simd.Gemm(false, true, len(v)/w.p, w.p, w.p, 1, v, w.p, w.lower, w.p, 0, theta, w.p)
	simd.AddRows(theta, len(v)/w.p, w.p, w.mean)
}

// coordinates overwrites v with those of the inputs θ.
func (w *whitened) coordinates(v, theta []float32) {
	d := make([]float32, len(theta))
	for i := range d {
		d[i] = theta[i] - w.mean[i%w.p]
	}
	simd.Gemm(false, false, len(v)/w.p, w.p, w.p, 1, d, w.p, w.inverse, w.p, 0, v, w.p)
	for i := range v {
		v[i] = min(max(v[i], -farthest), farthest)
	}
}

// pull overwrites g, which holds the gradient by θ of another objective, with the gradient
// by v of the sum of both, and adds the penalty of each row to cost.
func (w *whitened) pull(g, v []float32, cost []float64) {
	w.g = append(w.g[:0], g...)
	copy(g, v)
	simd.Gemm(false, false, len(v)/w.p, w.p, w.p, 1, w.g, w.p, w.lower, w.p, 1, g, w.p)
	for i := range cost {
		_, square := simd.SumAndSquares(v[i*w.p : (i+1)*w.p])
		cost[i] += square / 2
	}
}
