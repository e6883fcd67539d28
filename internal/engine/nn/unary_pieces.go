package nn

import (
	"math"

	"tattle/internal/math/simd"
)

// The functions that are made of pieces.

// elu is x where x > 0, else Alpha·(e^x − 1).
func elu(o *Unary) *unaryFunc { return eluOf(1, o.Alpha, 1) }

// selu is Beta·x where x > 0, else Beta·Alpha·(e^x − 1).
func selu(o *Unary) *unaryFunc { return eluOf(o.Beta, o.Beta*o.Alpha, 1) }

// celu is x where x > 0, else Alpha·(e^(x/Alpha) − 1).
func celu(o *Unary) *unaryFunc { return eluOf(1, o.Alpha, o.Alpha) }

// eluOf is right·x where x > 0, else left·(e^(x/scale) − 1).
func eluOf(right, left, scale float64) *unaryFunc {
	value := func(x float64) float64 {
		if x > 0 {
			return right * x
		}
		return left * math.Expm1(x/scale)
	}
	slope := func(x float64) float64 {
		if x > 0 {
			return right
		}
		return left / scale * math.Exp(x/scale)
	}
	return &unaryFunc{
		value: value, slope: slope,
		steepest: func(lo, hi float64) float64 {
			s := 0.0
			if hi > 0 {
				s = math.Abs(right)
			}
			if lo <= 0 { // monotone there
				s = max(s, math.Abs(slope(lo)), math.Abs(slope(min(hi, 0))))
			}
			return s
		},
		// e^(x/scale) grows without bound to the left of 0 where scale < 0.
		loss: func(x, y float64) float64 {
			if x > 0 {
				return 2 * math.Abs(y)
			}
			return (32 + 8*max(0, x/scale)) * math.Abs(y)
		},
		value32: func(dst, x []float32) { elu32(dst, x, float32(right), float32(left), float32(scale)) },
		slope32: func(dst, d, x []float32) { eluSlope32(dst, d, x, float32(right), float32(left), float32(scale)) },
	}
}

// hardSigmoid is max(0, min(1, Alpha·x + Beta)).
func hardSigmoid(o *Unary) *unaryFunc {
	a, b := o.Alpha, o.Beta
	return &unaryFunc{
		// The conversions keep a·x and the sum from being one operation on some
		// processors.
		value: func(x float64) float64 { return min(max(float64(a*x)+b, 0), 1) },
		slope: func(x float64) float64 {
			if v := float64(a*x) + b; v > 0 && v < 1 {
				return a
			}
			return 0
		},
		bound: func(x, _, e float64) float64 {
			own := 4 * unit * (math.Abs(a*x) + math.Abs(b))
			return clampBound(float64(a*x)+b, math.Abs(a)*e+own, 0, 1)
		},
		value32: func(dst, x []float32) { hardSigmoid32(dst, x, float32(a), float32(b)) },
		slope32: func(dst, d, x []float32) { hardSigmoidSlope32(dst, d, x, float32(a), float32(b)) },
	}
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

// hardSwish is x·max(0, min(6, x + 3))/6, whose slope between −3 and 3 is x/3 + ½.
func hardSwish(*Unary) *unaryFunc {
	gate := func(x float64) float64 { return min(max(x+3, 0), 6) }
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
		value: func(x float64) float64 { return x * gate(x) / 6 }, slope: slope,
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

// thresholded is x where x > Alpha, else 0. Where x ± e crosses Alpha it jumps, between 0
// and something no larger than |x| + e.
func thresholded(o *Unary) *unaryFunc {
	a := o.Alpha
	value := func(x float64) float64 {
		if x > a {
			return x
		}
		return 0
	}
	return &unaryFunc{
		value: value,
		slope: func(x float64) float64 {
			if x > a {
				return 1
			}
			return 0
		},
		bound: func(x, _, e float64) float64 {
			lo, hi := around(x, e)
			switch {
			case lo > a:
				return e
			case hi <= a:
				return 0
			}
			return math.Abs(x) + e
		},
	}
}
