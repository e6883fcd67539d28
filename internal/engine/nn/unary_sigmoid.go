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

// hyperbolicTangent: tanh x = 2σ(2x) − 1.
func hyperbolicTangent(*Unary) *unaryFunc {
	slope := func(x float64) float64 { return 4 * sigmaSlope(2*x) }
	return &unaryFunc{
		value: math.Tanh, slope: slope,
		steepest: nearZero(slope, 0),
		value32:  simd.Tanh, slope32: simd.TanhSlope,
	}
}

// softplus is log(1 + e^x), whose slope σ grows.
func softplus(*Unary) *unaryFunc {
	value := func(x float64) float64 { return max(x, 0) + math.Log1p(math.Exp(-math.Abs(x))) }
	return &unaryFunc{
		value: value, slope: sigma,
		steepest: func(_, hi float64) float64 { return sigma(hi) },
		value32:  simd.Softplus, slope32: sigmoid32Of,
	}
}

// softsign is x/(1 + |x|).
func softsign(*Unary) *unaryFunc {
	value := func(x float64) float64 { return x / (1 + math.Abs(x)) }
	slope := func(x float64) float64 { a := 1 + math.Abs(x); return 1 / a / a }
	return &unaryFunc{
		value: value, slope: slope,
		steepest: nearZero(slope, 0),
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

// The constants of the approximation of gelu: σ(z(x)), z = a·(x + b·x³), for Φ.
const (
	geluTanhA = 2 * 0.7978845608028654 // 2·√(2/π)
	geluTanhB = .044715
)

// geluTanh is x·σ(z), z = 2·√(2/π)·(x + .044715·x³), which is ½x·(1 + tanh(z/2)).
// |f′| < 1.14, |f″| < .81.
func geluTanh(*Unary) *unaryFunc {
	z := func(x float64) float64 { return geluTanhA * x * (1 + geluTanhB*x*x) }
	slope := func(x float64) float64 {
		return sigma(z(x)) + x*(sigmaSlope(z(x))*(geluTanhA*(1+3*geluTanhB*x*x)))
	}
	return &unaryFunc{
		value: func(x float64) float64 { return x * sigma(z(x)) }, slope: slope,
		steepest: bent(slope, 1.14, .81),
		loss:     func(x, y float64) float64 { return (48 - 16*min(z(x), 0)) * math.Abs(y) },
		value32:  geluTanh32, slope32: geluTanhSlope32,
	}
}

// swish is x·σ(Alpha·x): |f′| ≤ 1.0999 and |f″| ≤ |Alpha|/2.
func swish(o *Unary) *unaryFunc {
	a := o.Alpha
	slope := func(x float64) float64 { return sigma(a*x) + a*x*sigmaSlope(a*x) }
	return &unaryFunc{
		value: func(x float64) float64 { return x * sigma(a*x) }, slope: slope,
		steepest: bent(slope, 1.1, math.Abs(a)/2),
		loss:     func(x, y float64) float64 { return (48 + 4*math.Abs(a*x)) * math.Abs(y) },
		value32:  func(dst, x []float32) { swish32(dst, x, float32(a)) },
		slope32:  func(dst, d, x []float32) { swishSlope32(dst, d, x, float32(a)) },
	}
}

// mishLimit is where x·tanh(softplus x) is x to less than a rounding.
const mishLimit = 20

// mish is x·tanh(log(1 + e^x)) = x·n/(n + 2), n = e^x·(e^x + 2). |f′| < 1.09 and
// |f″| < .65.
func mish(*Unary) *unaryFunc {
	value := func(x float64) float64 {
		if x > mishLimit {
			return x
		}
		e := math.Exp(x)
		n := e * (e + 2)
		return x * (n / (n + 2))
	}
	return &unaryFunc{
		value: value, slope: mishSlope,
		steepest: bent(mishSlope, 1.09, .65),
		loss:     func(_, y float64) float64 { return 64 * math.Abs(y) },
	}
}

func mishSlope(x float64) float64 {
	if x > mishLimit {
		return 1
	}
	e := math.Exp(x)
	n := e * (e + 2)
	return n/(n+2) + x*(4*e*(1+e)/((n+2)*(n+2)))
}
