package classical

import (
	"math"
)

// SoftmaxZero is a softmax over the scores that are not 0; those that are stay 0.
type SoftmaxZero struct{}

// Kind returns "SOFTMAX_ZERO".
func (SoftmaxZero) Kind() string { return "SOFTMAX_ZERO" }

// Width returns in.
func (SoftmaxZero) Width(in int) (int, error) { return in, nil }

// Row32 overwrites y with the shares of the scores x.
func (SoftmaxZero) Row32(y, x []float32) { softmaxZero(y, x) }

// Row64 is Row32 in float64.
func (SoftmaxZero) Row64(y, x []float64) { softmaxZero(y, x) }

// nearZero is the magnitude up to which ONNX Runtime takes a score for 0.
const nearZero = 1e-7

func softmaxZero[T float32 | float64](y, x []T) {
	top, sum := T(math.Inf(-1)), T(0)
	for _, v := range x {
		top = max(top, v)
	}
	for i, v := range x {
		if float64(v) > nearZero || float64(v) < -nearZero {
			y[i] = T(math.Exp(float64(v - top)))
			sum += y[i]
		} else {
			y[i] = v * T(math.Exp(-float64(top)))
		}
	}
	for i := range y {
		y[i] /= sum
	}
}

// Bound is +Inf: none is known.
func (SoftmaxZero) Bound(ey, _, _, _ []float64) { fill(ey, math.Inf(1)) }

// Probit is the quantile function of the normal distribution by Winitzki's approximation of
// the inverse error function, with its constant a = 0.147.
type Probit struct{}

// Kind returns "PROBIT".
func (Probit) Kind() string { return "PROBIT" }

// Width returns in.
func (Probit) Width(in int) (int, error) { return in, nil }

// Row32 overwrites y with the quantiles of x.
func (Probit) Row32(y, x []float32) { probit(y, x) }

// Row64 is Row32 in float64.
func (Probit) Row64(y, x []float64) { probit(y, x) }

func probit[T float32 | float64](y, x []T) {
	const a = 0.147
	for i, v := range x {
		u := 2*float64(v) - 1
		l := math.Log((1 - u) * (1 + u))
		b := 2/(math.Pi*a) + l/2
		y[i] = T(math.Copysign(math.Sqrt2*math.Sqrt(math.Sqrt(b*b-l/a)-b), u))
	}
}

// Bound is +Inf: none is known.
func (Probit) Bound(ey, _, _, _ []float64) { fill(ey, math.Inf(1)) }
