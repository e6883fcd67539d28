package nn

import (
	"math"
	"slices"
	"testing"

	"tattle/internal/must"
)

// TestDropoutMasks wants masks of 0 and 1/(1−P) that differ between seeds, steps and
// operators.
func TestDropoutMasks(t *testing.T) {
	const n, p = 1 << 14, .2
	g := chain([]int{n}, &Dropout{P: p})
	g.node("again", &Dropout{P: p}, "x")
	g.node("both", &Binary{Operator: "Add"}, "n0", "again")
	ones := slices.Repeat([]float32{1}, n)
	masks := map[[100]float32]bool{}
	for seed := range uint64(2) {
		tr := must.Get(NewTraining(g, nil, seed))(t)
		for range 2 {
			tr.Forward(ones)
			for _, mask := range tr.(*training).tape.tensors[1:3] {
				masks[[100]float32(mask)] = true
				kept := 0.0
				for _, v := range mask {
					if v != 0 && math.Abs(float64(v)*(1-p)-1) > 0x1p-16 {
						t.Fatalf("mask entry %v", v)
					}
					kept += float64(v) * (1 - p)
				}
				// six standard deviations: 8 tests fail falsely with probability 2e-8
				if math.Abs(kept/n-(1-p)) > 6*math.Sqrt(p*(1-p)/n) {
					t.Errorf("%v of %v kept", kept, n)
				}
			}
		}
	}
	if len(masks) != 8 {
		t.Errorf("%d masks differ, want 8", len(masks))
	}
}
