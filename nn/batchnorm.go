package nn

import (
	"fmt"
	"math"

	"tattle/internal/simd"
)

// DefaultBatchNormEpsilon and DefaultBatchNormMomentum stand in for zero
// settings of a BatchNorm; they are PyTorch's.
const (
	DefaultBatchNormEpsilon  = 1e-5
	DefaultBatchNormMomentum = 0.1
)

// BatchNorm standardises each channel and then scales and shifts it:
//
//	y = Scale · (x − mean) / √(variance + Epsilon) + Shift
//
// Inference uses the running Mean and Variance. Training uses the batch's own
// mean and (biased) variance, differentiates through them, and moves the running
// ones by Momentum towards the batch's, with the unbiased variance, as PyTorch.
// The input is [channels, height, width] or [channels].
type BatchNorm struct {
	Channels       int
	Scale, Shift   *Param  // learned, [Channels]
	Mean, Variance *Param  // running, not learned, [Channels]
	Epsilon        float64 // zero means DefaultBatchNormEpsilon
	Momentum       float64 // zero means DefaultBatchNormMomentum
}

// Kind returns "BatchNormalization".
func (b *BatchNorm) Kind() string { return "BatchNormalization" }

// Params returns Scale and Shift; Mean and Variance are not learned.
func (b *BatchNorm) Params() []*Param { return []*Param{b.Scale, b.Shift} }

// Shape returns the input's shape. It errs where the channels do not fit.
func (b *BatchNorm) Shape(inputs ...[]int) ([]int, error) {
	if len(inputs) != 1 || (len(inputs[0]) != 1 && len(inputs[0]) != 3) {
		return nil, fmt.Errorf("want one input of shape [channels height width] or [channels], have %v", inputs)
	}
	if c := inputs[0][0]; c != b.Channels {
		return nil, fmt.Errorf("input has %d channels, want %d", c, b.Channels)
	}
	for i, p := range []*Param{b.Scale, b.Shift, b.Mean, b.Variance} {
		if err := p.check([]string{"scale", "shift", "mean", "variance"}[i], b.Channels); err != nil {
			return nil, err
		}
	}
	if b.Epsilon < 0 || b.Momentum < 0 || b.Momentum > 1 {
		return nil, fmt.Errorf("epsilon %g is negative or momentum %g is not in [0, 1]", b.Epsilon, b.Momentum)
	}
	for i, v := range b.Variance.Data {
		if v < 0 {
			return nil, fmt.Errorf("running variance %g of channel %d is negative", v, i)
		}
	}
	return inputs[0], nil
}

func (b *BatchNorm) kernel32(in ...[]int) kernel[float32] { return newBatchNorm[float32](b, in[0]) }
func (b *BatchNorm) kernel64(in ...[]int) kernel[float64] { return newBatchNorm[float64](b, in[0]) }

func (b *BatchNorm) epsilon() float64 {
	if b.Epsilon == 0 {
		return DefaultBatchNormEpsilon
	}
	return b.Epsilon
}

func (b *BatchNorm) momentum() float64 {
	if b.Momentum == 0 {
		return DefaultBatchNormMomentum
	}
	return b.Momentum
}

// batchNorm is the kernel of a BatchNorm: in inference y = a·x + c per channel.
type batchNorm[T Float] struct {
	op   *BatchNorm
	hw   int // of a channel of one example
	each [6]func(lo, hi int)

	// The operands of the product in progress.
	f       *frame[T]
	out, in []T
	k       int
	stats   *batchStats
	keep    float32
}

// batchStats is what the frame of a training step keeps, by channel.
type batchStats struct{ mean, invStd []float64 }

// What a pass over the channels computes.
const (
	normInference = iota // out = a·in + c
	normScale            // out = a·in
	normTrain            // batch statistics, and y from them
	normProduct          // out = J·in, J symmetric
	normGradient         // of Scale and Shift from in
	normBackward         // both of these
)

func newBatchNorm[T Float](b *BatchNorm, in []int) *batchNorm[T] {
	k := &batchNorm[T]{op: b, hw: Size(in[1:])}
	k.each = [6]func(lo, hi int){k.inferRange, k.scaleRange, k.trainRange, k.productRange, k.gradientRange, k.backwardRange}
	return k
}

// run shares the channels among the cores.
func (k *batchNorm[T]) run(pass int, f *frame[T], out, in []T, n int) {
	k.f, k.out, k.in, k.k = f, out, in, n
	simd.Parallel(k.op.Channels, 1+grain/(f.batch*n*k.hw), k.each[pass])
}

// plane returns channel c of vector v of n·k of them.
func (k *batchNorm[T]) plane(x []T, v, c int) []T { return x[(v*k.op.Channels+c)*k.hw:][:k.hw] }

func (k *batchNorm[T]) inPlace() {}

// affine returns the a and c of channel i in inference.
func (k *batchNorm[T]) affine(i int) (a, c float64) {
	b := k.op
	a = float64(b.Scale.Data[i]) / math.Sqrt(float64(b.Variance.Data[i])+b.epsilon())
	return a, float64(b.Shift.Data[i]) - a*float64(b.Mean.Data[i])
}

func (k *batchNorm[T]) forward(f *frame[T]) {
	if !f.train {
		k.run(normInference, f, f.y, f.x[0], 1)
		return
	}
	k.prepare(f)
	k.run(normTrain, f, f.y, f.x[0], 1)
	k.op.Mean.Changed()
	k.op.Variance.Changed()
}

