package simd

// The transcendental loops are of float32 alone: in float64 the library's functions
// are called one by one. Each element's result depends on that element only, not on
// its place.

// mapping is dst = f(x), element by element: in plain Go and, where there are kernels, in assembly.
type mapping struct{ plain, fast func(dst, x []float32) }

func (m *mapping) run(dst, x []float32) {
	sameLength(len(dst), len(x))
	if m.fast != nil && hasKernels() {
		m.fast(dst, x)
	} else {
		m.plain(dst, x)
	}
}

// slope is dst = d·f′(x), as mapping is f.
type slope struct{ plain, fast func(dst, d, x []float32) }

func (m *slope) run(dst, d, x []float32) {
	sameLength(len(dst), len(d), len(x))
	if m.fast != nil && hasKernels() {
		m.fast(dst, d, x)
	} else {
		m.plain(dst, d, x)
	}
}

var (
	expLoop     = mapping{plain: expGo}
	sigmoidLoop = mapping{plain: sigmoidGo}
	geluLoop    = mapping{plain: geluGo}

	sigmoidSlopeLoop = slope{plain: sigmoidSlopeGo}
	geluSlopeLoop    = slope{plain: geluSlopeGo}
)

// Exp sets dst = e^x, to 2 ulp (3 among the subnormal numbers): 0 below −104, +Inf
// above 88.8, NaN of a NaN.
func Exp(dst, x []float32) { expLoop.run(dst, x) }

// ExpSum sets dst = e^(x − shift) and returns the sum of it, added up in eight
// partial sums.
func ExpSum(dst, x []float32, shift float32) float32 {
	sameLength(len(dst), len(x))
	return expSum(dst, x, shift)
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
