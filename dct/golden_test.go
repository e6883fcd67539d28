package dct_test

import (
	"math"
	"testing"

	"tattle/dct"
	"tattle/internal/shared"
	"tattle/npy"
)

// The reference is scipy's orthonormal DCT-II.
func TestGolden(t *testing.T) {
	f, err := npy.Open(shared.Path(t, "models/mnist-mlp.golden.npz"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	v, shape, err := f.Float64s("v")
	if err != nil {
		t.Fatal(err)
	}
	want, _, err := f.Float64s("dct_v_float64")
	if err != nil {
		t.Fatal(err)
	}
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
