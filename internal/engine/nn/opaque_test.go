package nn

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"tattle/internal/must"
)

// stairs is the sum of a row, rounded down, and its first entry's sign.
var stairs = &Opaque{
	Operator: "Stairs",
	Width: func(in int) (int, error) {
		if in < 2 {
			return 0, fmt.Errorf("rows of %d", in)
		}
		return 2, nil
	},
	Row: func(y, x []float64) {
		sum := 0.
		for _, v := range x {
			sum += v
		}
		y[0], y[1] = math.Floor(sum), math.Copysign(1, x[0])
	},
	Bound: func(ey, _, _, ex []float64) {
		ey[0], ey[1] = 0, 0
		if slices.Max(ex) > 0 {
			ey[0], ey[1] = math.Inf(1), math.Inf(1)
		}
	},
}

// An Opaque has values and bounds, for rows of several dimensions; its products panic, and the
// graph names it.
func TestOpaque(t *testing.T) {
	g := &Graph{Name: "g", Input: "x", InputShape: []int{2, 3}, Output: "y", Nodes: []*Node{
		{Name: "s", Op: stairs, Inputs: []string{"x"}, Output: "s"},
		{Name: "y", Op: &Binary{Operator: "Mul", Constant: &Param{Shape: []int{}, Data: []float32{3}}}, Inputs: []string{"s"}, Output: "y"},
	}}
	m := must.Get(NewNet(g))(t)
	x := []float64{.5, .25, .5, -1, 2, .5, -.5, 0, .75, 9, 8, 7}
	want := []float64{3, 3, 3, -3, 0, -3, 72, 3}
	y, bound := make([]float64, 8), make([]float64, 8)
	m.Forward64(y, x)
	if !slices.Equal(y, want) {
		t.Errorf("%v, want %v", y, want)
	}
	y32 := make([]float32, 8)
	m.Forward(y32, narrow([][]float64{x})[0])
	for i, v := range want {
		if float64(y32[i]) != v {
			t.Errorf("float32: %v, want %v", y32, want)
		}
	}
	l := m.Linearize64(x)
	ex := make([]float64, 12)
	ex[3] = 1e-9
	m.ForwardError64(y, bound, x, ex)
	for i, b := range bound {
		if inf := math.IsInf(b, 1); inf != (i == 2 || i == 3) || !inf && b > 1e-13 {
			t.Errorf("bound %d is %v", i, b)
		}
	}
	if n := g.Opaque(); n == nil || n.Name != "s" || g.Jump() != n {
		t.Errorf("opaque node %v", n)
	}
	defer func() {
		if e, ok := recover().(string); !ok || !strings.Contains(e, "Stairs has no Jacobian") {
			t.Errorf("a product panics with %v", e)
		}
	}()
	l.JVP(y, x)
}
