package simd

import (
	"math"
	"math/rand/v2"
	"testing"
)

// TestFinish compares with the definition, byte by byte, and that nothing beside is
// written.
func TestFinish(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 1))
	special := []float32{float32(math.Inf(1)), float32(math.Inf(-1)), float32(math.NaN()), 0, float32(math.Copysign(0, -1))}
	draw := func(n int) []float32 {
		x := make([]float32, n)
		for i := range x {
			x[i] = float32(r.NormFloat64())
			if r.IntN(6) == 0 {
				x[i] = special[r.IntN(len(special))]
			}
		}
		return x
	}
	for n := range 40 {
		for form := range 8 {
			src, add, sign := draw(n), draw(n), draw(n)
			bias, slope := float32(r.NormFloat64()), []float32{0, .25, 1}[r.IntN(3)]
			if form&1 != 0 {
				add = nil
			}
			if form&2 != 0 {
				sign = nil
			}
			if form&4 != 0 {
				bias = 0
			}
			got, want := draw(n+1), make([]float32, n)
			beside := got[n]
			Finish(got[:n], src, add, sign, bias, slope)
			finishGo(want, src, add, sign, bias, slope)
			for i := range want {
				same := got[i] == want[i] || got[i] != got[i] && want[i] != want[i]
				if !same {
					t.Fatalf("form %d, slope %v: entry %d of %d is %v, want %v", form, slope, i, n, got[i], want[i])
				}
			}
			if math.Float32bits(got[n]) != math.Float32bits(beside) {
				t.Fatalf("form %d: wrote beyond %d entries", form, n)
			}
		}
	}
}
