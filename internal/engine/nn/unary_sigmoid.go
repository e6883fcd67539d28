package nn

import (
	"math"

	"tattle/internal/math/simd"
)

// The functions made of the logistic one, σ(x) = 1/(1 + e^−x), and of the normal
// distribution.

// logistic: σ′ = σ(x)·σ(−x) falls away from 0.
func logistic(*Unary) *unaryFunc {
	return &unaryFunc{
		value: sigma, slope: sigmaSlope,
		steepest: nearZero(sigmaSlope, 0),
		loss:     func(_, y float64) float64 { return 32 * y },
		value32:  simd.Sigmoid, slope32: simd.SigmoidSlope,
	}
}

func sigma(x float64) float64 {
	e := math.Exp(-math.Abs(x))
	if x < 0 {
		return e / (1 + e)
	}
	return 1 / (1 + e)
}

func sigmaSlope(x float64) float64 {
	e := math.Exp(-math.Abs(x))
	return e / ((1 + e) * (1 + e))
}

// hyperbolicTangent: tanh x = 2σ(2x) − 1. The float32 kernel subtracts, so the loss is absolute.
func hyperbolicTangent(*Unary) *unaryFunc {
	slope := func(x float64) float64 { return 4 * sigmaSlope(2*x) }
	return &unaryFunc{
		value: math.Tanh, slope: slope,
		steepest: nearZero(slope, 0),
		loss:     func(float64, float64) float64 { return 16 },
		value32:  tanh32, slope32: tanhSlope32,
	}
}

// gelu is x·Φ(x) = x/2·erfc(−x/√2). The rounding of −x/√2 is magnified by up to x² where
// x < 0. |f′| ≤ 1.1290 and |f″| = |φ(x)·(2 − x²)| ≤ 2φ(0) < .7979.
func gelu(*Unary) *unaryFunc {
	value := func(x float64) float64 { return x * (.5 * math.Erfc(x*-(math.Sqrt2/2))) }
	slope := func(x float64) float64 {
		return .5*math.Erfc(x*-(math.Sqrt2/2)) + x*math.Exp(-x*x/2)*(1/(math.Sqrt2*math.SqrtPi))
	}
	return &unaryFunc{
		value: value, slope: slope,
		steepest: bent(slope, 1.13, .7979),
		loss: func(x, y float64) float64 {
			t := min(x, 0)
			return (32 + 8*t*t) * math.Abs(y)
		},
		value32: simd.Gelu, slope32: simd.GeluSlope,
	}
}
