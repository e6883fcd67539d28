package nn

import "math"

// What smooth functions need of their slopes.

// quadrature returns the change of a function from x to x+d as d times a mean of its
// slope between them, by the rules of Gauss and Legendre: nothing cancels. With n points
// the rest is about d^2n·(n!)⁴/((2n+1)·(2n)!³) times derivative 2n+1, and that is less
// than a rounding at these d, where the function is analytic within a distance of 1.5. For
// larger d the values are subtracted.
func quadrature(value, slope func(float64) float64) func(x, d float64) float64 {
	return func(x, d float64) float64 {
		switch a := math.Abs(d); {
		case a <= 0x1p-27:
			return d * slope(x+.5*d)
		case a <= 0x1p-11:
			return d * gauss(slope, x, d, gauss2[:])
		case a <= 0x1p-5:
			return d * gauss(slope, x, d, gauss3[:])
		case a <= 0x1p-2:
			return d * gauss(slope, x, d, gauss5[:])
		}
		return value(x+d) - value(x)
	}
}

// node is a point, as a part of the way, and its weight.
type gaussNode struct{ at, weight float64 }

var (
	gauss2 = [...]gaussNode{{.21132486540518712, .5}, {.7886751345948129, .5}}
	gauss3 = [...]gaussNode{{.1127016653792583, 5. / 18}, {.5, 8. / 18}, {.8872983346207417, 5. / 18}}
	gauss5 = [...]gaussNode{
		{.046910077030668004, .11846344252809454},
		{.23076534494715845, .23931433524968324},
		{.5, .28444444444444444},
		{.7692346550528415, .23931433524968324},
		{.953089922969332, .11846344252809454},
	}
)

func gauss(f func(float64) float64, x, d float64, nodes []gaussNode) float64 {
	s := 0.0
	for _, n := range nodes {
		s += n.weight * f(x+n.at*d)
	}
	return s
}

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
