package nn

import (
	"math"

	"tattle/internal/math/float16"
	"tattle/internal/math/simd"
)

// unaryFuncs makes each function of [Unary] from its settings.
var unaryFuncs = map[string]func(o *Unary) *unaryFunc{
	"Sqrt": squareRoot,
	"Exp":  exponential,
	"Log":  logarithm,
	"Erf":  errorFunction,
	"Sin":  sine,
	"Cos":  cosine,
	"Neg":  negative,
	"Abs":  absolute,

	"Sigmoid": logistic,
	"Tanh":    hyperbolicTangent,
	"Gelu":    gelu,

	"Clip":      clip,
	"HardSwish": hardSwish,

	"Floor": func(*Unary) *unaryFunc { return staircase(math.Floor) },
	"Ceil":  func(*Unary) *unaryFunc { return staircase(math.Ceil) },
	"Round": func(*Unary) *unaryFunc { return staircase(math.RoundToEven) },
	"Sign":  func(*Unary) *unaryFunc { return staircase(signOf) },

	"Float16":  func(*Unary) *unaryFunc { return sixteenBits(float16.Half.Round) },
	"BFloat16": func(*Unary) *unaryFunc { return sixteenBits(float16.Brain.Round) },
}

// squareRoot: √x′ − √x = (x′ − x)/(√x′ + √x), which is at most √|x′ − x| too. The slope at 0, which
// is infinite, counts as 0, as that of a norm does.
func squareRoot(*Unary) *unaryFunc {
	return &unaryFunc{
		value: math.Sqrt,
		slope: func(x float64) float64 {
			if x == 0 {
				return 0
			}
			return .5 / math.Sqrt(x)
		},
		bound: rootBound,
	}
}

func rootBound(x, y, e float64) float64 {
	if x < e {
		return math.Inf(1)
	}
	if e == 0 {
		return unit * y
	}
	return min(math.Sqrt(e), e/math.Sqrt(x))*(1+4*unit) + 2*unit*y
}

func exponential(*Unary) *unaryFunc {
	return &unaryFunc{
		value: math.Exp, slope: math.Exp,
		steepest: func(_, hi float64) float64 { return math.Exp(hi) },
		value32:  simd.Exp, slope32: expSlope32,
	}
}

// logarithm: over x̂ ± e, where that is positive, it moves by at most −log1p(−e/x̂), more downward
// than upward; math.Log and math.Log1p are good to 1 ulp, of which 8, that is 16u, are
// allowed. The quotient is rounded up first, since near 1 its error is magnified.
func logarithm(*Unary) *unaryFunc {
	return &unaryFunc{
		value: math.Log,
		slope: func(x float64) float64 { return 1 / x },
		bound: func(x, y, e float64) float64 {
			t := e / x * roundUp(1)
			if !(x > 0 && t < 1) {
				return math.Inf(1)
			}
			return -math.Log1p(-t) + 16*unit*math.Abs(y)
		},
		rounds: 20,
	}
}

func errorFunction(*Unary) *unaryFunc {
	slope := func(x float64) float64 { return 2 / math.SqrtPi * math.Exp(-x*x) }
	return &unaryFunc{
		value: math.Erf, slope: slope,
		steepest: nearZero(slope, 0x1p-44),
	}
}

// sine: the library reduces x by multiples of
// π, so that the error allowed is absolute.
func sine(*Unary) *unaryFunc {
	return &unaryFunc{
		value: math.Sin, slope: math.Cos,
		steepest: bent(math.Cos, 1, 1),
		loss:     func(float64, float64) float64 { return 16 },
	}
}

func cosine(*Unary) *unaryFunc {
	slope := func(x float64) float64 { return -math.Sin(x) }
	return &unaryFunc{
		value: math.Cos, slope: slope,
		steepest: bent(slope, 1, 1),
		loss:     func(float64, float64) float64 { return 16 },
	}
}

func negative(*Unary) *unaryFunc {
	return &unaryFunc{
		value:   func(x float64) float64 { return -x },
		slope:   func(float64) float64 { return -1 },
		bound:   func(_, _, e float64) float64 { return e },
		value32: func(dst, x []float32) { negate32(dst, x) },
		slope32: func(dst, d, _ []float32) { negate32(dst, d) },
	}
}

func absolute(*Unary) *unaryFunc {
	return &unaryFunc{
		value: math.Abs, slope: signOf,
		bound:   func(_, _, e float64) float64 { return e },
		value32: absolute32, slope32: absoluteSlope32,
	}
}

// hardSwish is x·max(0, min(6, x + 3))/6, whose slope between −3 and 3 is x/3 + ½. It is one function for speed.
func hardSwish(*Unary) *unaryFunc {
	slope := func(x float64) float64 {
		switch {
		case x < -3:
			return 0
		case x < 3:
			return x/3 + .5
		}
		return 1
	}
	return &unaryFunc{
		value: func(x float64) float64 { return x * min(max(x+3, 0), 6) / 6 }, slope: slope,
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
	}
}

// staircase is a function that is constant between jumps and does not fall: it is
// off by at most what lies between its values at the ends of x ± e.
func staircase(f func(float64) float64) *unaryFunc {
	return &unaryFunc{
		value: f,
		steps: true,
		slope: func(float64) float64 { return 0 },
		bound: func(x, y, e float64) float64 {
			lo, hi := around(x, e)
			return max(f(hi)-y, y-f(lo))
		},
	}
}

// sixteenBits is rounding to a format of 16 bits: a staircase too, but of so many steps
// that its slope is taken to be 1, which searches follow.
func sixteenBits(round func(float64) float64) *unaryFunc {
	c := staircase(round)
	c.slope = func(float64) float64 { return 1 }
	return c
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

// clip is min(max(x, Alpha), Beta).
func clip(o *Unary) *unaryFunc {
	lo, hi := o.Alpha, o.Beta
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