// prepare makes room for the statistics in the frame.
func (k *batchNorm[T]) prepare(f *frame[T]) {
	s, ok := f.aux.(*batchStats)
	if !ok {
		s = &batchStats{make([]float64, k.op.Channels), make([]float64, k.op.Channels)}
		f.aux = s
	}
	k.stats = s
}

func (k *batchNorm[T]) inferRange(lo, hi int) {
	for c := lo; c < hi; c++ {
		a, b := k.affine(c)
		for e := range k.f.batch {
			simd.ScaleShift(k.plane(k.out, e, c), k.plane(k.in, e, c), T(a), T(b))
		}
	}
}

func (k *batchNorm[T]) scaleRange(lo, hi int) {
	for c := lo; c < hi; c++ {
		a, _ := k.affine(c)
		for v := range k.f.batch * k.k {
			simd.ScaleShift(k.plane(k.out, v, c), k.plane(k.in, v, c), T(a), 0)
		}
	}
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
	b, n := k.op, float64(k.f.batch*k.hw)
	mean, variance := k.moments(c)
	invStd := 1 / math.Sqrt(variance+b.epsilon())
	k.stats.mean[c], k.stats.invStd[c] = mean, invStd
	m := b.momentum()
	move(&b.Mean.Data[c], mean, m)
	move(&b.Variance.Data[c], variance*n/max(n-1, 1), m)
	a = float64(b.Scale.Data[c]) * invStd
	return a, float64(b.Shift.Data[c]) - a*mean
}

func move(running *float32, batch, momentum float64) {
	*running = float32((1-momentum)*float64(*running) + momentum*batch)
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
		mean = sum / n
		return mean, max(squares/n-mean*mean, 0)
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
	n := float64(k.f.batch * k.hw)
	a := float64(k.op.Scale.Data[c]) * k.stats.invStd[c]
	b := -a * k.stats.invStd[c] * dot / n
	shift := -a*sum/n - b*k.stats.mean[c]
	for e := range k.f.batch {
		v := e*k.k + j
		simd.Combine(k.plane(k.out, v, c), k.plane(d, v, c), k.plane(k.f.x[0], e, c), T(a), T(b), T(shift))
	}
}

func (k *batchNorm[T]) product(f *frame[T], out, in []T, n int) {
	if !f.train {
		k.run(normScale, f, out, in, n)
		return
	}
	k.stats = f.aux.(*batchStats)
	k.run(normProduct, f, out, in, n)
}

func (k *batchNorm[T]) jvp(f *frame[T], dy []T, dx [][]T, n int) {
	if dx[0] == nil {
		clear(dy)
		return
	}
	k.product(f, dy, dx[0], n)
}

func (k *batchNorm[T]) vjp(f *frame[T], dx [][]T, dy []T, n int) {
	if dx[0] != nil {
		k.product(f, dx[0], dy, n)
	}
}

// shift panics in training, where the examples of a batch act on each other and
// have no shift of their own.
func (k *batchNorm[T]) shift(f *frame[T], dy []T, dx [][]T, n int) {
	if f.train {
		panic("nn: BatchNorm has no shift while training")
	}
	k.jvp(f, dy, dx, n)
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
	k.keep = keep
	if f.train {
		k.stats = f.aux.(*batchStats)
	} else {
		k.stats = k.running()
	}
	k.run(normGradient, any(f).(*frame[T]), nil, any(dy).([]T), 1)
}

// running returns the running statistics, those of inference.
func (k *batchNorm[T]) running() *batchStats {
	s := &batchStats{}
	for c, m := range k.op.Mean.Data {
		s.mean = append(s.mean, float64(m))
		s.invStd = append(s.invStd, 1/math.Sqrt(float64(k.op.Variance.Data[c])+k.op.epsilon()))
	}
	return s
}

func (k *batchNorm[T]) gradientRange(lo, hi int) {
	for c := lo; c < hi; c++ {
		sum, dot := k.correlate(c, 0)
		k.addGrad(c, sum, dot)
	}
}

func (k *batchNorm[T]) addGrad(c int, sum, dot float64) {
	scale, shift := k.op.Scale.Grad, k.op.Shift.Grad
	scale[c] = k.keep*scale[c] + float32(dot)
	shift[c] = k.keep*shift[c] + float32(sum)
}

// roundoff bounds inference, ŷ = fl(fl(â·x̂) + ĉ) with ĉ = fl(Shift − fl(â·Mean)),
// fused or not. The sum, the root and the division give â within γ₃ of a = Scale /
// √(Variance + ε); counting the roundings that each term then meets (Higham, §3.1),
//
//	|ŷ − y(x̂)| ≤ γ₅·|a·x̂| + γ₆·|a·Mean| + γ₂·|Shift|
//
// and the input's error adds |a|·ex. What is computed here rounds by at most γ₁₀
// of itself, with â for a among it; the last factor exceeds that.
func (k *batchNorm[T]) roundoff(f *frame[float64], ey []float64, ex [][]float64) {
	g, x := gamma(6), f.x[0]
	for i := range ey {
		c := i / k.hw % k.op.Channels
		a, _ := k.affine(c)
		m, b := math.Abs(float64(k.op.Mean.Data[c])), math.Abs(float64(k.op.Shift.Data[c]))
		e := math.Abs(a)*(ex[0][i]+g*(math.Abs(x[i])+m)) + g*b
		ey[i] = (e + 4*math.SmallestNonzeroFloat64) * (1 + gamma(32))
	}
}
