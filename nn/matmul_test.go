package nn

import (
	"math/rand/v2"
	"testing"
)

var matmulCases = []struct {
	op   MatMul
	a, b []int
	want []int
}{
	{MatMul{}, []int{5, 7}, []int{7, 3}, []int{5, 3}},
	{MatMul{TransB: true}, []int{5, 7}, []int{3, 7}, []int{5, 3}},
	{MatMul{TransA: true}, []int{7, 5}, []int{7, 3}, []int{5, 3}},
	{MatMul{TransA: true, TransB: true}, []int{2, 7, 5}, []int{2, 3, 7}, []int{2, 5, 3}},
	{MatMul{}, []int{2, 3, 4, 5}, []int{5, 6}, []int{2, 3, 4, 6}}, // rows joined
	{MatMul{TransB: true}, []int{2, 3, 4, 5}, []int{1, 1, 6, 5}, []int{2, 3, 4, 6}},
	{MatMul{TransA: true}, []int{2, 5, 4}, []int{5, 6}, []int{2, 4, 6}},
	{MatMul{}, []int{4, 5}, []int{3, 5, 2}, []int{3, 4, 2}},
	{MatMul{}, []int{3, 1, 4, 5}, []int{2, 5, 2}, []int{3, 2, 4, 2}},
	{MatMul{TransA: true}, []int{2, 1, 1, 4}, []int{1, 3, 1, 2}, []int{2, 3, 4, 2}},
}

// Behind a ReLU most inputs of a Dense change in no row: leaving them out changes the
// result by rounding alone, and no input that changes in a single row is left out.
func TestDenseShiftOfFewInputs(t *testing.T) {
	const in, out, rows = 90, 70, 2 * manyRows
	r := rand.New(rand.NewPCG(1, 1))
	o := &Dense{In: in, Out: out, Weight: &Param{Name: "w", Shape: []int{out, in}, Data: randomSlice[float32](r, out*in, 1)}}
	for _, used := range []int{0, 1, 20, in/2 + 1} {
		x := make([]float64, rows*in)
		for j := range used {
			x[(j*7%rows)*in+(j*11)%in] = 1 + r.Float64()
		}
		k := newDense[float64](o)
		got, want := make([]float64, rows*out), make([]float64, rows*out)
		got[0] = 7 // must be overwritten
		f := &frame[float64]{batch: 1}
		k.shift(f, got, [][]float64{x}, rows)
		k.jvp(f, want, [][]float64{x}, rows)
		closeTo(t, "shift", got, want, 1e-12)
		if used > 0 {
			if n := len(k.changed(x, rows)); n != used {
				t.Errorf("%d inputs change, not %d", n, used)
			}
		}
	}
}
