package nn

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

func number(v float64) *Param { return &Param{Name: "number", Data: []float32{float32(v)}} }

func with(operator string, c *Param) *Binary { return &Binary{Operator: operator, Constant: c} }

// spelt out are a Gelu and a LayerNorm step by step.
func geluSteps(root, one float64, halfFirst, product bool) *Graph {
	g := chain([]int{2, 5})
	if product {
		g.node("scaled", with("Mul", number(1/root)), "x")
	} else {
		g.node("scaled", with("Div", number(root)), "x")
	}
	g.node("erf", &Unary{Function: "Erf"}, "scaled")
	g.node("phi", with("Add", number(one)), "erf")
	if halfFirst {
		g.node("half", with("Mul", number(.5)), "x")
		g.node("y", &Binary{Operator: "Mul"}, "phi", "half")
		return g
	}
	g.node("twice", &Binary{Operator: "Mul"}, "x", "phi")
	g.node("y", with("Mul", number(.5)), "twice")
	return g
}

type normSteps struct {
	axes    []int
	again   bool // x less its mean is formed twice
	squares bool // d·d instead of d²
	scale   []int
	epsilon float64
}

func (s normSteps) graph() *Graph {
	r := rand.New(rand.NewPCG(4, 4))
	g := chain([]int{3, 2, 5})
	g.node("mean", &Reduce{Function: "Mean", Axes: s.axes, Keep: true}, "x")
	g.node("d", &Binary{Operator: "Sub"}, "x", "mean")
	d := "d"
	if s.again {
		g.node("d2", &Binary{Operator: "Sub"}, "x", "mean")
		d = "d2"
	}
	if s.squares {
		g.node("p", &Binary{Operator: "Mul"}, d, d)
	} else {
		g.node("p", with("Pow", number(2)), d)
	}
	g.node("v", &Reduce{Function: "Mean", Axes: s.axes, Keep: true}, "p")
	g.node("ve", with("Add", number(s.epsilon)), "v")
	g.node("root", &Unary{Function: "Sqrt"}, "ve")
	g.node("n", &Binary{Operator: "Div"}, "d", "root")
	if s.scale != nil {
		g.node("w", with("Mul", testParam(r, "weight", s.scale...)), "n")
		g.node("y", with("Add", testParam(r, "bias", s.scale...)), "w")
	}
	return g
}

// TestRecognise finds what is spelt out, and nothing that only looks alike.
func TestRecognise(t *testing.T) {
	also := geluSteps(math.Sqrt2, 1, false, false)
	also.node("sum", &Binary{Operator: "Add"}, "phi", "y")
	wrong := normSteps{axes: []int{2}, epsilon: 1e-5}.graph()
	wrong.Node("p").Inputs = []string{"x"}
	apart := normSteps{axes: []int{2}, epsilon: 1e-5, scale: []int{5}}.graph()
	apart.node("sum", &Binary{Operator: "Add"}, "n", "y")
	deep := geluSteps(math.Sqrt2, 1, false, false) // its output has a dimension more than x
	deep.Node("scaled").Op = with("Div", &Param{Name: "root", Shape: []int{1, 1, 1}, Data: []float32{math.Sqrt2}})
	deep.Node("twice").Op = &Binary{Operator: "Mul"}
	deep.node("turned", &Transpose{Perm: []int{2, 0, 1}}, "y")
	learned := geluSteps(math.Sqrt2, 1, false, false)
	learned.Node("phi").Op = &Binary{Operator: "Add"}
	learned.Node("phi").Inputs = []string{"erf", "one"}
	learned.Nodes = append([]*Node{{"one", &Constant{Value: &Param{Name: "one", Shape: []int{2, 5}, Data: slices.Repeat([]float32{1}, 10)}, Learned: true}, nil, "one"}}, learned.Nodes...)
	for name, c := range map[string]struct {
		g    *Graph
		kind string
		want int // nodes of that kind
		left int
	}{
		"gelu":            {geluSteps(math.Sqrt2, 1, false, false), "Gelu", 1, 1},
		"gelu, half":      {geluSteps(math.Sqrt2, 1, true, false), "Gelu", 1, 1},
		"gelu, product":   {geluSteps(math.Sqrt2, 1, true, true), "Gelu", 1, 1},
		"gelu, also":      {also, "Gelu", 1, 5},
		"gelu, learned":   {learned, "Gelu", 0, 5},
		"no gelu, rank":   {deep, "Gelu", 0, 6},
		"no gelu, root":   {geluSteps(1.5, 1, false, false), "Gelu", 0, 5},
		"no gelu, one":    {geluSteps(math.Sqrt2, 1.5, true, false), "Gelu", 0, 5},
		"norm":            {normSteps{axes: []int{2}, epsilon: 1e-5}.graph(), "LayerNormalization", 1, 1},
		"norm of two":     {normSteps{axes: []int{1, 2}, again: true, scale: []int{2, 5}, epsilon: 1e-3}.graph(), "LayerNormalization", 1, 1},
		"norm, scaled":    {normSteps{axes: []int{2}, squares: true, scale: []int{5}, epsilon: 1e-5}.graph(), "LayerNormalization", 1, 1},
		"norm, one scale": {normSteps{axes: []int{2}, scale: []int{2, 1}, epsilon: 1e-5}.graph(), "LayerNormalization", 1, 3},
		"norm, apart":     {apart, "LayerNormalization", 1, 4},
		"no norm, middle": {normSteps{axes: []int{1}, epsilon: 1e-5}.graph(), "LayerNormalization", 0, 7},
		"no norm, zero":   {normSteps{axes: []int{2}, epsilon: 0}.graph(), "LayerNormalization", 0, 7},
		"no norm, moment": {wrong, "LayerNormalization", 0, 7},
	} {
		got := kinds(simplified(c.g))
		found := 0
		for _, k := range got {
			if k == c.kind {
				found++
			}
		}
		if found != c.want || len(got) != c.left {
			t.Errorf("%s: %v is left, want %d %s and %d in all", name, got, c.want, c.kind, c.left)
		}
		sameFunction(t, name, mustNet(t, c.g), c.g)
		// A norm is the same function in exact arithmetic, a Gelu is not: its √2 is rounded.
		exact := c.kind == "LayerNormalization" && c.want > 0
		if has := slices.Contains(kinds(tidy(c.g)), c.kind); has != exact {
			t.Errorf("%s: float64 nets have it: %v", name, has)
		}
	}
}

