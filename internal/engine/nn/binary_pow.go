package nn

import "math"

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

// powerBound is for the exponents that nets have: 0, ½ and whole numbers n from 1 to powerMost, known
// exactly, where |a′ⁿ − aⁿ| ≤ n·ea·(|a| + ea)ⁿ⁻¹. The library's powers are off by at most 64 + 8n
// units. Other powers have no bound.
func powerBound(a, ea, b, eb, y float64) float64 {
	switch {
	case eb != 0:
	case b == 0:
		return 0
	case b == .5:
		return rootBound(a, y, ea)
	case b >= 1 && b <= powerMost && b == math.Trunc(b):
		loss := (64 + 8*b) * unit
		return b*ea*math.Pow((math.Abs(a)+ea)*(1+2*unit), b-1)*(1+2*loss) + loss*math.Abs(y)
	}
	return math.Inf(1)
}

// powerMost is the largest exponent whose powers have a bound.
const powerMost = 8
