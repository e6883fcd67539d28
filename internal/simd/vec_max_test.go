package simd

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// TestMax puts the largest entry at each place.
func TestMax(t *testing.T) {
	if v := Max(nil); !math.IsInf(float64(v), -1) {
		t.Errorf("the largest of nothing is %v", v)
	}
	r := rand.New(rand.NewPCG(1, 3))
	for n := 1; n < 80; n++ {
		x := make([]float32, n)
		for i := range x {
			x[i] = float32(r.NormFloat64()) - 10
		}
		for i := range x {
			y := slices.Clone(x)
			y[i] = -1
			if v := Max(y); v != -1 {
				t.Fatalf("largest of %d at %d is %v", n, i, v)
			}
		}
		if v := Max(x); v != slices.Max(x) {
			t.Fatalf("largest of %d is %v, want %v", n, v, slices.Max(x))
		}
	}
}
