package simd

import (
	"fmt"
	"math/rand/v2"
	"testing"
)

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
		assertSame(t, fmt.Sprint(n, " entries"), got, want)
	}
}
