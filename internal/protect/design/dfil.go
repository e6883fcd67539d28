package design

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"

	"tattle/internal/engine/nn"
	"tattle/internal/math/simd"
	"tattle/internal/protect/bayes"
	"tattle/internal/protect/release"
	"tattle/internal/run"
)

// Of noise calibrated by diagonal Fisher information leakage.
const (
	// probes of the estimate of a trace. Fewer make σ(x) vary more, which identifies inputs: on
	// MNIST, where σ(x) is 13.7, 8.5 % with 4 probes, 7.3 % with 8 and 6.7 % with 32.
	probes     = 8
	leastScale = 1. / 64 // of the noise of an input, relative to the mean square
	// mostReleased is the largest number of released values of all draws and queries: 1 GB.
	mostReleased = 1 << 27
	streamProbes = 17
	probeBatch   = 50
)

// dfil measures noise that is calibrated by Fisher information leakage. Maeng, Guo, Kariyappa and
// Suh, "Bounding the Invertibility of Privacy-preserving Instance Encoding using Fisher
// Information Leakage" (2023), section 3: with Gaussian noise the leakage about an input x of p
// numbers is
//
//	dFIL = tr(JᵀJ)/pσ², J = ∂a/∂x,
//
// and 1/dFIL is a floor on the mean-square error of unbiased estimators. The noise is
//
//	σ(x)² = tr(JᵀJ)/(p·dFIL)
//
// so that dFIL is the same for all inputs. The trace is that of Hutchinson's estimate, the mean
// of ‖Jv‖² over a few vectors v of random signs, the same for all inputs. So the release is
// defined by the estimate, which an adversary can compute too: the posterior knows the σ of each
// candidate. The strength of a point is the root mean square of σ(x). σ(x) is at
// least leastScale of that.
func (s *searcher) dfil(ctx context.Context, c *cut, l *line, before int64) ([]Point, error) {
	of := slices.Concat(s.candidates, c.validate)
	slices.Sort(of)
	of = slices.Compact(of)
	posteriors := float64(mostPoints) * peerDraws * float64(len(s.candidates)) * float64(c.n)
	if err := s.tooMuch(float64(len(of))*(1+probes)*float64(before) + posteriors); err != nil {
		return nil, err
	}
	queries := max(s.Queries, 1)
	if queries > mostReleased/peerDraws/c.n {
		return nil, fmt.Errorf("%d releases of %d values need more than 1 GB of memory", queries, c.n)
	}
	traces, err := s.traces(ctx, c, of)
	if err != nil {
		return nil, err
	}
	mean := simd.Sum(traces) / float64(len(traces))
	if mean == 0 {
		return nil, errors.New("the features do not change with the inputs")
	}
	l.scales = make([]float64, s.train.Len())
	for i, j := range of {
		l.scales[j] = max(math.Sqrt(traces[i]/mean), leastScale)
	}
	return s.scan(c, l, func(sigma float64) (Point, error) {
		noise, err := release.NewGaussian(sigma)
		if err != nil {
			return Point{}, err
		}
		p := Point{place: l.place, Keep: c.n, Sigma: sigma, Parameter: mean / float64(s.inputs) / (sigma * sigma)}
		err = s.judge(func(indices []int, attributes []bayes.Attribute) (*bayes.Result, error) {
			scales := make([]float64, len(indices))
			for i, j := range indices {
				scales[i] = l.scales[j]
			}
			return bayes.Run(ctx, list{l.values, indices}, noise, attributes, bayes.Options{Draws: peerDraws, Queries: queries, Scales: scales, Seed: s.Seed})
		}, c.validate, &p, false)
		if err != nil {
			return p, err
		}
		return s.weigh(ctx, c, l, p)
	})
}

// traces returns estimates of tr(JᵀJ) at the given examples.
func (s *searcher) traces(ctx context.Context, c *cut, indices []int) ([]float64, error) {
	front, err := nn.NewNet(c.front)
	if err != nil {
		return nil, err
	}
	p, n := front.Dims()
	signs := make([]float32, probes*p)
	r := run.Rand(s.Seed, 0, streamProbes)
	for i := range signs {
		signs[i] = float32(1 - 2*r.IntN(2))
	}
	out := make([]float64, 0, len(indices))
	x, v, z := make([]float32, probeBatch*p), slices.Repeat(signs, probeBatch), make([]float32, probeBatch*probes*n)
	for batch := range slices.Chunk(indices, probeBatch) {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		b := len(batch)
		s.train.Examples(x[:b*p], batch)
		front.Linearize(x[:b*p]).JVP(z[:b*probes*n], v[:b*probes*p])
		for z := range slices.Chunk(z[:b*probes*n], probes*n) {
			var sum float64
			for _, d := range z {
				sum += float64(d) * float64(d)
			}
			if sum-sum != 0 {
				return nil, fmt.Errorf("example %d: the Jacobian is not finite", batch[len(out)%probeBatch])
			}
			out = append(out, sum/probes)
		}
		s.tell("computing the Jacobians at "+c.node, len(out), len(indices))
	}
	return out, nil
}
