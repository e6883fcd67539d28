package attack

import (
	"context"
	"fmt"

	"tattle/internal/engine/nn"
	"tattle/internal/math/simd"
)

// whitened is −log of a Gaussian prior's density, up to a constant, in coordinates in
// which the prior is standard normal: ½‖v‖² for θ = μ + L v, L Lᵀ = Σ. It does not keep to
// a domain: what comes out is clipped.
type whitened struct {
	p       int
	mean    []float32
	lower   []float32 // L, [p, p]
	inverse []float32 // L⁻¹, [p, p]
	g       []float32
}

// farthest bounds a coordinate of a start, in standard deviations: descent would need all
// its steps to come back from a start that the prior makes nearly impossible.
const farthest = 4

func newWhitened(prior *Prior) (*whitened, error) {
	p := prior.P
	s := &system{p, 2 * p, make([]float64, 2*p*p)}
	for i := range p {
		row := s.x[2*i*p : 2*(i+1)*p]
		copy(row[i:p], prior.Covariance[i*p+i:(i+1)*p])
		row[p+i] = 1
	}
	if err := s.eliminate(context.Background()); err != nil {
		return nil, fmt.Errorf("the prior's covariance: %w", err)
	}
	w := &whitened{p: p, mean: nn.Float32s(prior.Mean), lower: make([]float32, p*p), inverse: make([]float32, p*p)}
	for i := range p {
		for j := range i + 1 {
			w.lower[i*p+j], w.inverse[i*p+j] = float32(s.x[2*j*p+i]), float32(s.x[2*i*p+p+j])
		}
	}
	return w, nil
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
	simd.Gemm(false, true, len(v)/w.p, w.p, w.p, 1, d, w.p, w.inverse, w.p, 0, v, w.p)
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
