package nn

import "fmt"

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
	for _, p := range []*Param{b.Scale, b.Shift, b.Mean, b.Variance} {
		if !sameShape(p, []int{b.Channels}) {
			return nil, fmt.Errorf("a parameter has shape %v, want [%d]", paramShape(p), b.Channels)
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
