package nn

import "tattle/internal/math/simd"

// rowMoments returns the mean and the biased variance of x. In float32 one pass
// with sums in float64 is enough; in float64 the deviations from the mean are squared.
func rowMoments[T Float](x []T) (mean, variance float64) {
	n := float64(len(x))
	if x, ok := any(x).([]float32); ok {
		sum, squares := simd.SumAndSquares(x)
		return spread(sum, squares, n)
	}
	mean = float64(simd.Sum(x)) / n
	for _, v := range x {
		d := float64(v) - mean
		variance += d * d
	}
	return mean, variance / n
}
