package onnx

import (
	"maps"
	"math/rand/v2"
	"slices"

	"tattle/nn"
)

// mixGraphs are graphs of one operator of the kind each, on a picture of 3 channels.
func mixGraphs() map[string]*nn.Graph {
	r := rand.New(rand.NewPCG(3, 8))
	graphs := map[string]*nn.Graph{}
	shape := []int{2, 3, 4}
	add := func(name string, op nn.Op, inputs ...string) {
		graphs[name] = &nn.Graph{Name: "mix", Input: "x", InputShape: shape, Output: "y", Nodes: []*nn.Node{
			{Name: "turned", Op: &nn.Transpose{Perm: []int{0, 2, 1}}, Inputs: []string{"x"}, Output: "t"},
			{Name: "row", Op: &nn.Reduce{Function: "Mean", Axes: []int{0}}, Inputs: []string{"x"}, Output: "r"},
			{Name: "node", Op: op, Inputs: inputs, Output: "y"},
		}}
	}
	add("matmul", &nn.MatMul{}, "x", "t")
	add("matmul a", &nn.MatMul{TransA: true}, "t", "t")
	add("matmul b", &nn.MatMul{TransB: true}, "x", "x")
	add("matmul both", &nn.MatMul{TransA: true, TransB: true}, "x", "t")
	add("matmul broadcast", &nn.MatMul{TransA: true}, "r", "x")
	add("matmul broadcast b", &nn.MatMul{TransB: true}, "x", "r")
	add("dense", &nn.Dense{In: 4, Out: 5, Weight: param(r, 5, 4), Bias: param(r, 5)}, "x")
	add("dense plain", &nn.Dense{In: 4, Out: 5, Weight: param(r, 5, 4)}, "r")
	add("layer norm", &nn.LayerNorm{Scale: param(r, 4), Shift: param(r, 4)}, "x")
	add("layer norm plain", &nn.LayerNorm{Axes: 2, Epsilon: .5}, "x")
	add("layer norm scaled", &nn.LayerNorm{Axes: 3, Scale: param(r, 2, 3, 4)}, "x")
	add("layer norm shifted", &nn.LayerNorm{Shift: param(r, 4)}, "x")
	add("group norm", &nn.GroupNorm{Groups: 2, Scale: param(r, 4), Shift: param(r, 4), Epsilon: .25}, "x")
	graphs["group norm"].Nodes[2].Inputs[0] = "g"
	graphs["group norm"].Nodes = append(graphs["group norm"].Nodes[:2], &nn.Node{
		Name: "four", Op: &nn.Transpose{Perm: []int{2, 0, 1}}, Inputs: []string{"x"}, Output: "g",
	}, graphs["group norm"].Nodes[2])
	add("group norm plain", &nn.GroupNorm{}, "x")
	add("log softmax", &nn.LogSoftmax{}, "x")
	for _, f := range nn.ReduceFunctions() {
		if f == "LogSum" { // of random numbers it is none
			continue
		}
		add("reduce "+f, &nn.Reduce{Function: f, Axes: []int{2, 0}}, "x")
		add("reduce all "+f, &nn.Reduce{Function: f, Keep: true}, "x")
	}
	for name, g := range maps.Clone(graphs) { // another node raises the opset to where reductions have another form
		raised := *g
		raised.Output = "z"
		raised.Nodes = append(slices.Clone(g.Nodes), &nn.Node{Name: "later", Op: &nn.Unary{Function: "Gelu"}, Inputs: []string{"y"}, Output: "z"})
		graphs[name+" later"] = &raised
	}
	return graphs
}
