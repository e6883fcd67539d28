package dct_test

import (
	"math"
	"testing"

	"tattle/internal/math/dct"
	"tattle/internal/must"
	"tattle/internal/npy"
	"tattle/internal/shared"
)

// The reference is scipy's orthonormal DCT-II.
func TestGolden(t *testing.T) {
	f := must.Get(npy.Open(shared.Path(t, "models/mnist-mlp.golden.npz")))(t)
	defer f.Close()
	v, shape := must.Get2(f.Float64s("v"))(t)
	want, _ := must.Get2(f.Float64s("dct_v_float64"))(t)
	if len(v) != len(want) || len(shape) == 0 || len(v) == 0 || len(v)%(28*28) != 0 {
		t.Fatalf("v is %v, its transform has %d values", shape, len(want))
	}
	got := make([]float64, len(v))
	dct.NewPlan(28, 28).Forward(got, v)
	for i := range got {
		if d := math.Abs(got[i] - want[i]); !(d <= 1e-13) {
			t.Fatalf("value %d is %v, want %v", i, got[i], want[i])
		}
	}
}
