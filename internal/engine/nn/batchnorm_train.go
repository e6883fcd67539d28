package nn

import (
	"math"

	"tattle/internal/math/simd"
)

// batchStats is what the frame of a training step keeps: the statistics by channel,
// and the mask of a Dropout that has been joined to the operator.
type batchStats struct {
	mean, invStd []float64
	mask         []uint64
}

// prepare makes room for the statistics in the frame.
func (k *batchNorm[T]) prepare(f *frame[T]) {
	s, ok := f.aux.(*batchStats)
	if !ok {
		s = &batchStats{mean: make([]float64, k.op.Channels), invStd: make([]float64, k.op.Channels)}
		f.aux = s
	}
	k.stats = s
}

func (k *batchNorm[T]) trainRange(lo, hi int) {
	for c := lo; c < hi; c++ {
		a, b := k.measure(c)
		for e := range k.f.batch {
			simd.ScaleShift(k.plane(k.out, e, c), k.plane(k.in, e, c), T(a), T(b))
		}
	}
}

// measure takes the statistics of channel c of the batch, moves the running ones
// and returns the a and c with which y = a·x + c.
func (k *batchNorm[T]) measure(c int) (a, shift float64) {
	mean, variance := k.moments(c)
	return k.adopt(c, mean, variance)
}

// settle is measure given Σ x and Σ x² over the channel.
func (k *batchNorm[T]) settle(c int, sum, squares float64) (a, shift float64) {
	mean, variance := spread(sum, squares, float64(k.f.batch*k.hw))
	return k.adopt(c, mean, variance)
}

// spread returns the mean and the biased variance of n numbers.
func spread(sum, squares, n float64) (mean, variance float64) {
	mean = sum / n
	return mean, max(squares/n-mean*mean, 0)
}

func (k *batchNorm[T]) adopt(c int, mean, variance float64) (a, shift float64) {
	b, n := k.op, float64(k.f.batch*k.hw)
	invStd := 1 / math.Sqrt(variance+b.epsilon())
	k.stats.mean[c], k.stats.invStd[c] = mean, invStd
	m := b.momentum()
	move(&b.Mean.Data[c], mean, m)
	move(&b.Variance.Data[c], variance*n/max(n-1, 1), m)
	a = float64(b.Scale.Data[c]) * invStd
	return a, float64(b.Shift.Data[c]) - a*mean
}

// move leaves a running statistic as it is where the batch's is not finite: one bad
// batch, whose loss is not finite either, must not ruin the net.
func move(running *float32, batch, momentum float64) {
	moved := float32((1-momentum)*float64(*running) + momentum*batch)
	if !math.IsNaN(float64(moved)) && !math.IsInf(float64(moved), 0) {
		*running = moved
	}
}

// moments returns the mean and the biased variance of channel c of the batch.
func (k *batchNorm[T]) moments(c int) (mean, variance float64) {
	n := float64(k.f.batch * k.hw)
	if x, ok := any(k.f.x[0]).([]float32); ok {
		var sum, squares float64
		for e := range k.f.batch {
			s, q := simd.SumAndSquares(x[(e*k.op.Channels+c)*k.hw:][:k.hw])
			sum, squares = sum+s, squares+q
		}
		return spread(sum, squares, n)
	}
	for e := range k.f.batch {
		mean += float64(simd.Sum(k.plane(k.f.x[0], e, c))) / n
	}
	for e := range k.f.batch {
		for _, v := range k.plane(k.f.x[0], e, c) {
			d := float64(v) - mean
			variance += d * d / n
		}
	}
	return mean, variance
}

// correlate returns Σ d and Σ d·x̂ over channel c of vector j of each example, x̂
// being the standardised input.
func (k *batchNorm[T]) correlate(c, j int) (sum, dot float64) {
	for e := range k.f.batch {
		s, p := dotAndSum(k.plane(k.in, e*k.k+j, c), k.plane(k.f.x[0], e, c))
		sum, dot = sum+s, dot+p
	}
	return sum, (dot - sum*k.stats.mean[c]) * k.stats.invStd[c]
}

