package nn

import (
	"math"
	"math/rand/v2"
	"testing"

	"tattle/internal/must"
)

// A float32 pass stays within its bounds, on nets whose outputs are rounded to 16 bits,
// too, where float32 and float64 often disagree by a whole step.
func TestForwardError32(t *testing.T) {
	r := rand.New(rand.NewPCG(32, 1))
	const p, n, batch = 20, 30, 400
	weight := &Param{Name: "w", Shape: []int{n, p}, Data: randomSlice[float32](r, n*p, 1)}
	bias := &Param{Name: "b", Shape: []int{n}, Data: randomSlice[float32](r, n, 1)}
	for _, function := range []string{"Float16", "BFloat16", "Floor", "Neg"} {
		g := &Graph{Name: "g", Input: "x", InputShape: []int{p}, Output: "y", Nodes: []*Node{
			{Name: "a", Op: &Dense{In: p, Out: n, Weight: weight, Bias: bias}, Inputs: []string{"x"}, Output: "a"},
			{Name: "y", Op: &Unary{Function: function}, Inputs: []string{"a"}, Output: "y"},
		}}
		m := must.Get(NewNet(g))(t)
		x := randomSlice[float32](r, batch*p, 1)
		y32, y, bound, proved := make([]float32, batch*n), make([]float64, batch*n), make([]float64, batch*n), make([]float64, batch*n)
		m.Forward(y32, x)
		m.ForwardError64(y, proved, wide(x), nil)
		m.ForwardError32(y, bound, wide(x))
		off, free := 0, 0
		for i, v := range y {
			d := math.Abs(float64(y32[i]) - v)
			if d > bound[i] {
				t.Fatalf("%s: float32 gives %v, float64 %v, the bound is %v", function, y32[i], v, bound[i])
			}
			if d > 0 {
				off++
			}
			if bound[i] == 0 {
				free++
			}
		}
		if jumps := g.Jump() != nil; jumps && free == 0 || !jumps && (free > 0 || bound[0] != proved[0]*0x1p29) {
			t.Errorf("%s: %d bounds of %d are 0", function, free, len(y))
		}
		if function == "Float16" && off == 0 {
			t.Error("float32 and float64 never disagree: the test is idle")
		}
	}
}
