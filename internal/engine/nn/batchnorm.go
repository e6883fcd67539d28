package nn

import (
	"cmp"
	"fmt"
	"math"

	"tattle/internal/math/simd"
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

// Shape returns the input's shape. It returns an error if the channels do not fit.
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
	if !(b.Epsilon >= 0 && b.Epsilon <= math.MaxFloat64 && b.Momentum >= 0 && b.Momentum <= 1) {
		return nil, fmt.Errorf("epsilon %g is negative or not finite, or momentum %g is not in [0, 1]", b.Epsilon, b.Momentum)
	}
	for i, v := range b.Variance.Data {
		if !(v >= 0) {
			return nil, fmt.Errorf("running variance %g of channel %d is not 0 or more", v, i)
		}
	}
	return inputs[0], nil
}

func (b *BatchNorm) kernel32(in ...[]int) kernel[float32] { return newBatchNorm[float32](b, in[0]) }
func (b *BatchNorm) kernel64(in ...[]int) kernel[float64] { return newBatchNorm[float64](b, in[0]) }

func (b *BatchNorm) epsilon() float64 { return cmp.Or(b.Epsilon, DefaultBatchNormEpsilon) }

func (b *BatchNorm) momentum() float64 { return cmp.Or(b.Momentum, DefaultBatchNormMomentum) }

// batchNorm is the kernel of a BatchNorm in inference, y = a·x + c per channel. In training normChain
// takes its place.
type batchNorm[T Float] struct {
	op *BatchNorm
	hw int // of a channel of one example
}

func newBatchNorm[T Float](b *BatchNorm, in []int) *batchNorm[T] {
	return &batchNorm[T]{op: b, hw: Size(in[1:])}
}

func (k *batchNorm[T]) inPlace() {}

// affine returns the a and c of channel i in inference.
func (k *batchNorm[T]) affine(i int) (a, c float64) {
	b := k.op
	a = float64(b.Scale.Data[i]) / math.Sqrt(float64(b.Variance.Data[i])+b.epsilon())
	return a, float64(b.Shift.Data[i]) - a*float64(b.Mean.Data[i])
}

// run sets out = a·in + c, the c left out in products, and shares the channels among the cores.
func (k *batchNorm[T]) run(out, in []T, rows int, product bool) {
	simd.Parallel(k.op.Channels, 1+grain/(rows*k.hw), func(lo, hi int) {
		for i := lo; i < hi; i++ {
			a, c := k.affine(i)
			if product {
				c = 0
			}
			for r := range rows {
				at := (r*k.op.Channels + i) * k.hw
				simd.ScaleShift(out[at:][:k.hw], in[at:][:k.hw], T(a), T(c))
			}
		}
	})
}

func (k *batchNorm[T]) forward(f *frame[T]) { k.run(f.y, f.x[0], f.batch, false) }

func (k *batchNorm[T]) jvp(f *frame[T], dy []T, dx [][]T, n int) {
	k.run(dy, dx[0], f.batch*n, true)
}

func (k *batchNorm[T]) vjp(f *frame[T], dx [][]T, dy []T, n int) {
	if dx[0] != nil {
		k.run(dx[0], dy, f.batch*n, true)
	}
}

// roundoff bounds inference, ŷ = fl(fl(â·x̂) + ĉ) with ĉ = fl(Shift − fl(â·Mean)),
// fused or not. The sum, the root and the division give â within γ₃ of a = Scale /
// √(Variance + ε); counting the roundings that each term then meets (Higham, §3.1),
//
//	|ŷ − y(x̂)| ≤ γ₅·|a·x̂| + γ₆·|a·Mean| + γ₂·|Shift|
//
// and the input's error adds |a|·ex. The terms here pass at most nine roundings, the
// three in â among them; |a| multiplies nothing that has underflowed.
func (k *batchNorm[T]) roundoff(f *frame[float64], ey []float64, ex [][]float64) {
	g, up, x := gamma(6), roundUp(9), f.x[0]
	for i := range ey {
		c := i / k.hw % k.op.Channels
		a, _ := k.affine(c)
		a = math.Abs(a)
		m, b := math.Abs(float64(k.op.Mean.Data[c])), math.Abs(float64(k.op.Shift.Data[c]))
		e := a*ex[0][i] + g*(a*math.Abs(x[i])+a*m+b)
		ey[i] = e*up + underflow
	}
}
