package nn

import (
	"math"

	"tattle/internal/math/simd"
)

// Functions of float32, many at a time, where the loops of package simd serve or a
// call for each entry would cost more than the function.

// fastBlock is how many entries of a block are worked on while they are in the cache.
const fastBlock = 512

// blockRooms are where functions of a block keep what they compute on the way.
var blockRooms pool[[2][fastBlock]float32]

// inBlocks calls f with blocks of dst, d and x, and with room for twice as many numbers.
func inBlocks(dst, d, x []float32, f func(dst, d, x, s, t []float32)) {
	room := blockRooms.borrow()
	defer blockRooms.giveBack(room)
	for lo := 0; lo < len(x); lo += fastBlock {
		hi := min(len(x), lo+fastBlock)
		f(dst[lo:hi], d[lo:hi], x[lo:hi], room[0][:hi-lo], room[1][:hi-lo])
	}
}

func expSlope32(dst, d, x []float32) {
	inBlocks(dst, d, x, func(dst, d, x, e, _ []float32) {
		simd.Exp(e, x)
		simd.Mul(dst, d, e)
	})
}

// sigmoid32Of is the slope of softplus: dst = d·σ(x).
func sigmoid32Of(dst, d, x []float32) {
	inBlocks(dst, d, x, func(dst, d, x, s, _ []float32) {
		simd.Sigmoid(s, x)
		simd.Mul(dst, d, s)
	})
}

func abs32(x float32) float32 { return math.Float32frombits(math.Float32bits(x) &^ (1 << 31)) }

func swish32(dst, x []float32, alpha float32) {
	inBlocks(dst, x, x, func(dst, _, x, s, _ []float32) {
		simd.ScaleShift(s, x, alpha, 0)
		simd.Sigmoid(s, s)
		simd.Mul(dst, x, s)
	})
}

// swishSlope32: σ(t) + t·σ′(t), t = alpha·x.
func swishSlope32(dst, d, x []float32, alpha float32) {
	inBlocks(dst, d, x, func(dst, d, x, s, t []float32) {
		simd.ScaleShift(t, x, alpha, 0)
		simd.Sigmoid(s, t)
		simd.SigmoidSlope(t, t, t)
		simd.Add(s, s, t)
		simd.Mul(dst, d, s)
	})
}

func geluTanh32(dst, x []float32) {
	inBlocks(dst, x, x, func(dst, _, x, s, _ []float32) {
		for i, v := range x {
			s[i] = geluTanhA * v * (1 + geluTanhB*v*v)
		}
		simd.Sigmoid(s, s)
		simd.Mul(dst, x, s)
	})
}

func geluTanhSlope32(dst, d, x []float32) {
	inBlocks(dst, d, x, func(dst, d, x, s, z []float32) {
		for i, v := range x {
			z[i] = geluTanhA * v * (1 + geluTanhB*v*v)
			s[i] = geluTanhA * v * (1 + 3*geluTanhB*v*v)
		}
		simd.SigmoidSlope(s, s, z)
		simd.Sigmoid(z, z)
		simd.Add(s, s, z)
		simd.Mul(dst, d, s)
	})
}

// elu32 is right·x where x > 0, else left·(e^(x/scale) − 1), by its series near 0.
func elu32(dst, x []float32, right, left, scale float32) {
	over := 1 / scale
	inBlocks(dst, x, x, func(dst, _, x, e, _ []float32) {
		for i, v := range x {
			e[i] = min(v, 0) * over
		}
		simd.Exp(e, e)
		for i, v := range x {
			switch t := v * over; {
			case v > 0:
				v *= right
			case t > -.35 && t < .35:
				v = left * t * (1 + t*(1./2)*(1+t*(1./3)*(1+t*(1./4)*(1+t*(1./5)*(1+t*(1./6)*(1+t*(1./7)))))))
			default:
				v = left * (e[i] - 1)
			}
			dst[i] = v
		}
	})
}

func eluSlope32(dst, d, x []float32, right, left, scale float32) {
	over := 1 / scale
	inBlocks(dst, d, x, func(dst, d, x, e, _ []float32) {
		for i, v := range x {
			e[i] = min(v, 0) * over
		}
		simd.Exp(e, e)
		for i, v := range x {
			s := right
			if !(v > 0) {
				s = left * over * e[i]
			}
			dst[i] = d[i] * s
		}
	})
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
	inBlocks(dst, x, x, func(dst, _, x, gate, _ []float32) {
		simd.ScaleShift(gate, x, 1, 3)
		simd.Clip(gate, gate, 0, 6)
		simd.Scale(1./6, gate)
		simd.Mul(dst, x, gate)
	})
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
