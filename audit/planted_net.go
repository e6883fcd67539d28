package audit

import (
	"slices"

	"tattle/nn"
)

// hiddenUnits is the width of the net that is planted on drawn digits: enough for
// 97 to 98 % of them, trained in half a second.
const hiddenUnits = 64

// smallNet returns a function that makes classifiers of inputs of the shape, with one hidden
// layer of ReLU units.
func smallNet(shape []int, hidden int) func(classes int, seed uint64) *nn.Graph {
	shape, in := slices.Clone(shape), nn.Size(shape)
	return func(classes int, seed uint64) *nn.Graph {
		g := &nn.Graph{
			Name: "small", Input: "x", InputShape: shape, Output: "scores",
			Nodes: []*nn.Node{
				{Name: "flatten", Op: &nn.Flatten{}, Inputs: []string{"x"}, Output: "row"},
				{Name: "fc1", Op: dense("fc1", in, hidden), Inputs: []string{"row"}, Output: "hidden"},
				{Name: "relu1", Op: &nn.ReLU{}, Inputs: []string{"hidden"}, Output: "active"},
				{Name: "fc2", Op: dense("fc2", hidden, classes), Inputs: []string{"active"}, Output: "scores"},
			},
		}
		g.Init(seed)
		return g
	}
}

// dense returns an affine layer without values.
func dense(name string, in, out int) *nn.Dense {
	return &nn.Dense{
		In: in, Out: out,
		Weight: &nn.Param{Name: name + ".weight", Shape: []int{out, in}, Data: make([]float32, in*out)},
		Bias:   &nn.Param{Name: name + ".bias", Shape: []int{out}, Data: make([]float32, out)},
	}
}
