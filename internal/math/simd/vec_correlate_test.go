package simd

import (
	"math"
	"math/rand/v2"
	"testing"

	"tattle/internal/must"
)

func TestCorrelate(t *testing.T) {
	t.Run("float32", func(t *testing.T) { testCorrelate[float32](t, 1e-5) })
	t.Run("float64", func(t *testing.T) { testCorrelate[float64](t, 1e-14) })
}

// testCorrelate compares with the definition at every length around the blocks, and
// that nothing beside is written.
func testCorrelate[T Float](t *testing.T, tolerance float64) {
	r := rand.New(rand.NewPCG(1, 1))
	for _, taps := range []int{0, 1, 9, 49} {
		for n := range 150 {
			src, w, dst, offsets := normal[T](r, n+30), normal[T](r, taps), make([]T, n+1), make([]int, taps)
			for i := range offsets {
				offsets[i] = r.IntN(31)
			}
			for i := range dst {
				dst[i] = 7
			}
			Correlate(dst[:n], src, offsets, w)
			for i := range n {
				want := 0.0
				for j, at := range offsets {
					want += float64(w[j]) * float64(src[i+at])
				}
				if !(math.Abs(float64(dst[i])-want) <= tolerance*(1+math.Sqrt(float64(taps)))) {
					t.Fatalf("%d taps: entry %d of %d is %v, want %v", taps, i, n, dst[i], want)
				}
			}
			if dst[n] != 7 {
				t.Fatalf("%d taps: wrote beyond %d entries", taps, n)
			}
		}
	}
	for _, at := range []int{-1, 6} {
		must.Panic(t, func() { Correlate(make([]T, 5), make([]T, 10), []int{at}, make([]T, 1)) }, at)
	}
}
