package lsqr

import (
	"math"

	"tattle/internal/math/simd"
)

// norm returns ‖x‖. Squares of float32 are summed in float64, where they can neither overflow
// nor vanish.
func norm[T Float](x []T) float64 {
	if x, ok := any(x).([]float32); ok {
		_, s := simd.SumAndSquares(x)
		return math.Sqrt(s)
	}
	return math.Sqrt(float64(simd.SumSquares(x)))
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