// dotAndSum is [simd.DotAndSum] in either precision.
func dotAndSum[T Float](d, x []T) (sum, dot float64) {
	if d, ok := any(d).([]float32); ok {
		return simd.DotAndSum(d, any(x).([]float32))
	}
	return float64(simd.Sum(d)), float64(simd.Dot(d, x))
}

// productRange applies J, which the statistics make a projection: with r =
// 1/√(variance+ε) and means over the n inputs of the channel,
//
//	J·d = Scale·r·(d − mean(d) − x̂·mean(d·x̂)),   x̂ = r·(x − mean(x)),
//
// a symmetric matrix, so that it serves both ways.
func (k *batchNorm[T]) productRange(lo, hi int) {
	for c := lo; c < hi; c++ {
		for j := range k.k {
			sum, dot := k.correlate(c, j)
			k.project(k.in, c, j, sum, dot)
		}
	}
}

// project is productRange for one channel of d, given Σ d and Σ d·x̂.
func (k *batchNorm[T]) project(d []T, c, j int, sum, dot float64) {
	a, b, shift := k.projection(c, sum, dot)
	for e := range k.f.batch {
		v := e*k.k + j
		simd.Combine(k.plane(k.out, v, c), k.plane(d, v, c), k.plane(k.f.x[0], e, c), T(a), T(b), T(shift))
	}
}

// projection returns what makes J·d = a·d + b·x + shift in channel c.
func (k *batchNorm[T]) projection(c int, sum, dot float64) (a, b, shift float64) {
	n := float64(k.f.batch * k.hw)
	a = float64(k.op.Scale.Data[c]) * k.stats.invStd[c]
	b = -a * k.stats.invStd[c] * dot / n
	return a, b, -a*sum/n - b*k.stats.mean[c]
}

func (k *batchNorm[T]) grad(f *frame[float32], dy []float32)          { k.paramGrad(f, dy, 1) }
func (k *batchNorm[T]) overwriteGrad(f *frame[float32], dy []float32) { k.paramGrad(f, dy, 0) }

// overwriteGradVJP is overwriteGrad and vjp, channel by channel, while the sums
// that they share are at hand. It is for training.
func (k *batchNorm[T]) overwriteGradVJP(f *frame[float32], dx, dy []float32) {
	k.keep, k.stats = 0, f.aux.(*batchStats)
	k.run(normBackward, any(f).(*frame[T]), any(dx).([]T), any(dy).([]T), 1)
}

func (k *batchNorm[T]) backwardRange(lo, hi int) {
	for c := lo; c < hi; c++ {
		sum, dot := k.correlate(c, 0)
		k.addGrad(c, sum, dot)
		k.project(k.in, c, 0, sum, dot)
	}
}

// paramGrad sets ∂Scale = Σ dy·x̂ + keep·∂Scale and ∂Shift = Σ dy + keep·∂Shift.
func (k *batchNorm[T]) paramGrad(f *frame[float32], dy []float32, keep float32) {
	k.keep, k.stats = keep, f.aux.(*batchStats)
	k.run(normGradient, any(f).(*frame[T]), nil, any(dy).([]T), 1)
}

func (k *batchNorm[T]) gradientRange(lo, hi int) {
	for c := lo; c < hi; c++ {
		sum, dot := k.correlate(c, 0)
		k.addGrad(c, sum, dot)
	}
}

func (k *batchNorm[T]) addGrad(c int, sum, dot float64) {
	addTo(&k.op.Scale.Grad[c], k.keep, dot)
	addTo(&k.op.Shift.Grad[c], k.keep, sum)
}

// addTo sets x to keep·x + v; keep = 0 does not read x.
func addTo(x *float32, keep float32, v float64) {
	if keep == 0 {
		*x = 0
	}
	*x = keep*(*x) + float32(v)
}
