package simd

import (
	"math"
	"math/rand/v2"
	"testing"
)

// TestNormSums holds the sums and gradients of normalised rows to the plain ones in float64.
func TestNormSums(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for n := range 70 {
		d, x, scale, shift := normal[float32](r, n), normal[float32](r, n), normal[float32](r, n), normal[float32](r, n)
		wd, wx, wscale, wshift := widened(d), widened(x), widened(scale), widened(shift)
		sum, dot := NormSums(d, x, scale)
		wantSum, wantDot := normSumsGo(wd, wx, wscale)
		if !(math.Abs(sum-wantSum) <= 1e-6*float64(n) && math.Abs(dot-wantDot) <= 1e-6*float64(n)) {
			t.Errorf("sums of %d are %v, %v, want %v, %v", n, sum, dot, wantSum, wantDot)
		}
		NormGradient(scale, shift, d, x, .25, 1.5)
		normGradientGo(wscale, wshift, wd, wx, .25, 1.5)
		nearly(t, "gradient of the scale", n, scale, wscale)
		nearly(t, "gradient of the shift", n, shift, wshift)
	}
}

func nearly(t *testing.T, what string, n int, got []float32, want []float64) {
	t.Helper()
	for i, w := range want {
		if !(math.Abs(float64(got[i])-w) <= 1e-6*(1+math.Abs(w))) {
			t.Fatalf("%s of %d: element %d is %v, want %v", what, n, i, got[i], w)
		}
	}
}
