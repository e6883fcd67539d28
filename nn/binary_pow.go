package nn

import (
	"math"

	"tattle/internal/simd"
)

// binaryPow is a^b. The exponents 2, 3, ½ and −1, which nets have, are not left to the
// library.
func binaryPow[T Float]() binaryFunc[T] {
	return binaryFunc[T]{
		value: func(dst, a, b []T) {
			for i := range dst {
				dst[i] = T(power(float64(a[i]), float64(b[i])))
			}
		},
		left: func(dst, d, a, b, _ []T) {
			for i := range dst {
				dst[i] = T(float64(d[i]) * powerSlope(float64(a[i]), float64(b[i])))
			}
		},
		right: func(dst, d, a, _, y []T) {
			for i := range dst {
				if a[i] == 0 {
					dst[i] = 0
				} else {
					dst[i] = T(float64(d[i]) * float64(y[i]) * math.Log(float64(a[i])))
				}
			}
		},
		bound: powerBound,

		valueBy: powerBy[T],
		leftBy:  powerSlopeBy[T],
	}
}

// powerBy is a^c of many.
func powerBy[T Float](dst, a []T, c T) {
	switch c {
	case 2:
		simd.Mul(dst, a, a)
	case .5:
		for i, v := range a {
			dst[i] = T(math.Sqrt(float64(v)))
		}
	default:
		for i, v := range a {
			dst[i] = T(power(float64(v), float64(c)))
		}
	}
}

func powerSlopeBy[T Float](dst, d, a []T, c T) {
	switch c {
	case 2:
		for i, v := range a {
			dst[i] = d[i] * (2 * v)
		}
	default:
		for i, v := range a {
			dst[i] = T(float64(d[i]) * powerSlope(float64(v), float64(c)))
		}
	}
}

func power(a, b float64) float64 {
	switch b {
	case 2:
		return a * a
	case 3:
		return a * a * a
	case .5:
		return math.Sqrt(a)
	case -1:
		return 1 / a
	}
	return math.Pow(a, b)
}

// powerSlope is b·a^(b−1).
func powerSlope(a, b float64) float64 {
	switch b {
	case 0:
		return 0
	case 2:
		return 2 * a
	case 3:
		return 3 * a * a
	case .5:
		return .5 / math.Sqrt(a)
	case -1:
		return -1 / a / a
	}
	return b * math.Pow(a, b-1)
}

// powerBound. Away from 0 the logarithm of |a′|^b′ differs from that of |a|^b by at most
// t = eb·max |log a′| − |b|·log(1 − ea/|a|), and the power by |a|^b·(e^t − 1). That holds
// for negative a too where b is a whole number, known exactly. Where a′ can be 0 and
// n = b is such a number, n ≥ 1, |a′ⁿ − aⁿ| ≤ n·ea·(|a| + ea)ⁿ⁻¹. Otherwise, but for
// the root, there is no bound.
//
// The library squares repeatedly, which magnifies roundings b times, and takes the
// exponential of a part of the logarithm: (64 + 8|b| + 8|log a|)·u are allowed. Of
// exponents so large that this is a quarter or more nothing is known.
func powerBound(a, ea, b, eb, y float64) float64 {
	size := math.Abs(a)
	whole := eb == 0 && b == math.Trunc(b)
	switch {
	case b == 0 && eb == 0:
		return 0
	case b == .5 && eb == 0:
		return rootBound(a, y, ea)
	case !(powerLoss(size, b)*unit < .25):
		return math.Inf(1)
	case size > ea && (a > 0 || whole):
		return powerBoundAway(size, ea, b, eb, y)
	case whole && b >= 1:
		most := (size + ea) * (1 + 2*unit)
		return b*ea*powerUp(most, b-1) + powerLoss(size, b)*unit*math.Abs(y)
	}
	return math.Inf(1)
}

func powerBoundAway(a, ea, b, eb, y float64) float64 {
	loss := powerLoss(a, b) * unit
	t := -math.Abs(b) * math.Log1p(-ea/a*(1+4*unit))
	if eb > 0 {
		lo, hi := around(a, ea)
		t += eb * max(math.Abs(math.Log(lo)), math.Abs(math.Log(hi)))
	}
	exact := math.Abs(y)*(1+2*loss) + underflow
	return exact*math.Expm1(t*(1+64*unit))*(1+32*unit) + loss*math.Abs(y)
}

// powerUp is at least a^n, a ≥ 0.
func powerUp(a, n float64) float64 { return math.Pow(a, n) * (1 + 2*powerLoss(a, n)*unit) }

func powerLoss(a, b float64) float64 {
	switch b {
	case 2, 3, -1:
		return 4
	}
	if a == 0 {
		return 64
	}
	return 64 + 8*math.Abs(b) + 8*math.Abs(math.Log(a))
}
