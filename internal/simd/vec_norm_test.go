package simd

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// TestNorm holds the loops of normalised rows to the plain ones in float64.
func TestNorm(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for n := range 70 {
		fill := func() ([]float32, []float64) {
			x, w := normal[float32](r, n), make([]float64, n)
			for i := range x {
				w[i] = float64(x[i])
			}
			return x, w
		}
		d, wd := fill()
		x, wx := fill()
		scale, wscale := fill()
		shift, wshift := fill()
		got, want := make([]float32, n), make([]float64, n)
		NormForward(got, x, scale, shift, .25, 1.5)
		normForwardGo(want, wx, wscale, wshift, .25, 1.5)
		nearly(t, "forward", n, got, want)
		NormTangent(got, d, x, scale, .5, -.75, .125)
		normTangentGo(want, wd, wx, wscale, .5, -.75, .125)
		nearly(t, "tangent", n, got, want)
		NormCotangent(got, d, x, scale, .5, -.75, .125)
		normCotangentGo(want, wd, wx, wscale, .5, -.75, .125)
		nearly(t, "cotangent", n, got, want)
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

// TestNormPlace holds that an element does not depend on its place.
func TestNormPlace(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	x := normal[float32](r, 37)
	got := make([]float32, 37)
	NormForward(got, x, x, x, .1, 3)
	turned := slices.Clone(x)
	slices.Reverse(turned)
	back := make([]float32, 37)
	NormForward(back, turned, turned, turned, .1, 3)
	slices.Reverse(back)
	assertSame(t, "turned round", back, got)
}
