package nn

import (
	"math"
	"math/rand/v2"
	"testing"
)

// TestSoftmax32 holds each float32 entry to 4 ulp, and half an ulp for each unit that
// its input lies below the largest.
func TestSoftmax32(t *testing.T) {
	r := rand.New(rand.NewPCG(6, 6))
	for _, cols := range []int{1, 2, 7, 8, 49, 197, 1000} {
		for _, size := range []float64{1e-3, 1, 20} {
			x := randomSlice[float32](r, 4*cols, size)
			f := &frame[float32]{batch: 4, x: [][]float32{x}, y: make([]float32, 4*cols)}
			(&Softmax{}).kernel32([]int{cols}).forward(f)
			g := &frame[float64]{batch: 4, x: [][]float64{wide(x)}, y: make([]float64, 4*cols)}
			(&Softmax{}).kernel64([]int{cols}).forward(g)
			for i, want := range g.y {
				top := math.Inf(-1)
				for _, v := range x[i/cols*cols:][:cols] {
					top = max(top, float64(v))
				}
				ulps := math.Abs(float64(f.y[i])-want) / (want * 0x1p-23)
				if most := 4 + (top-float64(x[i]))/2; want > 0x1p-126 && !(ulps <= most) {
					t.Fatalf("%d columns of size %v: entry is off by %v ulp, want at most %v", cols, size, ulps, most)
				}
			}
		}
	}
}

// TestSoftmaxNoNumber holds that an entry that is no number leaves none that is one.
func TestSoftmaxNoNumber(t *testing.T) {
	for _, bad := range []float32{float32(math.NaN()), float32(math.Inf(1))} {
		for at := range 19 {
			x := make([]float32, 19)
			x[at] = bad
			f := &frame[float32]{batch: 1, x: [][]float32{x}, y: make([]float32, 19)}
			(&Softmax{}).kernel32([]int{19}).forward(f)
			for i, v := range f.y {
				if v == v && (bad != bad || v != 0) {
					t.Fatalf("%v at %d: entry %d is %v", bad, at, i, v)
				}
			}
		}
	}
}
