package attack

import (
	"context"
	"fmt"
	"math"
	"slices"

	"tattle/internal/engine/nn"
	"tattle/internal/engine/nn/train"
	"tattle/internal/math/gram"
	"tattle/internal/math/simd"
)

// descent is Adam on the objective of each release by itself.
type descent struct {
	*inversion
	v, theta, grad, residual []float32
	adam                     *train.Adam // of v
	cost, least              []float64
	best                     []float32 // θ of the least cost of each release
}

func newDescent(a *inversion, batch int) *descent {
	s := &descent{inversion: a, residual: make([]float32, batch*a.n), cost: make([]float64, batch), least: slices.Repeat([]float64{math.Inf(1)}, batch)}
	for _, b := range []*[]float32{&s.v, &s.theta, &s.grad, &s.best} {
		*b = make([]float32, batch*a.p)
	}
	s.adam = train.NewAdam([]*nn.Param{{Data: s.v, Grad: s.grad}}, train.AdamOptions{
		LearningRate: a.Rate, Beta2: inversionBeta2, Schedule: train.HalfCosine(a.Steps)})
	return s
}

// descentGrain is how many entries are worth a core of their own.
const descentGrain = 1 << 13

// from descends from a start, [batch, p], towards the releases x, [batch, n].
func (s *descent) from(ctx context.Context, start, x []float32) error {
	s.adam.Reset()
	s.prior.coordinates(s.v, start)
	for range s.Steps {
		if err := ctx.Err(); err != nil {
			return err
		}
		s.evaluate(x)
		s.adam.Step()
	}
	s.evaluate(x)
	return nil
}

// inversionBeta2 forgets gradients over a hundred steps: there are no more.
const inversionBeta2 = 0.99

// evaluate computes objective and gradient at v, and keeps the best θ.
func (s *descent) evaluate(x []float32) {
	s.prior.input(s.theta, s.v)
	lin := s.front.Linearize(s.theta)
	a := lin.Features()
	simd.Parallel(len(s.cost), 1+descentGrain/s.n, func(lo, hi int) {
		for i := lo; i < hi; i++ {
			r := s.residual[i*s.n : (i+1)*s.n]
			simd.Combine(r, a[i*s.n:(i+1)*s.n], x[i*s.n:(i+1)*s.n], 1, -1, 0)
			s.cost[i] = s.fit(r)
		}
	})
	lin.VJP(s.grad, s.residual)
	s.prior.pull(s.grad, s.v, s.cost)
	if s.shrink != 1 {
		simd.Scale(s.shrink, s.grad)
	}
	for i, c := range s.cost {
		if c < s.least[i] {
			s.least[i] = c
			copy(s.best[i*s.p:(i+1)*s.p], s.theta[i*s.p:(i+1)*s.p])
		}
	}
}

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
