package nn

import "tattle/internal/math/simd"

// Functions of float32, many at a time, where the loops of package simd serve or a
// call for each entry would cost more than the function.

// fastBlock is how many entries of a block are worked on while they are in the cache.
const fastBlock = 512

// blockRooms are where functions of a block keep what they compute on the way.
var blockRooms simd.Pool[[fastBlock]float32]

// inBlocks calls f with blocks of dst, d and x, and with room for as many numbers.
func inBlocks(dst, d, x []float32, f func(dst, d, x, room []float32)) {
	room := blockRooms.Borrow()
	defer blockRooms.GiveBack(room)
	for lo := 0; lo < len(x); lo += fastBlock {
		hi := min(len(x), lo+fastBlock)
		f(dst[lo:hi], d[lo:hi], x[lo:hi], room[:hi-lo])
	}
}

func expSlope32(dst, d, x []float32) {
	inBlocks(dst, d, x, func(dst, d, x, e []float32) {
		simd.Exp(e, x)
		simd.Mul(dst, d, e)
	})
}

// tanh32: near 0 it is off by a rounding of 1.
func tanh32(dst, x []float32) {
	simd.ScaleShift(dst, x, 2, 0)
	simd.Sigmoid(dst, dst)
	simd.ScaleShift(dst, dst, 2, -1)
}

func tanhSlope32(dst, d, x []float32) {
	inBlocks(dst, d, x, func(dst, d, x, t []float32) {
		simd.ScaleShift(t, x, 2, 0)
		simd.SigmoidSlope(dst, d, t)
		simd.Scale(4, dst)
	})
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

func hardSwish32(dst, x []float32) {
	inBlocks(dst, x, x, func(dst, _, x, gate []float32) {
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
