package nn

import (
	"errors"
	"fmt"
	"math"
)

// DefaultLayerNormEpsilon stands in for a zero Epsilon of a LayerNorm or a
// GroupNorm; it is PyTorch's and ONNX's.
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
	if err := checkNorm(o.Epsilon, o.Scale, o.Shift, s[len(s)-o.axes():]...); err != nil {
		return nil, err
	}
	return s, nil
}

// checkNorm returns an error if the settings of a normalisation do not fit.
func checkNorm(epsilon float64, scale, shift *Param, shape ...int) error {
	if !(epsilon >= 0 && epsilon <= math.MaxFloat64) {
		return fmt.Errorf("epsilon %g is negative or not finite", epsilon)
	}
	var wrong []error
	if scale != nil {
		wrong = append(wrong, scale.check("scale", shape...))
	}
	if shift != nil {
		wrong = append(wrong, shift.check("shift", shape...))
	}
	return errors.Join(wrong...)
}

func (o *LayerNorm) axes() int { return max(o.Axes, 1) }

func (o *LayerNorm) kernel32(in ...[]int) kernel[float32] { return newLayerNorm[float32](o, in[0]) }
func (o *LayerNorm) kernel64(in ...[]int) kernel[float64] { return newLayerNorm[float64](o, in[0]) }

func newLayerNorm[T Float](o *LayerNorm, in []int) *rowNorm[T] {
	cols := Size(in[len(in)-o.axes():])
	k := newRowNorm[T](o.Epsilon, o.Scale, o.Shift)
	k.cols, k.perExample, k.segment = cols, Size(in[:len(in)-o.axes()]), 1
	k.period = cols
	return k
}
