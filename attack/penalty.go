package attack

import (
	"context"
	"errors"
	"fmt"
	"math"

	"tattle/bound"
	"tattle/internal/simd"
	"tattle/nn"
)

// whitened is the penalty ½‖v‖² of a Gaussian prior in coordinates in which it is
// standard normal: θ = μ + L v, L Lᵀ = Σ/weight. It does not keep to a domain:
// what comes out is clipped.
type whitened struct {
	p       int
	mean    []float32
	lower   []float32 // L, [p, p]
	inverse []float32 // L⁻¹, [p, p]
	g       []float32
}

// farthest bounds a coordinate of a start, in standard deviations: one that the
// prior holds to be impossible would take all steps to come back.
const farthest = 4

func newWhitened(prior *bound.Prior, weight float64) (*whitened, error) {
	p := prior.P
	s := &system{p, 2 * p, make([]float64, 2*p*p)}
	for i := range p {
		row := s.x[2*i*p : 2*(i+1)*p]
		copy(row[i:p], prior.Covariance[i*p+i:(i+1)*p])
		simd.Scale(1/weight, row[i:p])
		row[p+i] = 1
	}
	if err := s.eliminate(context.Background()); err != nil {
		return nil, fmt.Errorf("the prior's covariance: %w", err)
	}
	w := &whitened{p: p, mean: narrow(prior.Mean), lower: make([]float32, p*p), inverse: make([]float32, p*p)}
	for i := range p {
		for j := range i + 1 {
			w.lower[i*p+j], w.inverse[i*p+j] = float32(s.x[2*j*p+i]), float32(s.x[2*i*p+p+j])
		}
	}
	return w, nil
}

func (w *whitened) input(theta, v []float32) {
	simd.Gemm(false, true, len(v)/w.p, w.p, w.p, 1, v, w.p, w.lower, w.p, 0, theta, w.p)
	simd.AddRows(theta, len(v)/w.p, w.p, w.mean)
}

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

func (w *whitened) pull(g, v, _ []float32, cost []float64) {
	w.g = append(w.g[:0], g...)
	copy(g, v)
	simd.Gemm(false, false, len(v)/w.p, w.p, w.p, 1, w.g, w.p, w.lower, w.p, 1, g, w.p)
	for i := range cost {
		_, square := simd.SumAndSquares(v[i*w.p : (i+1)*w.p])
		cost[i] += square / 2
	}
}

func (w *whitened) settle([]float32) {}

// variation is the penalty λ Σ (√(d² + s²) − s) over the differences d of
// neighbouring pixels, plus that of each pixel by itself being normal, in the
// inputs themselves. It keeps to the domain.
type variation struct {
	lambda               float32
	mean, precision      []float32 // of each pixel
	channels, rows, cols int
	domain               bound.Domain
}

// smoothing is s, in standard deviations of the data: below it a difference of
// pixels costs little.
const smoothing = 0.05

// The parts of the full weights of differences and pixels: both count what is the
// same knowledge, of pixels that are far from independent, many times over. Of
// half, once and twice them, these leave the least error on 150 of MNIST's training
// images that the prior had not seen.
const (
	differenceShare = 0.03
	pixelShare      = 0.1
)

// newVariation scales the penalty to the data, but for its share: a density ∝ exp(−λ TV(θ)) on p
// inputs has its greatest likelihood at λ = p/E[TV]. E|d| of a difference is taken
// to be √(2/π) times its root mean square, as for Gaussian data.
func newVariation(prior *bound.Prior, weight float64, shape []int, d bound.Domain) (*variation, error) {
	v := &variation{channels: 1, rows: 1, cols: prior.P, domain: d}
	switch len(shape) {
	case 3:
		v.channels, v.rows, v.cols = shape[0], shape[1], shape[2]
	case 2:
		v.rows, v.cols = shape[0], shape[1]
	case 1:
		v.cols = shape[0]
	}
	if len(shape) == 0 || nn.Size(shape) != prior.P || v.channels*v.rows*v.cols != prior.P {
		return nil, fmt.Errorf("total variation of inputs of shape %v with %d entries: give their shape as [channels, rows, columns]", shape, prior.P)
	}
	var total float64
	v.pairs(func(i, j int) {
		dm := prior.Mean[i] - prior.Mean[j]
		s := prior.Covariance[i*prior.P+i] + prior.Covariance[j*prior.P+j] - 2*prior.Covariance[i*prior.P+j]
		total += math.Sqrt(2 / math.Pi * (max(0, s) + dm*dm))
	})
	if total == 0 {
		return nil, errors.New("total variation of data that does not vary: choose the Gaussian prior")
	}
	v.lambda = float32(weight * differenceShare * float64(prior.P) / total)
	v.mean, v.precision = narrow(prior.Mean), make([]float32, prior.P)
	for i := range prior.P {
		v.precision[i] = float32(weight * pixelShare / (prior.Covariance[i*prior.P+i] + smoothing*smoothing))
	}
	return v, nil
}

// pairs calls f with every two neighbours.
func (v *variation) pairs(f func(i, j int)) {
	for c := range v.channels {
		for y := range v.rows {
			for x := range v.cols {
				i := (c*v.rows+y)*v.cols + x
				if x+1 < v.cols {
					f(i, i+1)
				}
				if y+1 < v.rows {
					f(i, i+v.cols)
				}
			}
		}
	}
}

func (v *variation) input(theta, u []float32)       { copy(theta, u) }
func (v *variation) coordinates(u, theta []float32) { copy(u, theta) }
func (v *variation) settle(u []float32)             { clip(u, v.domain) }

func (v *variation) pull(g, _, theta []float32, cost []float64) {
	p := v.channels * v.rows * v.cols
	simd.Parallel(len(cost), 1+descentGrain/p, func(lo, hi int) {
		for i := lo; i < hi; i++ {
			cost[i] += v.row(g[i*p:(i+1)*p], theta[i*p:(i+1)*p])
		}
	})
}

// row adds the gradient of one input's penalty to g and returns the penalty.
func (v *variation) row(g, theta []float32) float64 {
	var sum float64
	along := func(i, j int) {
		d := theta[j] - theta[i]
		root := float32(math.Sqrt(float64(d*d + smoothing*smoothing)))
		sum += float64(root - smoothing)
		pull := v.lambda * d / root
		g[j] += pull
		g[i] -= pull
	}
	for top := 0; top < len(theta); top += v.cols {
		last := (top/v.cols)%v.rows == v.rows-1
		for i := top; i < top+v.cols; i++ {
			if i+1 < top+v.cols {
				along(i, i+1)
			}
			if !last {
				along(i, i+v.cols)
			}
		}
	}
	sum *= float64(v.lambda)
	for i, m := range v.mean {
		d := theta[i] - m
		g[i] += v.precision[i] * d
		sum += float64(v.precision[i]*d*d) / 2
	}
	return sum
}
