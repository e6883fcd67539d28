package simd

import "math"

// The transcendental loops are of float32 alone: in float64 the library's functions
// are called one by one. Each element's result depends on that element only, not on
// its place.

// mapping is dst = f(x), element by element: in plain Go and in assembly.
type mapping struct {
	plain func(dst, x []float32)
	fast  func(dst, x *float32, n int, lanes *uint32)
}

func (m *mapping) run(dst, x []float32) {
	sameLength(len(dst), len(x))
	if useAVX2 {
		m.fast(f32(dst), f32(x), len(x), &expLanes[0])
	} else {
		m.plain(dst, x)
	}
}

// slope is dst = d·f′(x), as mapping is f.
type slope struct {
	plain func(dst, d, x []float32)
	fast  func(dst, d, x *float32, n int, lanes *uint32)
}

func (m *slope) run(dst, d, x []float32) {
	sameLength(len(dst), len(d), len(x))
	if useAVX2 {
		m.fast(f32(dst), f32(d), f32(x), len(x), &expLanes[0])
	} else {
		m.plain(dst, d, x)
	}
}

var (
	expLoop     = mapping{expGo, expF32}
	sigmoidLoop = mapping{sigmoidGo, sigmoidF32}
	geluLoop    = mapping{geluGo, geluF32}

	sigmoidSlopeLoop = slope{sigmoidSlopeGo, sigmoidSlopeF32}
	geluSlopeLoop    = slope{geluSlopeGo, geluSlopeF32}
)

// Exp sets dst = e^x, to 2 ulp (3 among the subnormal numbers): 0 below −104, +Inf
// above 88.8, NaN of a NaN.
func Exp(dst, x []float32) { expLoop.run(dst, x) }

// ExpSum sets dst = e^(x − shift) and returns the sum of it, added up in eight
// partial sums.
func ExpSum(dst, x []float32, shift float32) float32 {
	sameLength(len(dst), len(x))
	if useAVX2 {
		return expSumF32(f32(dst), f32(x), len(x), &expLanes[0], shift)
	}
	return expSumGo(dst, x, shift)
}

// Sigmoid sets dst = 1/(1 + e^−x), to 4 ulp.
func Sigmoid(dst, x []float32) { sigmoidLoop.run(dst, x) }

// SigmoidSlope sets dst = d·σ′(x), where σ′ = e^−|x|/(1 + e^−|x|)², to 5 ulp.
func SigmoidSlope(dst, d, x []float32) { sigmoidSlopeLoop.run(dst, d, x) }

// Gelu sets dst = x·Φ(x), Φ being the distribution function of the normal
// distribution, to 5 ulp, on the negative side too.
func Gelu(dst, x []float32) { geluLoop.run(dst, x) }

// GeluSlope sets dst = d·(Φ(x) + x·φ(x)), to 5 ulp of the larger term.
func GeluSlope(dst, d, x []float32) { geluSlopeLoop.run(dst, d, x) }

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
