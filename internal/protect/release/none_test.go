package release

import (
	"math"
	"testing"
)

// Without noise the features themselves are released, two inputs with different features are
// distinguished, and no bound holds.
func TestNone(t *testing.T) {
	z := []float64{1, 2}
	None{}.Sample(z, nil)
	if z[0] != 0 || z[1] != 0 {
		t.Errorf("a sample of no noise is %v", z)
	}
	same, other, nan := make([]float64, 2), []float64{0, 1e-300}, []float64{0, math.NaN()}
	if None.Bound(None{}, same, same) != 0 {
		t.Error("equal releases are told apart")
	}
	for _, z := range [][]float64{other, nan} {
		if b, e := (None{}).Bound(z, same), (None{}).Bound(same, z); !math.IsInf(b, 1) || !math.IsInf(e, 1) {
			t.Errorf("%v: bounds %v and %v, want +Inf", z, b, e)
		}
	}
	for _, s := range []Spec{{}, {Surface: SurfaceLogits, Keep: 3}} {
		for _, p := range []bool{false, true} {
			if ok, reason := s.Holds(None{}, p); ok || reason == "" {
				t.Errorf("%v, %v: a bound holds without noise (%q)", s, p, reason)
			}
		}
	}
	if n, err := ParseNoise("none", 1, 2); err == nil {
		t.Errorf("ParseNoise reads none as %v", n)
	}
}
