package shape

import (
	"math"
	"slices"
	"testing"
)

// TestJitter compares the spread of jittered features to the deviation that was asked for. The
// limits are six standard errors: a false failure has a probability below 1e-8.
func TestJitter(t *testing.T) {
	d := randomRows(200, 2, 3)
	by := []float32{.5, 3}
	s := &jittered{Source: d, by: by, seed: 1}
	const calls = 50
	x, clean := make([]float32, 400), make([]float32, 400)
	all := make([]int, 200)
	for i := range all {
		all[i] = i
	}
	d.Examples(clean, all)
	first, squares := []float32(nil), [2]float64{}
	for c := range calls {
		s.Examples(x, all)
		if c == 0 {
			first = slices.Clone(x)
		} else if slices.Equal(x, first) {
			t.Fatal("two passes have the same jitter")
		}
		for i, v := range x {
			squares[i%2] += math.Pow(float64(v-clean[i]), 2)
		}
	}
	const n = 200 * calls
	for k, want := range by {
		if got := squares[k] / n / float64(want*want); math.Abs(got-1) > 6*math.Sqrt(2./n) {
			t.Errorf("feature %d: variance %g times the one asked for", k, got)
		}
	}
	again := &jittered{Source: d, by: by, seed: 1}
	if again.Examples(x, all); !slices.Equal(x, first) {
		t.Error("equal seeds give other jitter")
	}
}
