package attack

import (
	"context"
	"math"
	"slices"

	"tattle/internal/engine/nn"
	"tattle/internal/engine/nn/train"
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
