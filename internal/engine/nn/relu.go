package nn

import (
	"fmt"
	"math"

	"tattle/internal/math/simd"
)

// ReLU is x where x > 0 and Slope·x elsewhere, the derivative at 0 being Slope: max(x, 0), or what is
// called LeakyReLU where there is a slope.
type ReLU struct{ Slope float64 }

// Kind returns "Relu", or "LeakyRelu" where there is a slope.
func (o *ReLU) Kind() string {
	if o.Slope == 0 {
		return "Relu"
	}
	return "LeakyRelu"
}

// Shape returns the input's shape; it returns an error if the slope is not finite.
func (o *ReLU) Shape(inputs ...[]int) ([]int, error) {
	if math.IsNaN(o.Slope) || math.IsInf(o.Slope, 0) {
		return nil, fmt.Errorf("slope %v is not finite", o.Slope)
	}
	return oneInput(inputs)
}

func (o *ReLU) kernel32(...[]int) kernel[float32] { return newRectifier[float32](o.Slope) }
func (o *ReLU) kernel64(...[]int) kernel[float64] { return newRectifier[float64](o.Slope) }

// rectifier is the kernel of ReLU. With a slope of 0 the negative side is exactly zero.
type rectifier[T Float] struct {
	elementwise[T]
	slope float64
}

func newRectifier[T Float](slope float64) *rectifier[T] {
	s := T(slope)
	return &rectifier[T]{slope: slope, elementwise: elementwise[T]{
		apply:   func(y, _, x []T) { simd.Rectify(y, x, x, s) },
		product: func(dst, d, x []T) { simd.Rectify(dst, d, x, s) },
	}}
}

func (k *rectifier[T]) active(f *frame[T], dst []bool) {
	for i, x := range f.x[0] {
		dst[i] = k.slope != 0 || x > 0
	}
}

// roundoff: where the whole interval x̂ ± ex lies on one side of 0 the operator is
// linear there, with slope 1 or Slope, and otherwise it stretches no interval by
// more than max(1, |Slope|). Only Slope·x̂ is rounded, by at most u·|ŷ|/(1 − u);
// the bound itself takes three roundings.
func (k *rectifier[T]) roundoff(f *frame[float64], ey []float64, ex [][]float64) {
	s := math.Abs(k.slope)
	up, zero := roundUp(3), s == 0
	for i, x := range f.x[0] {
		e := ex[0][i]
		switch {
		case e < x:
			ey[i] = e
		case e < -x && zero:
			ey[i] = 0
		case zero:
			ey[i] = e
		case e < -x:
			ey[i] = up*(s*e+2*unit*math.Abs(f.y[i])) + underflow
		default:
			ey[i] = up*(max(1, s)*e+2*unit*math.Abs(f.y[i])) + underflow
		}
	}
}
