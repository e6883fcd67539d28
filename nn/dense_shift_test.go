package nn

import (
	"math/rand/v2"
	"testing"
)

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
