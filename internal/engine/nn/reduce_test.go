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

// TestReduceTies: of equal entries, the first one has the derivative, as Reduce says. A NaN among them is the result.
func TestReduceTies(t *testing.T) {
	dst := make([]float64, 4)
	for name, want := range map[string][]float64{"Max": {0, 1, 0, 0}, "Min": {1, 0, 0, 0}} {
		op := &Reduce{Function: name}
		f := &frame[float64]{batch: 1, x: [][]float64{{0, 2, 0, 2}}}
		op.kernel64([]int{4}).vjp(f, [][]float64{dst}, []float64{1}, 1)
		closeTo(t, name, dst, want, 0)
		if v, err := Evaluate64(op, [][]float64{{1, math.NaN(), 2}}, []int{3}); err != nil || !math.IsNaN(v[0]) {
			t.Errorf("%s of a NaN is not a NaN: %v, %v", name, v, err)
		}
	}
}
