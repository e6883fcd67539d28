//go:build !purego

package simd

import "math"

// expLanes are the constants of the transcendental kernels, sixteen times each, for the lanes of
// AVX-512; the kernels know the order. The coefficients are least largest relative errors, found by
// reweighted least squares in float64.
var expLanes = repeated(
	math.Float32bits(math.Log2E),
	math.Float32bits(hiLn2), // log 2 in two parts
	math.Float32bits(math.Ln2-hiLn2),
	127, // the bias of exponents
	// e^r = 1 + r + r²·(…), |r| ≤ ½·log 2, from r⁶ down: to .05·2⁻²⁴
	math.Float32bits(0.0013814599951729178),
	math.Float32bits(0.008368715643882751),
	math.Float32bits(0.04166838899254799),
	math.Float32bits(0.1666652113199234),
	math.Float32bits(0.4999999403953552),
	math.Float32bits(1),
	1<<31,   // the sign
	1<<31-1, // all but the sign
	math.Float32bits(-.5),
	// ½·e^(t²/2)·erfc(t/√2)·(t + k) in (t − k)/(t + k), 0 ≤ t ≤ 15: to .09·2⁻²⁴. With
	// k = 2.25 rounding near t = 0 is not magnified.
	math.Float32bits(-9.102330659516156e-05),
	math.Float32bits(-0.00021314938203431666),
	math.Float32bits(0.0002241308829979971),
	math.Float32bits(0.0013659901451319456),
	math.Float32bits(0.0008365766261704266),
	math.Float32bits(-0.005638651549816132),
	math.Float32bits(-0.010566785000264645),
	math.Float32bits(0.02783701755106449),
	math.Float32bits(0.08013354241847992),
	math.Float32bits(-0.386381059885025),
	math.Float32bits(0.6914337277412415),
	math.Float32bits(2.25),
	math.Float32bits(1/(math.Sqrt2*math.SqrtPi)),
	// ends: of e^x that is neither 0 nor +Inf, and of tails that are not 0
	math.Float32bits(89),
	math.Float32bits(-104),
	math.Float32bits(15),
)

const hiLn2 = 0.693145751953125 // 16 bits: multiples of it are exact

func repeated(bits ...uint32) []uint32 {
	const times = 16
	all := make([]uint32, 0, times*len(bits))
	for _, b := range bits {
		for range times {
			all = append(all, b)
		}
	}
	return all
}

//go:noescape
func expF32(dst, x *float32, n int, lanes *uint32)

//go:noescape
func expSumF32(dst, x *float32, n int, lanes *uint32, shift float32) float32

//go:noescape
func sigmoidF32(dst, x *float32, n int, lanes *uint32)

//go:noescape
func sigmoidSlopeF32(dst, d, x *float32, n int, lanes *uint32)

//go:noescape
func geluF32(dst, x *float32, n int, lanes *uint32)

//go:noescape
func geluSlopeF32(dst, d, x *float32, n int, lanes *uint32)

func expSum(dst, x []float32, shift float32) float32 {
	if !useAVX2 {
		return expSumGo(dst, x, shift)
	}
	return expSumF32(f32(dst), f32(x), len(x), &expLanes[0], shift)
}

func init() {
	for loop, kernel := range map[*mapping]func(dst, x *float32, n int, lanes *uint32){
		&expLoop: expF32, &sigmoidLoop: sigmoidF32, &geluLoop: geluF32,
	} {
		loop.fast = func(dst, x []float32) { kernel(f32(dst), f32(x), len(x), &expLanes[0]) }
	}
	for loop, kernel := range map[*slope]func(dst, d, x *float32, n int, lanes *uint32){
		&sigmoidSlopeLoop: sigmoidSlopeF32, &geluSlopeLoop: geluSlopeF32,
	} {
		loop.fast = func(dst, d, x []float32) { kernel(f32(dst), f32(d), f32(x), len(x), &expLanes[0]) }
	}
}
