package classify

import (
	"cmp"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"tattle/internal/engine/nn"
)

// The order of numbers by their bits is that by their sizes: zeros of both signs are equal, and of equal ones the first
// comes first.
func TestDescending(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 1))
	special := []float32{0, float32(math.Copysign(0, -1)), 1, -1, math.MaxFloat32, -math.MaxFloat32, math.SmallestNonzeroFloat32, -math.SmallestNonzeroFloat32}
	var s Sorter
	for i := range 200 {
		o := make([]float32, 1+r.IntN(12)+i%10/9*radixLeast)
		for j := range o {
			if o[j] = special[r.IntN(len(special))]; r.IntN(3) == 0 {
				o[j] = float32(r.NormFloat64())
			}
		}
		want := nn.Indices(len(o))
		slices.SortStableFunc(want, func(a, b int) int { return cmp.Compare(o[b], o[a]) })
		if got := s.Descending(o); !slices.Equal(got, want) {
			t.Fatalf("%v: order %v, want %v", o, got, want)
		}
	}
}
