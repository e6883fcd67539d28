package nn

import (
	"math"
	"testing"
)

// Every operator that the package has either moves its outputs by little for a small
// change of its inputs, or is known to jump.
func TestJumpKnowsEveryStep(t *testing.T) {
	for _, op := range append(unaryCases(), &Unary{Function: "ThresholdedRelu", Alpha: .5}) {
		g := &Graph{Name: "g", Input: "x", InputShape: []int{1}, Output: "y", Nodes: []*Node{{Name: "n", Op: op, Inputs: []string{"x"}, Output: "y"}}}
		curve := unaryFuncs[op.Function](op)
		moved := 0.0
		const h = 1e-9
		for x := -3.; x <= 3; x += 1. / 8192 { // on halfway marks of float16, between −4 and 4
			if a, b := curve.value(x-h), curve.value(x+h); a-a == 0 && b-b == 0 && (!positiveOnly(op) || x > .1) {
				moved = max(moved, math.Abs(a-b), math.Abs(a-curve.value(x)))
			}
		}
		if op.Alpha != 0 { // a threshold lies between
			moved = max(moved, math.Abs(curve.value(op.Alpha-h)-curve.value(op.Alpha+h)))
		}
		if jumps, want := g.Jump() != nil, moved > 1e-6; jumps != want {
			t.Errorf("%s: moves by %v for a change of %v, jumps: %v", op.Function, moved, 2*h, jumps)
		}
	}
	for _, op := range []Op{&Hardmax{}, &Binary{Operator: "Less", Constant: &Param{Shape: []int{}, Data: []float32{0}}}} {
		g := &Graph{Name: "g", Input: "x", InputShape: []int{2}, Output: "y", Nodes: []*Node{
			{Name: "n", Op: op, Inputs: []string{"x"}, Output: "m"}, {Name: "z", Op: &ReLU{}, Inputs: []string{"m"}, Output: "y"}}}
		if n := g.Jump(); n == nil || n.Name != "n" {
			t.Errorf("%s does not jump", op.Kind())
		}
		g.Output = "x"
		g.Nodes = nil
		if g.Jump() != nil {
			t.Error("nothing jumps")
		}
	}
}
