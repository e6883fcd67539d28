package nn

import (
	"math"
	"testing"
)

var reduceCases = []struct {
	in, axes, want []int
	keep           bool
}{
	{[]int{7}, nil, []int{}, false},
	{[]int{2, 5}, []int{1}, []int{2, 1}, true},
	{[]int{4, 3}, []int{0}, []int{3}, false},
	{[]int{2, 3, 2}, []int{2, 0}, []int{3}, false},
	{[]int{2, 3, 2, 3}, []int{1, 3}, []int{2, 2}, false},
	{[]int{2, 3, 2, 2}, []int{1}, []int{2, 1, 2, 2}, true},
	{[]int{2, 2, 19}, []int{1}, []int{2, 19}, false}, // more columns than are gathered
	{[]int{2, 1, 3}, []int{1}, []int{2, 3}, false},
}

// TestReduceTies holds what is said of equal entries and of zeros.
func TestReduceTies(t *testing.T) {
	dst := make([]float64, 4)
	for name, want := range map[string][]float64{"Max": {0, 1, 0, 0}, "Min": {1, 0, 0, 0}, "Prod": {0, 0, 0, 0}} {
		f := reductions[name]
		x := []float64{0, 2, 0, 2}
		f.pull(dst, x, 1)
		closeTo(t, name, dst, want, 0)
	}
	f := reductions["Prod"]
	f.pull(dst, []float64{3, 0, 2, 5}, 1)
	closeTo(t, "product with one zero", dst, []float64{0, 30, 0, 0}, 0)
	for _, name := range []string{"Max", "Min"} {
		if v := reductions[name].value([]float64{1, math.NaN(), 2}); !math.IsNaN(v) {
			t.Errorf("%s hides what is no number: %v", name, v)
		}
	}
}
