package nn

import (
	"math"

	"tattle/internal/simd"
)

// Functions of float32, many at a time, where the loops of package simd serve or a
// call for each entry would cost more than the function.

// fastBlock is how many entries are worked on in a buffer on the stack.
const fastBlock = 512

func exp32(dst, x []float32)             { simd.Exp(dst, x) }
func erf32(dst, x []float32)             { simd.Erf(dst, x) }
func erfSlope32(dst, d, x []float32)     { simd.ErfSlope(dst, d, x) }
func sigmoid32(dst, x []float32)         { simd.Sigmoid(dst, x) }
func sigmoidSlope32(dst, d, x []float32) { simd.SigmoidSlope(dst, d, x) }
func tanh32(dst, x []float32)            { simd.Tanh(dst, x) }
func tanhSlope32(dst, d, x []float32)    { simd.TanhSlope(dst, d, x) }
func gelu32(dst, x []float32)            { simd.Gelu(dst, x) }
func geluSlope32(dst, d, x []float32)    { simd.GeluSlope(dst, d, x) }

func expSlope32(dst, d, x []float32) {
	var buffer [fastBlock]float32
	for lo := 0; lo < len(x); lo += fastBlock {
		hi := min(len(x), lo+fastBlock)
		e := buffer[:hi-lo]
		simd.Exp(e, x[lo:hi])
		simd.Mul(dst[lo:hi], d[lo:hi], e)
	}
}

// sigmoid32Of is the slope of softplus: dst = d·σ(x).
func sigmoid32Of(dst, d, x []float32) {
	var buffer [fastBlock]float32
	for lo := 0; lo < len(x); lo += fastBlock {
		hi := min(len(x), lo+fastBlock)
		s := buffer[:hi-lo]
		simd.Sigmoid(s, x[lo:hi])
		simd.Mul(dst[lo:hi], d[lo:hi], s)
	}
}

func softplus32(dst, x []float32) { simd.Softplus(dst, x) }

func abs32(x float32) float32 { return math.Float32frombits(math.Float32bits(x) &^ (1 << 31)) }

func swish32(dst, x []float32, alpha float32) {
	var buffer [fastBlock]float32
	for lo := 0; lo < len(x); lo += fastBlock {
		hi := min(len(x), lo+fastBlock)
		s := buffer[:hi-lo]
		simd.ScaleShift(s, x[lo:hi], alpha, 0)
		simd.Sigmoid(s, s)
		simd.Mul(dst[lo:hi], x[lo:hi], s)
	}
}

// swishSlope32: σ(t) + t·σ′(t), t = alpha·x.
func swishSlope32(dst, d, x []float32, alpha float32) {
	var b1, b2 [fastBlock]float32
	for lo := 0; lo < len(x); lo += fastBlock {
		hi := min(len(x), lo+fastBlock)
		t, s := b1[:hi-lo], b2[:hi-lo]
		simd.ScaleShift(t, x[lo:hi], alpha, 0)
		simd.Sigmoid(s, t)
		simd.SigmoidSlope(t, t, t)
		simd.Add(s, s, t)
		simd.Mul(dst[lo:hi], d[lo:hi], s)
	}
}

func geluTanh32(dst, x []float32) {
	var buffer [fastBlock]float32
	for lo := 0; lo < len(x); lo += fastBlock {
		hi := min(len(x), lo+fastBlock)
		s := buffer[:hi-lo]
		for i, v := range x[lo:hi] {
			s[i] = geluTanhA * v * (1 + geluTanhB*v*v)
		}
		simd.Sigmoid(s, s)
		simd.Mul(dst[lo:hi], x[lo:hi], s)
	}
}

func geluTanhSlope32(dst, d, x []float32) {
	var b1, b2 [fastBlock]float32
	for lo := 0; lo < len(x); lo += fastBlock {
		hi := min(len(x), lo+fastBlock)
		z, s, w := b1[:hi-lo], b2[:hi-lo], dst[lo:hi]
		for i, v := range x[lo:hi] {
			z[i] = geluTanhA * v * (1 + geluTanhB*v*v)
			s[i] = geluTanhA * v * (1 + 3*geluTanhB*v*v)
		}
		simd.SigmoidSlope(s, s, z)
		simd.Sigmoid(z, z)
		simd.Add(s, s, z)
		simd.Mul(w, d[lo:hi], s)
	}
}

func mish32(dst, x []float32) {
	var buffer [fastBlock]float32
	for lo := 0; lo < len(x); lo += fastBlock {
		hi := min(len(x), lo+fastBlock)
		e, to := buffer[:hi-lo], dst[lo:hi]
		for i, v := range x[lo:hi] {
			e[i] = min(v, mishLimit)
		}
		simd.Exp(e, e)
		for i, v := range x[lo:hi] {
			n := e[i] * (e[i] + 2)
			to[i] = v * (n / (n + 2))
		}
	}
}

