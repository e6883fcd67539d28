package nn

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"tattle/internal/must"
)

// TestNothingIn runs nets with nodes that read nothing, or of which nothing is left:
// a constant beside the input, alone, and a tensor without entries on the way.
func TestNothingIn(t *testing.T) {
	three := &Constant{Value: &Param{Name: "three", Shape: []int{2}, Data: []float32{3, 3}}}
	sum := &Reduce{Function: "Sum", Axes: []int{0}, Keep: true}
	beside := chain([]int{2})
	beside.node("c", three)
	beside.node("y", &Binary{Operator: "Add"}, "x", "c")
	alone := chain([]int{2})
	alone.node("c", three)
	empty := chain([]int{2})
	empty.node("e", &Slice{Starts: []int{0}, Counts: []int{0}}, "x")
	empty.node("r", &ReLU{.1}, "e")
	empty.node("sum", sum, "r")
	empty.node("own", sum, "x")
	empty.node("y", &Binary{Operator: "Add"}, "sum", "own")
	number := chain(nil)
	number.node("y", &Binary{Operator: "Add"}, "x", "x")
	for name, c := range map[string]struct {
		g                *Graph
		y, forward, back []float64 // at 5, 7, …, of J·(1, 2, …) and of Jᵀ·(1, 2, …)
	}{
		"beside": {beside, []float64{8, 10}, []float64{1, 2}, []float64{1, 2}},
		"alone":  {alone, []float64{3, 3}, []float64{0, 0}, []float64{0, 0}},
		"empty":  {empty, []float64{12}, []float64{3}, []float64{1, 1}},
		"number": {number, []float64{10}, []float64{2}, []float64{2}},
	} {
		net := mustNet(t, c.g)
		p, n := net.Dims()
		x, v, u := []float64{5, 7}[:p], []float64{1, 2}[:p], []float64{1, 2}[:n]
		y, bound := make([]float64, n), make([]float64, n)
		back, ahead := []float64{9, 9}[:p], []float64{9, 9}[:n]
		net.ForwardError64(y, bound, x, nil)
		closeTo(t, name, y, c.y, 0)
		lin := net.Linearize64(x)
		closeTo(t, name+", features", lin.Features(), c.y, 0)
		lin.JVP(ahead, v)
		closeTo(t, name+", jvp", ahead, c.forward, 0)
		lin.VJP(back, u)
		closeTo(t, name+", vjp", back, c.back, 0)
		lin.VJP(make([]float64, 3*p), make([]float64, 3*n))
	}
}

// TestShapesNames wants the nodes at fault in the error.
func TestShapesNames(t *testing.T) {
	nodes := func(n ...*Node) *Graph {
		return &Graph{Input: "x", InputShape: []int{1}, Output: "c", Nodes: n}
	}
	relu := func(name, in string) *Node { return &Node{name, &ReLU{}, []string{in}, name} }
	for _, c := range []struct {
		g    *Graph
		want []string
	}{
		{nodes(relu("a", "x"), relu("c", "a"), &Node{"a", &ReLU{}, []string{"x"}, "t"}), []string{`node "a": the name`}},
		{nodes(relu("a", "z"), relu("c", "a")), []string{`"a"`, `"z" is not defined`}},
		{nodes(relu("c", "a"), relu("a", "x")), []string{`"c"`, `"a" is not defined`}},
		{nodes(relu("c", "c")), []string{`"c"`, `"c" is not defined`}},
		{nodes(&Node{Name: "c", Output: "c"}), []string{"no operator"}},
		{nodes(&Node{"c", &Slice{Starts: []int{0}, Counts: []int{0}}, []string{"x"}, "c"}), []string{`output "c"`, "not positive"}},
	} {
		_, err := c.g.Shapes()
		if err == nil || slices.ContainsFunc(c.want, func(w string) bool { return !strings.Contains(err.Error(), w) }) {
			t.Errorf("error %v, want %q", err, c.want)
		}
	}
}

// TestLearnNothing trains operators that nothing enters: their gradients are 0.
func TestLearnNothing(t *testing.T) {
	scale, shift := normParams(rand.New(rand.NewPCG(1, 1)), 4)
	for _, op := range []Op{&LayerNorm{Scale: scale, Shift: shift}, testDense(4, 3, true)} {
		g := chain([]int{2, 4}, &Slice{Starts: []int{0, 0}, Counts: []int{0, 4}}, op)
		g.node("none", &Reduce{Function: "Sum", Axes: []int{0, 1}, Keep: true}, g.Output)
		g.node("sum", &Reduce{Function: "Sum", Axes: []int{0, 1}, Keep: true}, "x")
		g.node("y", &Binary{Operator: "Add"}, "none", "sum")
		tr := must.Get(NewTraining(g, g.Params(), 1))(t)
		for _, p := range g.Params() {
			copy(p.Grad, []float32{1, 2, 3})
		}
		dx := make([]float32, 16)
		tr.Forward(make([]float32, 16))
		tr.Backward(dx, []float32{3, 3})
		closeTo(t, op.Kind()+", input", dx, slices.Repeat([]float32{3}, 16), 0)
		for _, p := range g.Params() {
			closeTo(t, op.Kind()+", "+p.Name, p.Grad, make([]float32, len(p.Data)), 0)
		}
	}
}

