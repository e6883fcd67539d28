package onnx

import (
	"math"
	"math/rand/v2"
	"slices"

	"tattle/nn"
)

// elementwiseGraphs are graphs of one operator of the kind each.
func elementwiseGraphs() map[string]*nn.Graph {
	r := rand.New(rand.NewPCG(1, 8))
	graphs := map[string]*nn.Graph{}
	add := func(name string, op nn.Op, inputs ...string) {
		g := &nn.Graph{Name: name, Input: "x", InputShape: []int{4, 3, 4}, Output: "y", Nodes: []*nn.Node{
			{Name: "pool", Op: &nn.GlobalAveragePool{}, Inputs: []string{"x"}, Output: "p"},
			{Name: "row", Op: &nn.Flatten{}, Inputs: []string{"p"}, Output: "r"},
			{Name: "node", Op: op, Inputs: inputs, Output: "y"},
		}}
		if !slices.Contains(inputs, "r") {
			g.Nodes = g.Nodes[2:]
		}
		graphs[name] = g
	}
	for _, f := range nn.UnaryFunctions() {
		op := &nn.Unary{Function: f, Alpha: -.25, Beta: .75}
		if f == "HardSigmoid" {
			op.Alpha = .25
		}
		add(f, op, "x")
	}
	add("Clip above", &nn.Unary{Function: "Clip", Alpha: math.Inf(-1), Beta: .5}, "x")
	add("Clip below", &nn.Unary{Function: "Clip", Alpha: -.5, Beta: math.Inf(1)}, "x")
	add("Swish 1", &nn.Unary{Function: "Swish", Alpha: 1}, "x")
	add("PRelu", &nn.PRelu{Slope: param(r, 3, 1)}, "x")
	for _, o := range nn.BinaryOperators() {
		if nn.Compares(o) {
			add(o, &nn.Binary{Operator: o}, "r", "x")
			add(o+" constant", &nn.Binary{Operator: o, Constant: param(r, 3, 1), ConstantFirst: true}, "x")
			continue
		}
		add(o, &nn.Binary{Operator: o}, "x", "r")
		add(o+" constant", &nn.Binary{Operator: o, Constant: param(r, 3, 1)}, "x")
		add(o+" constant first", &nn.Binary{Operator: o, Constant: param(r, 3, 1, 1), ConstantFirst: true}, "r")
	}
	mask := &nn.Param{Shape: []int{3, 1}, Data: []float32{0, 1, 1}}
	add("Where", &nn.Where{}, "x", "x", "r")
	add("Where constant", &nn.Where{Condition: mask, Else: param(r)}, "x")
	return graphs
}