func mishSlope32(dst, d, x []float32) {
	var buffer [fastBlock]float32
	for lo := 0; lo < len(x); lo += fastBlock {
		hi := min(len(x), lo+fastBlock)
		e, to, from := buffer[:hi-lo], dst[lo:hi], d[lo:hi]
		for i, v := range x[lo:hi] {
			e[i] = min(v, mishLimit/2)
		}
		simd.Exp(e, e)
		for i, v := range x[lo:hi] {
			n := e[i] * (e[i] + 2)
			s := n / (n + 2)
			to[i] = from[i] * (s + v*(4*e[i]*(1+e[i])/((n+2)*(n+2))))
		}
	}
}

// elu32 is right·x where x > 0, else left·(e^(x/scale) − 1), by its series near 0.
func elu32(dst, x []float32, right, left, scale float32) {
	var buffer [fastBlock]float32
	over := 1 / scale
	for lo := 0; lo < len(x); lo += fastBlock {
		hi := min(len(x), lo+fastBlock)
		e, to := buffer[:hi-lo], dst[lo:hi]
		for i, v := range x[lo:hi] {
			e[i] = min(v, 0) * over
		}
		simd.Exp(e, e)
		for i, v := range x[lo:hi] {
			switch t := v * over; {
			case v > 0:
				v *= right
			case t > -.35 && t < .35:
				v = left * t * (1 + t*(1./2)*(1+t*(1./3)*(1+t*(1./4)*(1+t*(1./5)*(1+t*(1./6)*(1+t*(1./7)))))))
			default:
				v = left * (e[i] - 1)
			}
			to[i] = v
		}
	}
}

func eluSlope32(dst, d, x []float32, right, left, scale float32) {
	var buffer [fastBlock]float32
	over := 1 / scale
	for lo := 0; lo < len(x); lo += fastBlock {
		hi := min(len(x), lo+fastBlock)
		e, to, from := buffer[:hi-lo], dst[lo:hi], d[lo:hi]
		for i, v := range x[lo:hi] {
			e[i] = min(v, 0) * over
		}
		simd.Exp(e, e)
		for i, v := range x[lo:hi] {
			s := right
			if !(v > 0) {
				s = left * over * e[i]
			}
			to[i] = from[i] * s
		}
	}
}

func root32(dst, x []float32) {
	for i, v := range x {
		dst[i] = float32(math.Sqrt(float64(v)))
	}
}

func rootSlope32(dst, d, x []float32) {
	for i, v := range x {
		dst[i] = .5 * d[i] / float32(math.Sqrt(float64(v)))
	}
}

func reciprocal32(dst, x []float32) {
	for i, v := range x {
		dst[i] = 1 / v
	}
}

func reciprocalSlope32(dst, d, x []float32) {
	for i, v := range x {
		dst[i] = -d[i] / v / v
	}
}

func quotient32(dst, d, x []float32) {
	for i, v := range x {
		dst[i] = d[i] / v
	}
}

func absolute32(dst, x []float32) {
	for i, v := range x {
		dst[i] = abs32(v)
	}
}

func absoluteSlope32(dst, d, x []float32) {
	for i, v := range x {
		s := d[i]
		switch {
		case v < 0:
			s = -s
		case !(v > 0):
			s *= v // 0 and NaN
		}
		dst[i] = s
	}
}

func negate32(dst, x []float32) {
	for i, v := range x {
		dst[i] = -v
	}
}

func clipSlope32(dst, d, x []float32, lo, hi float32) {
	for i, v := range x {
		s := float32(0)
		if v >= lo && v <= hi {
			s = d[i]
		}
		dst[i] = s
	}
}

func hardSigmoid32(dst, x []float32, a, b float32) {
	simd.ScaleShift(dst, x, a, b)
	simd.Clip(dst, dst, 0, 1)
}

func hardSigmoidSlope32(dst, d, x []float32, a, b float32) {
	for i, v := range x {
		s := float32(0)
		if v := a*v + b; v > 0 && v < 1 {
			s = a * d[i]
		}
		dst[i] = s
	}
}

func hardSwish32(dst, x []float32) {
	var room [256]float32
	for len(x) > 0 {
		n := min(len(x), len(room))
		gate := room[:n]
		simd.ScaleShift(gate, x[:n], 1, 3)
		simd.Clip(gate, gate, 0, 6)
		simd.Scale(1./6, gate)
		simd.Mul(dst[:n], x[:n], gate)
		dst, x = dst[n:], x[n:]
	}
}

func hardSwishSlope32(dst, d, x []float32) {
	for i, v := range x {
		s := v*(1./3) + .5
		if v < -3 {
			s = 0
		}
		if v >= 3 {
			s = 1
		}
		dst[i] = d[i] * s
	}
}
