package nn

import (
	"errors"
	"fmt"
	"math"
)

// DefaultLayerNormEpsilon stands in for a zero Epsilon of a LayerNorm; it is PyTorch's and
// ONNX's.
const DefaultLayerNormEpsilon = 1e-5

// LayerNorm standardises the last Axes dimensions together and then scales and
// shifts each of their entries (ONNX LayerNormalization-17):
//
//	y = Scale · (x − mean) / √(variance + Epsilon) + Shift
//
// with the mean and the biased variance of those entries. In training it learns
// Scale and Shift.
type LayerNorm struct {
	Axes         int     // how many dimensions; zero means 1
	Epsilon      float64 // zero means DefaultLayerNormEpsilon
	Scale, Shift *Param  // of the shape of the last Axes dimensions; nil for 1 and for 0
}

// Kind returns "LayerNormalization".
func (o *LayerNorm) Kind() string { return "LayerNormalization" }

// Params returns those of Scale and Shift that there are.
func (o *LayerNorm) Params() []*Param { return present(o.Scale, o.Shift) }

func present(params ...*Param) (out []*Param) {
	for _, p := range params {
		if p != nil {
			out = append(out, p)
		}
	}
	return out
}

// Shape returns the input's shape. It returns an error if that has too few dimensions, a
// parameter does not fit or the epsilon is not 0 or more and finite.
func (o *LayerNorm) Shape(inputs ...[]int) ([]int, error) {
	s, err := oneInput(inputs)
	if err != nil {
		return nil, err
	}
	if o.Axes < 0 || o.axes() > len(s) {
		return nil, fmt.Errorf("input has shape %v, cannot standardise its last %d dimensions", s, o.axes())
	}
	if !(o.Epsilon >= 0 && o.Epsilon <= math.MaxFloat64) {
		return nil, fmt.Errorf("epsilon %g is negative or not finite", o.Epsilon)
	}
	var wrong []error
	for i, p := range []*Param{o.Scale, o.Shift} {
		if p != nil {
			wrong = append(wrong, p.check([]string{"scale", "shift"}[i], s[len(s)-o.axes():]...))
		}
	}
	return s, errors.Join(wrong...)
}

func (o *LayerNorm) axes() int { return max(o.Axes, 1) }

func (o *LayerNorm) kernel32(in ...[]int) kernel[float32] { return newLayerNorm[float32](o, in[0]) }
func (o *LayerNorm) kernel64(in ...[]int) kernel[float64] { return newLayerNorm[float64](o, in[0]) }