// TestEmpty runs operators on tensors without entries: outputs have the value of nothing, nothing
// moves them, and no cotangent comes of them.
func TestEmpty(t *testing.T) {
	value := &Param{Shape: []int{3}, Data: []float32{1, 2, 3}}
	type emptyCase struct {
		op    Op
		in    [][]int
		shape []int
		value float32
	}
	cases := []emptyCase{
		{&Transpose{[]int{1, 0}}, [][]int{{0, 3}}, []int{3, 0}, 0},
		{&Slice{[]int{1, 0}, nil, []int{0, 3}}, [][]int{{2, 3}}, []int{0, 3}, 0},
		{&Slice{[]int{0}, nil, []int{0}}, [][]int{{0}}, []int{0}, 0},
		{&Gather{0, nil, []int{0}}, [][]int{{2, 3}}, []int{0, 3}, 0},
		{&Pad{Before: []int{-2, 0}, After: []int{0, 1}}, [][]int{{2, 3}}, []int{0, 4}, 0},
		{&Pad{Before: []int{1}, After: []int{1}}, [][]int{{0}}, []int{2}, 0},
		{&Reshape{[]int{0, 5}}, [][]int{{3, 0}}, []int{0, 5}, 0},
		{&Concat{0}, [][]int{{0, 2}}, []int{0, 2}, 0},
		{testDense(9, 5, false), [][]int{{0, 9}}, []int{0, 5}, 0},
		{&MatMul{}, [][]int{{2, 0}, {0, 3}}, []int{2, 3}, 0},
		{&MatMul{}, [][]int{{0, 2}, {2, 3}}, []int{0, 3}, 0},
		{&MatMul{}, [][]int{{2, 3}, {3, 0}}, []int{2, 0}, 0},
		{&MatMul{}, [][]int{{0, 2, 3}, {3, 4}}, []int{0, 2, 4}, 0},
		{&MatMul{}, [][]int{{2, 3}, {0, 3, 4}}, []int{0, 2, 4}, 0},
		{&Binary{Operator: "Mul"}, [][]int{{0, 3}, {3}}, []int{0, 3}, 0},
		{&Binary{Operator: "Div", Constant: value}, [][]int{{2, 0, 3}}, []int{2, 0, 3}, 0},
		{&Binary{Operator: "Less"}, [][]int{{0}, {1}}, []int{0}, 0},
		{&Where{Condition: value}, [][]int{{0, 1}, {3}}, []int{0, 3}, 0},
	}
	sum := &Reduce{Function: "Sum", Axes: []int{1}}
	cases = append(cases, emptyCase{sum, [][]int{{2, 0, 3}}, []int{2, 3}, 0}, emptyCase{sum, [][]int{{0, 2}}, []int{0}, 0})
	for _, op := range []Op{&Softmax{}, &Hardmax{}, &LayerNorm{}} { // over the last dimension
		cases = append(cases, emptyCase{op, [][]int{{3, 0}}, []int{3, 0}, 0})
	}
	for _, op := range unaryCases() {
		cases = append(cases, emptyCase{op, [][]int{{2, 0}}, []int{2, 0}, 0})
	}
	for _, c := range cases {
		s, err := c.op.Shape(c.in...)
		if err != nil || !slices.Equal(s, c.shape) {
			t.Errorf("%s of %v: shape %v, %v, want %v", c.op.Kind(), c.in, s, err, c.shape)
			continue
		}
		k := c.op.kernel64(c.in...)
		testEmpty(t, opCase{op: c.op, in: c.in, out: Size(s)}, c.op.kernel32(c.in...), c.value)
		f := testEmpty(t, opCase{op: c.op, in: c.in, out: Size(s)}, k, float64(c.value))
		if r := rounderOf(c.op, k, c.in...); r != nil {
			round(r, f, make([]float64, len(f.y)), f.x)
		}
	}
}

func testEmpty[T Float](t *testing.T, c opCase, k kernel[T], value T) *frame[T] {
	t.Helper()
	const vectors = 2
	r := rand.New(rand.NewPCG(1, 1))
	f := forwardFrame(k, c, inputs[T](c, r, 1, 1), false)
	hold := func(what string, x []T, want T) {
		t.Helper()
		closeTo(t, c.String()+", "+what, x, slices.Repeat([]T{want}, len(x)), 0)
	}
	hold("forward", f.y, value)
	dx, dy := inputs[T](c, r, vectors, 1), randomSlice[T](r, vectors*len(f.y), 1)
	k.jvp(f, dy, dx, vectors)
	hold("jvp", dy, 0)
	k.vjp(f, dx, dy, vectors)
	for _, d := range dx {
		hold("vjp", d, 0)
	}
	return f
}
