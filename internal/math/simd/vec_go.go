package simd

import "math"

// The kernels in plain Go: what the assembly is tested against, and what runs
// where there is none.

func mulGo[T Float](dst, a, b []T) {
	a, b = a[:len(dst)], b[:len(dst)]
	for i := range dst {
		dst[i] = a[i] * b[i]
	}
}

func dotGo[T Float](x, y []T) T {
	y = y[:len(x)]
	var s [4]T
	i := 0
	for ; i+4 <= len(x); i += 4 {
		s[0] += x[i] * y[i]
		s[1] += x[i+1] * y[i+1]
		s[2] += x[i+2] * y[i+2]
		s[3] += x[i+3] * y[i+3]
	}
	for ; i < len(x); i++ {
		s[0] += x[i] * y[i]
	}
	return s[0] + s[1] + (s[2] + s[3])
}

func sumGo[T Float](x []T) T {
	var s [4]T
	i := 0
	for ; i+4 <= len(x); i += 4 {
		s[0] += x[i]
		s[1] += x[i+1]
		s[2] += x[i+2]
		s[3] += x[i+3]
	}
	for ; i < len(x); i++ {
		s[0] += x[i]
	}
	return s[0] + s[1] + (s[2] + s[3])
}

func maxAbsGo[T Float](x []T) T {
	var most T
	for _, v := range x {
		most = max(most, T(math.Abs(float64(v)))) // max of a NaN is a NaN
	}
	return most
}

func scaleShiftGo[T Float](dst, x []T, a, b T) {
	x = x[:len(dst)]
	for i, v := range x {
		dst[i] = a*v + b
	}
}

func combineGo[T Float](dst, x, y []T, a, b, c T) {
	x, y = x[:len(dst)], y[:len(dst)]
	for i := range dst {
		dst[i] = a*x[i] + (b*y[i] + c)
	}
}

func rectifyGo[T Float](dst, d, x []T, slope T) {
	d, x = d[:len(dst)], x[:len(dst)]
	for i, v := range x {
		y := d[i]
		if v <= 0 {
			y = sloped(y, slope)
		}
		dst[i] = y
	}
}

// sloped is slope·v. With a slope of 0 it is 0, for a NaN and infinities, too.
func sloped[T Float](v, slope T) T {
	if slope == 0 {
		return 0
	}
	return slope * v
}

func sumAndSquaresGo(x []float32) (sum, sumsq float64) {
	var s, q [2]float64
	i := 0
	for ; i+2 <= len(x); i += 2 {
		a, b := float64(x[i]), float64(x[i+1])
		s[0] += a
		s[1] += b
		q[0] += a * a
		q[1] += b * b
	}
	if i < len(x) {
		a := float64(x[i])
		s[0] += a
		q[0] += a * a
	}
	return s[0] + s[1], q[0] + q[1]
}

func dotAndSumGo(d, x []float32) (sum, dot float64) {
	x = x[:len(d)]
	var s, q [2]float64
	i := 0
	for ; i+2 <= len(d); i += 2 {
		a, b := float64(d[i]), float64(d[i+1])
		s[0] += a
		s[1] += b
		q[0] += a * float64(x[i])
		q[1] += b * float64(x[i+1])
	}
	if i < len(d) {
		a := float64(d[i])
		s[0] += a
		q[0] += a * float64(x[i])
	}
	return s[0] + s[1], q[0] + q[1]
}
