package nn

import (
	"math"

	"tattle/internal/math/float16"
	"tattle/internal/math/simd"
)

// unaryFuncs are the functions of [Unary] without settings.
var unaryFuncs = map[string]*unaryFunc{
	"Neg": {
		value: func(x float64) float64 { return -x },
		slope: func(float64) float64 { return -1 },
		bound: handOnBound,
	},
	"Abs": {
		value: math.Abs, slope: signOf,
		bound: handOnBound,
	},

	// √x′ − √x = (x′ − x)/(√x′ + √x), which is at most √|x′ − x| too. The slope at 0, which is
	// infinite, counts as 0, as that of a norm does.
	"Sqrt": {
		value: math.Sqrt,
		slope: func(x float64) float64 {
			if x == 0 {
				return 0
			}
			return .5 / math.Sqrt(x)
		},
		bound: rootBound,
	},
	"Exp": {
		value: math.Exp, slope: math.Exp,
		steepest: func(_, hi float64) float64 { return math.Exp(hi) },
		value32:  simd.Exp, slope32: expSlope32,
	},
	"Log": {
		value:  math.Log,
		slope:  func(x float64) float64 { return 1 / x },
		bound:  logarithmBound,
		rounds: 20,
	},
	"Erf": {
		value: math.Erf, slope: erfSlope,
		steepest: nearZero(erfSlope, 0x1p-44),
	},

	// The library reduces x by multiples of π, so that the error allowed is absolute.
	"Sin": {
		value: math.Sin, slope: math.Cos,
		steepest: bent(math.Cos, 1, 1),
		loss:     absoluteLoss,
	},
	"Cos": {
		value: math.Cos, slope: func(x float64) float64 { return -math.Sin(x) },
		steepest: bent(math.Sin, 1, 1),
		loss:     absoluteLoss,
	},

	// σ′ = σ(x)·σ(−x) falls away from 0.
	"Sigmoid": {
		value: sigma, slope: sigmaSlope,
		steepest: nearZero(sigmaSlope, 0),
		loss:     func(_, y float64) float64 { return 32 * y },
		value32:  simd.Sigmoid, slope32: simd.SigmoidSlope,
	},

	// tanh x = 2σ(2x) − 1. The float32 kernel subtracts, so the loss is absolute.
	"Tanh": {
		value: math.Tanh, slope: tanhSlope,
		steepest: nearZero(tanhSlope, 0),
		loss:     absoluteLoss,
		value32:  tanh32, slope32: tanhSlope32,
	},

	// x·Φ(x) = x/2·erfc(−x/√2). The rounding of −x/√2 is magnified by up to x² where x < 0.
	// |f′| ≤ 1.1290 and |f″| = |φ(x)·(2 − x²)| ≤ 2φ(0) < .7979.
	"Gelu": {
		value: func(x float64) float64 { return x * (.5 * math.Erfc(x*-(math.Sqrt2/2))) }, slope: geluSlope,
		steepest: bent(geluSlope, 1.13, .7979),
		loss: func(x, y float64) float64 {
			t := min(x, 0)
			return (32 + 8*t*t) * math.Abs(y)
		},
		value32: simd.Gelu, slope32: simd.GeluSlope,
	},

	// x·max(0, min(6, x + 3))/6, whose slope between −3 and 3 is x/3 + ½. It is one function for
	// speed.
	"HardSwish": {
		value: func(x float64) float64 { return x * min(max(x+3, 0), 6) / 6 },
		slope: func(x float64) float64 {
			switch {
			case x < -3:
				return 0
			case x < 3:
				return x/3 + .5
			}
			return 1
		},
		steepest: func(lo, hi float64) float64 {
			s := 0.0
			if hi > 3 {
				s = 1
			}
			if lo <= 3 && hi >= -3 { // monotone there
				s = max(s, math.Abs(max(lo, -3)/3+.5), math.Abs(min(hi, 3)/3+.5)) + 4*unit
			}
			return s
		},
		loss:    func(_, y float64) float64 { return 8 * math.Abs(y) },
		value32: hardSwish32, slope32: hardSwishSlope32,
	},

	"Floor": staircase(math.Floor, 0),
	"Ceil":  staircase(math.Ceil, 0),
	"Round": staircase(math.RoundToEven, 0),
	"Sign":  staircase(signOf, 0),

	// Rounding to a format of 16 bits has very small steps. Searches follow a slope of 1.
	"Float16":  staircase(float16.Half.Round, 1),
	"BFloat16": staircase(float16.Brain.Round, 1),
}

// function returns what the operator applies, nil for an unknown one.
func (o *Unary) function() *unaryFunc {
	if o.Function == "Clip" {
		return clip(o.Alpha, o.Beta)
	}
	return unaryFuncs[o.Function]
}

func handOnBound(_, _, e float64) float64 { return e }

func absoluteLoss(float64, float64) float64 { return 16 }

func rootBound(x, y, e float64) float64 {
	if x < e {
		return math.Inf(1)
	}
	if e == 0 {
		return unit * y
	}
	return min(math.Sqrt(e), e/math.Sqrt(x))*(1+4*unit) + 2*unit*y
}

// logarithmBound: over x̂ ± e, where that is positive, the logarithm moves by at most −log1p(−e/x̂),
// more downward than upward; math.Log and math.Log1p err by less than 1 ulp, and the bound allows
// 8 ulp, that is 16u. The quotient is rounded up first, since near 1 its error is magnified.
func logarithmBound(x, y, e float64) float64 {
	t := e / x * roundUp(1)
	if !(x > 0 && t < 1) {
		return math.Inf(1)
	}
	return -math.Log1p(-t) + 16*unit*math.Abs(y)
}

func erfSlope(x float64) float64 { return 2 / math.SqrtPi * math.Exp(-x*x) }

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

func tanhSlope(x float64) float64 { return 4 * sigmaSlope(2*x) }

func geluSlope(x float64) float64 {
	return .5*math.Erfc(x*-(math.Sqrt2/2)) + x*math.Exp(-x*x/2)*(1/(math.Sqrt2*math.SqrtPi))
}

// staircase is a function that is constant between jumps and does not fall: it is off by at most
// what lies between its values at the ends of x ± e. Its slope is taken to be
// the one given.
func staircase(f func(float64) float64, slope float64) *unaryFunc {
	return &unaryFunc{
		value: f,
		steps: true,
		slope: func(float64) float64 { return slope },
		bound: func(x, y, e float64) float64 {
			lo, hi := around(x, e)
			return max(f(hi)-y, y-f(lo))
		},
	}
}

func signOf(x float64) float64 {
	switch {
	case x > 0:
		return 1
	case x < 0:
		return -1
	}
	return x // 0 and NaN
}

// clip is min(max(x, lo), hi).
func clip(lo, hi float64) *unaryFunc {
	return &unaryFunc{
		value: func(x float64) float64 { return min(max(x, lo), hi) },
		slope: func(x float64) float64 {
			if x >= lo && x <= hi {
				return 1
			}
			return 0
		},
		bound:   func(x, _, e float64) float64 { return clampBound(x, e, lo, hi) },
		value32: func(dst, x []float32) { simd.Clip(dst, x, float32(lo), float32(hi)) },
		slope32: func(dst, d, x []float32) { clipSlope32(dst, d, x, float32(lo), float32(hi)) },
	}
}

// clampBound is how far clamp moves where v is off by at most e.
func clampBound(v, e, lo, hi float64) float64 {
	least, most := around(v, e)
	if least >= hi || most <= lo {
		return 0
	}
	return e
}
