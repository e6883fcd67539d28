package simd

import "math"

// The transcendental loops in plain Go: the library's float64 functions, rounded.

func expGo(dst, x []float32) {
	for i, v := range x {
		dst[i] = float32(math.Exp(float64(v)))
	}
}

func expSumGo(dst, x []float32, shift float32) float32 {
	var s [8]float32
	for i, v := range x {
		e := float32(math.Exp(float64(v - shift)))
		dst[i] = e
		s[i%8] += e
	}
	return ((s[0] + s[4]) + (s[2] + s[6])) + ((s[1] + s[5]) + (s[3] + s[7]))
}

func sigmoidGo(dst, x []float32) {
	for i, v := range x {
		dst[i] = float32(1 / (1 + math.Exp(-float64(v))))
	}
}

func sigmoidSlopeGo(dst, d, x []float32) {
	for i, v := range x {
		e := math.Exp(-math.Abs(float64(v)))
		dst[i] = float32(float64(d[i]) * e / ((1 + e) * (1 + e)))
	}
}

func geluGo(dst, x []float32) {
	for i, v := range x {
		x := float64(v)
		dst[i] = float32(.5 * x * math.Erfc(x*-math.Sqrt2/2))
	}
}

func geluSlopeGo(dst, d, x []float32) {
	for i, v := range x {
		x := min(max(float64(v), -40), 40) // beyond, φ is 0
		density := math.Exp(-x*x/2) / math.Sqrt(2*math.Pi)
		dst[i] = float32(float64(d[i]) * (.5*math.Erfc(x*-math.Sqrt2/2) + x*density))
	}
}
