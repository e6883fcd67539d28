package nn

import (
	"math"

	"tattle/internal/simd"
)

func inverseRoot(v float64) float64 { return 1 / math.Sqrt(v) }

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

// centreScale sets y = (x − mean)·invStd·gain + move, of a whole channel.
func centreScale[T Float](y, x []T, mean, invStd float64, gain, move T) {
	a := T(invStd) * gain
	if is64[T]() {
		m := T(mean)
		for i, v := range x {
			y[i] = (v-m)*a + move
		}
		return
	}
	simd.ScaleShift(y, x, a, T(float64(move)-float64(a)*mean))
}

// rowChange is what a finite change d of a row does to its standardised entries,
// without subtracting nearly equal numbers. With c = x − mean(x), s = √(variance + ε)
// and the centred change t = d − mean(d), the new s′² is mean((c+t)²) + ε, and
//
//	s′² − s² = mean(t·(2c + t)),   1/s′ − 1/s = −(s′² − s²) / (s·s′·(s + s′)),
//	(c+t)/s′ − c/s = t/s′ + (1/s′ − 1/s)·c.
//
// Where s′ is not near s these two terms may cancel, but the two sides on the left
// then differ visibly and are subtracted.
type rowChange[T Float] struct {
	mean, shift    float64 // of x and of d
	invStd, newStd float64 // 1/s and 1/s′
	step           float64 // 1/s′ − 1/s
	far            bool
}

func newRowChange[T Float](d, x []T, mean, invStd, epsilon float64) rowChange[T] {
	n := float64(len(x))
	c := rowChange[T]{mean: mean, invStd: invStd}
	for _, v := range d {
		c.shift += float64(v)
	}
	c.shift /= n
	var grown, square float64
	for i, v := range x {
		dev, t := float64(v)-mean, float64(d[i])-c.shift
		grown += t * (2*dev + t)
		square += (dev + t) * (dev + t)
	}
	c.newStd = inverseRoot(square/n + epsilon)
	product := c.invStd * c.newStd
	c.step = -grown / n * product * product / (c.invStd + c.newStd)
	c.far = !(math.Abs(c.step) <= c.invStd/2)
	return c
}

// add sets dst to gain times the changes.
func (c *rowChange[T]) add(dst, d, x []T, gain float64) {
	for i := range dst {
		dev, t := float64(x[i])-c.mean, float64(d[i])-c.shift
		if c.far {
			dst[i] = T(gain * ((dev+t)*c.newStd - dev*c.invStd))
		} else {
			dst[i] = T(gain * (t*c.newStd + c.step*dev))
		}
	}
}

// narrowChange returns what makes the changes of a float32 row p·d + q·x + s: those of
// rowChange, t/s′ + (1/s′ − 1/s)·c, with sums in float64, where mean(t·c) = mean(d·c) and
// mean(t²) = mean(d²) − mean(d)².
func narrowChange[T Float](d, x []T, mean, invStd, epsilon float64) (p, q, s T) {
	n := float64(len(x))
	sum, dot := dotAndSum(d, x)
	_, squares := simd.SumAndSquares(any(d).([]float32))
	shift, spread := spread(sum, squares, n)
	grown := 2*(dot-sum*mean)/n + spread
	before := 1 / (invStd * invStd)
	newStd := inverseRoot(max(before+grown, epsilon))
	product := invStd * newStd
	step := -grown * product * product / (invStd + newStd)
	return T(newStd), T(step), T(-newStd*shift - step*mean)
}
