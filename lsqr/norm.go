package lsqr

import (
	"math"

	"tattle/internal/simd"
)

// norm returns ‖x‖. Squares of float32 are summed in float64, where they can
// neither overflow nor vanish; those of float64 are summed again, scaled, where
// they might have.
func norm[T Float](x []T) float64 {
	switch x := any(x).(type) {
	case []float32:
		_, s := simd.SumAndSquares(x)
		return math.Sqrt(s)
	case []float64:
		s := simd.SumSquares(x)
		if s > 1e-280 && s < 1e280 || math.IsNaN(s) {
			return math.Sqrt(s)
		}
		return scaledNorm(x)
	}
	panic("unreachable")
}

func scaledNorm(x []float64) float64 {
	var m, s float64
	for _, x := range x {
		m = max(m, math.Abs(x))
	}
	if m == 0 || math.IsInf(m, 0) {
		return m
	}
	for _, x := range x {
		s += (x / m) * (x / m)
	}
	return m * math.Sqrt(s)
}

// normalize divides x by its norm, where that is neither zero nor infinite nor
// NaN, and returns it.
func normalize[T Float](x []T) float64 {
	n := norm(x)
	if n == 0 || !finite(n) {
		return n
	}
	inverse := T(1 / n)
	if finite(float64(inverse)) {
		simd.Scale(inverse, x)
		return n
	}
	for i := range x {
		x[i] = T(float64(x[i]) / n)
	}
	return n
}
