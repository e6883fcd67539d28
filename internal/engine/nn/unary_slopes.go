package nn

import "math"

// What smooth functions need of their slopes.

// nearZero returns the steepest slope of a function whose slope is even and falls away
// from 0: it is where the interval comes nearest to 0. It is lifted by 2⁻⁴⁴ and by
// far where the slope's exponent magnifies the rounding of its argument: relative
// errors of e^−x² are up to x²·u.
func nearZero(slope func(float64) float64, far float64) func(lo, hi float64) float64 {
	return func(lo, hi float64) float64 {
		near := max(lo, -hi, 0)
		return slope(near) * (1 + 0x1p-44 + far*near*near)
	}
}

// bent returns the steepest slope of a function whose slope is at most most and
// changes by at most curvature times a distance: from the middle of the interval. 2⁻⁴⁴ is
// allowed for the rounding of the slope.
func bent(slope func(float64) float64, most, curvature float64) func(lo, hi float64) float64 {
	return func(lo, hi float64) float64 {
		half := (hi - lo) / 2
		return min(most, math.Abs(slope(lo+half))+curvature*half*(1+0x1p-40)+0x1p-44)
	}
}
