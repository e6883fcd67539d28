package simd

import (
	"math/rand/v2"
	"slices"
	"testing"
)

// TestRival compares with the definition, on integers with ties.
func TestRival(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 1))
	for n := range 60 {
		best, x, at := make([]float32, n), make([]float32, n), make([]int32, n)
		for i := range x {
			best[i], x[i], at[i] = float32(r.IntN(3)-1), float32(r.IntN(3)-1), int32(i)
		}
		wantBest, wantAt := slices.Clone(best), slices.Clone(at)
		rivalGo(wantBest, x, wantAt, 1000, 3)
		Rival(best, x, at, 1000, 3)
		if !slices.Equal(best, wantBest) || !slices.Equal(at, wantAt) {
			t.Fatalf("%d entries: %v at %v, want %v at %v", n, best, at, wantBest, wantAt)
		}
	}
}
