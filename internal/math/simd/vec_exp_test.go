package simd

import (
	"math"
	"math/rand/v2"
	"testing"
)

// transcendental is a function with its exact values, in float64, and the largest
// error that its comment allows, in units in the last place of the scale.
type transcendental struct {
	name  string
	apply func(dst, d, x []float32)
	exact func(x float64) float64
	scale func(x float64) float64 // nil: the value
	ulps  float64
}

func transcendentals() []transcendental {
	phi := func(x float64) float64 { return .5 * math.Erfc(-x/math.Sqrt2) }
	density := func(x float64) float64 { return math.Exp(-x*x/2) / math.Sqrt(2*math.Pi) }
	bell := func(x float64) float64 { e := math.Exp(-math.Abs(x)); return e / ((1 + e) * (1 + e)) }
	return []transcendental{
		{"exp", func(dst, _, x []float32) { Exp(dst, x) }, math.Exp, nil, 2},
		{"expSum", func(dst, _, x []float32) { ExpSum(dst, x, 0) }, math.Exp, nil, 2},
		{"sigmoid", func(dst, _, x []float32) { Sigmoid(dst, x) }, func(x float64) float64 { return 1 / (1 + math.Exp(-x)) }, nil, 4},
		{"sigmoidSlope", SigmoidSlope, bell, nil, 5},
		{"gelu", func(dst, _, x []float32) { Gelu(dst, x) }, func(x float64) float64 { return x * phi(x) }, nil, 5},
		{"geluSlope", GeluSlope, func(x float64) float64 { return phi(x) + x*density(x) },
			func(x float64) float64 { return max(phi(x), math.Abs(x)*density(x)) }, 5},
	}
}

// ulp is the distance of float32 numbers at |x|.
func ulp(x float64) float64 {
	_, e := math.Frexp(x)
	return math.Ldexp(1, max(e-24, -149))
}

// TestTranscendental sweeps all orders of magnitude and, densely, where the functions
// bend; results that are subnormal, or that are products with a subnormal factor,
// have an error of a few of their units.
func TestTranscendental(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 5))
	x := make([]float32, 300_003)
	for i := range x {
		switch i % 3 {
		case 0:
			x[i] = math.Float32frombits(r.Uint32())
		case 1:
			x[i] = float32(110 * (2*r.Float64() - 1))
		default:
			x[i] = float32(5 * r.NormFloat64())
		}
	}
	one, y := make([]float32, len(x)), make([]float32, len(x))
	for i := range one {
		one[i] = 1
	}
	for _, f := range transcendentals() {
		f.apply(y, one, x)
		worst, at := 0.0, float32(0)
		for i, v := range x {
			if off := f.off(v, y[i]); !(off <= worst) {
				worst, at = off, v
			}
		}
		t.Logf("%s: %.2f ulp at %v", f.name, worst, at)
		if !(worst <= f.ulps) {
			t.Errorf("%s: %v ulp at %v", f.name, worst, at)
		}
	}
}

// off is the error in ulps, 0 if all is well with infinities and NaN.
func (f transcendental) off(x, y float32) float64 {
	from := float64(x)
	want := f.exact(from)
	switch {
	case x != x:
		if y != y {
			return 0
		}
		return math.Inf(1)
	case float32(want) == y, math.IsInf(from, 0) && want != want:
		return 0
	}
	scale := math.Abs(want)
	if f.scale != nil {
		scale = f.scale(from)
	}
	return math.Abs(float64(y)-want) / (ulp(scale) + math.Abs(from)*0x1p-149)
}

func TestExpSum(t *testing.T) {
	for n := range 70 {
		x, y := make([]float32, n), make([]float32, n)
		want := 0.0
		for i := range x {
			x[i] = float32(i%7) - 3
			want += math.Exp(float64(x[i]) - 1.5)
		}
		if got := float64(ExpSum(y, x, 1.5)); math.Abs(got-want) > 1e-6*want {
			t.Errorf("of %d: %v, want %v", n, got, want)
		}
	}
}
