package simd

// The transcendental loops are of float32 alone: in float64 the library's functions
// are called one by one. Each element's result depends on that element only, not on
// its place.

// Exp sets dst = e^x, to 2 ulp (3 among the subnormal numbers): 0 below −104, +Inf
// above 88.8, NaN of a NaN.
func Exp(dst, x []float32) {
	sameLength(len(dst), len(x))
	exp(dst, x)
}

// ExpSum sets dst = e^(x − shift) and returns the sum of it, added up in eight
// partial sums.
func ExpSum(dst, x []float32, shift float32) float32 {
	sameLength(len(dst), len(x))
	return expSum(dst, x, shift)
}

// Sigmoid sets dst = 1/(1 + e^−x), to 4 ulp.
func Sigmoid(dst, x []float32) {
	sameLength(len(dst), len(x))
	sigmoid(dst, x)
}

// SigmoidSlope sets dst = d·σ′(x), where σ′ = e^−|x|/(1 + e^−|x|)², to 5 ulp.
func SigmoidSlope(dst, d, x []float32) {
	sameLength(len(dst), len(d), len(x))
	sigmoidSlope(dst, d, x)
}

// Tanh sets dst = tanh x, to 4 ulp.
func Tanh(dst, x []float32) {
	sameLength(len(dst), len(x))
	tanh(dst, x)
}

// TanhSlope sets dst = d·(1 − tanh² x), to 5 ulp.
func TanhSlope(dst, d, x []float32) {
	sameLength(len(dst), len(d), len(x))
	tanhSlope(dst, d, x)
}

// Softplus sets dst = log(1 + e^x), to 4 ulp.
func Softplus(dst, x []float32) {
	sameLength(len(dst), len(x))
	softplus(dst, x)
}

// Erf sets dst = erf x = 2/√π ∫₀ˣ e^−t² dt, to 4 ulp.
func Erf(dst, x []float32) {
	sameLength(len(dst), len(x))
	erf(dst, x)
}

// ErfSlope sets dst = d·2/√π·e^−x², to 4 ulp.
func ErfSlope(dst, d, x []float32) {
	sameLength(len(dst), len(d), len(x))
	erfSlope(dst, d, x)
}

// Gelu sets dst = x·Φ(x), Φ being the distribution function of the normal
// distribution, to 5 ulp, on the negative side too.
func Gelu(dst, x []float32) {
	sameLength(len(dst), len(x))
	gelu(dst, x)
}

// GeluSlope sets dst = d·(Φ(x) + x·φ(x)), to 5 ulp of the larger term.
func GeluSlope(dst, d, x []float32) {
	sameLength(len(dst), len(d), len(x))
	geluSlope(dst, d, x)
}