// TestTakeConstants has operators hold the constants that they read.
func TestTakeConstants(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 5))
	build := func(op Op, shape []int, order ...string) *Graph {
		g := chain([]int{2, 3})
		g.node("c", constantOf(r, shape...))
		g.node("y", op, order...)
		return g
	}
	image := func(shape []int, operator string, first bool) *Graph {
		g, c := chain([]int{2, 3, 3}, smallConv(2, 3, 3, 1)), number(.7)
		if shape != nil {
			c = testParam(r, "constant", shape...)
		}
		g.node("y", &Binary{Operator: operator, Constant: c, ConstantFirst: first}, "n0")
		return g
	}
	for name, c := range map[string]struct {
		g    *Graph
		want []string
	}{
		"add":           {build(&Binary{Operator: "Add"}, []int{2, 3}, "x", "c"), []string{"Add"}},
		"mul":           {build(&Binary{Operator: "Mul"}, []int{2, 3}, "c", "x"), []string{"Mul"}},
		"sub":           {build(&Binary{Operator: "Sub"}, []int{3}, "c", "x"), []string{"Sub"}},
		"matrix":        {build(&MatMul{}, []int{3, 4}, "x", "c"), []string{"Gemm"}},
		"transposed":    {build(&MatMul{TransB: true}, []int{4, 3}, "x", "c"), []string{"Gemm"}},
		"left":          {build(&MatMul{}, []int{4, 2}, "c", "x"), []string{"Constant", "MatMul"}},
		"both":          {build(&Binary{Operator: "Add"}, []int{2, 3}, "x", "x"), []string{"Add"}},
		"where":         {build(&Where{}, []int{3}, "x", "c", "x"), []string{"Where"}},
		"scaled":        {image([]int{3, 1, 1}, "Mul", false), []string{"Conv"}},
		"moved":         {image([]int{1, 3, 1, 1}[1:], "Add", true), []string{"Conv"}},
		"less":          {image([]int{3, 1, 1}, "Sub", true), []string{"Conv"}},
		"less that":     {image([]int{1}, "Sub", false), []string{"Conv"}},
		"divided":       {image(nil, "Div", false), []string{"Conv"}},
		"divides":       {image(nil, "Div", true), []string{"Conv", "Div"}},
		"rows":          {image([]int{3, 1}, "Mul", false), []string{"Conv", "Mul"}},
		"each":          {image([]int{3, 3, 3}, "Add", false), []string{"Conv", "Add"}},
		"larger":        {image([]int{2, 3, 1, 1}, "Add", false), []string{"Conv", "Add"}},
		"of rows":       {chain([]int{2, 3}, testDense(3, 4, false), with("Add", testParam(r, "c", 4)), with("Mul", testParam(r, "c", 1))), []string{"Gemm"}},
		"of other rows": {chain([]int{2, 3}, testDense(3, 4, false), with("Add", testParam(r, "c", 2, 1))), []string{"Gemm", "Add"}},
	} {
		if got := kinds(simplified(c.g)); !slices.Equal(got, c.want) {
			t.Errorf("%s: %v is left, want %v", name, got, c.want)
		}
		sameFunction(t, name, mustNet(t, c.g), c.g)
	}
}
