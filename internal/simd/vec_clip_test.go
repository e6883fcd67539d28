package simd

import (
	"math"
	"math/rand/v2"
	"testing"
)

// TestClip compares the bits with the definition's, also of zeros, infinities and NaN, in place.
func TestClip(t *testing.T) {
	special := []float32{float32(math.NaN()), float32(math.Inf(1)), float32(math.Inf(-1)), 0, float32(math.Copysign(0, -1)), 1, 2}
	r := rand.New(rand.NewPCG(1, 2))
	for n := range 40 {
		x, want := make([]float32, n), make([]float32, n)
		for i := range x {
			if x[i] = float32(4 * r.NormFloat64()); r.IntN(2) == 0 {
				x[i] = special[r.IntN(len(special))]
			}
		}
		for _, limits := range [][2]float32{{0, 1}, {-2, 2}, {0, 0}} {
			clipGo(want, x, limits[0], limits[1])
			got := append([]float32(nil), x...)
			Clip(got, got, limits[0], limits[1])
			for i := range got {
				if math.Float32bits(got[i]) != math.Float32bits(want[i]) {
					t.Fatalf("%d entries, limits %v: %v becomes %v, want %v", n, limits, x[i], got[i], want[i])
				}
			}
		}
	}
}

// TestClipBetween compares the bits with those of Clip entry by entry, in place.
func TestClipBetween(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	for n := range 40 {
		x, lo, hi := awkward[float32](r, n, true), make([]float32, n), make([]float32, n)
		want := make([]float32, n)
		for i := range x {
			lo[i] = float32(r.NormFloat64())
			hi[i] = lo[i] + float32(r.IntN(3))
			clipGo(want[i:i+1], x[i:i+1], lo[i], hi[i])
		}
		got := append([]float32(nil), x...)
		ClipBetween(got, got, lo, hi)
		for i := range got {
			if math.Float32bits(got[i]) != math.Float32bits(want[i]) {
				t.Fatalf("%d entries, limits %v and %v: %v becomes %v, want %v", n, lo[i], hi[i], x[i], got[i], want[i])
			}
		}
	}
}
