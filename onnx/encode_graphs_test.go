package onnx

import (
	"math"
	"math/rand/v2"
	"testing"

	"tattle/internal/must"
	"tattle/nn"
)

// operatorGraphs are graphs of every operator in every form that a file has for it.
func operatorGraphs(t *testing.T) map[string]*nn.Graph {
	r := rand.New(rand.NewPCG(1, 8))
	graphs := map[string]*nn.Graph{}
	elementwiseGraphs(r, graphs)
	productGraphs(r, graphs)
	imageGraphs(r, graphs)
	mapGraphs(t, r, graphs)
	return graphs
}

// mixOf is a graph of one operator of the kind each, of a picture x, x turned, its mean r, and g of
// four channels.
func mixOf(op nn.Op, inputs ...string) *nn.Graph {
	return &nn.Graph{Name: "mix", Input: "x", InputShape: []int{2, 3, 4}, Output: "y", Nodes: []*nn.Node{
		{Name: "turned", Op: &nn.Transpose{Perm: []int{0, 2, 1}}, Inputs: []string{"x"}, Output: "t"},
		{Name: "row", Op: &nn.Reduce{Function: "Mean", Axes: []int{0}}, Inputs: []string{"x"}, Output: "r"},
		{Name: "four", Op: &nn.Transpose{Perm: []int{2, 0, 1}}, Inputs: []string{"x"}, Output: "g"},
		{Name: "node", Op: op, Inputs: inputs, Output: "y"},
	}}
}

func elementwiseGraphs(r *rand.Rand, graphs map[string]*nn.Graph) {
	add := func(name string, op nn.Op, inputs ...string) { graphs[name] = mixOf(op, inputs...) }
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
}

func productGraphs(r *rand.Rand, graphs map[string]*nn.Graph) {
	// Another node raises the opset to where reductions have another form.
	add := func(name string, op nn.Op, inputs ...string) {
		graphs[name] = mixOf(op, inputs...)
		later := mixOf(op, inputs...)
		later.Output = "z"
		later.Nodes = append(later.Nodes, &nn.Node{Name: "later", Op: &nn.Unary{Function: "Gelu"}, Inputs: []string{"y"}, Output: "z"})
		graphs[name+" later"] = later
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
	add("group norm", &nn.GroupNorm{Groups: 2, Scale: param(r, 4), Shift: param(r, 4), Epsilon: .25}, "g")
	add("group norm plain", &nn.GroupNorm{}, "x")
	add("log softmax", &nn.LogSoftmax{}, "x")
	for _, f := range nn.ReduceFunctions() {
		if f != "LogSum" { // of random numbers it is none
			add("reduce "+f, &nn.Reduce{Function: f, Axes: []int{2, 0}}, "x")
			add("reduce all "+f, &nn.Reduce{Function: f, Keep: true}, "x")
		}
	}
}

// imageGraphs have transposed convolutions, and several images to an example.
func imageGraphs(r *rand.Rand, graphs map[string]*nn.Graph) {
	add := func(name string, shape []int, ops ...nn.Op) {
		g := &nn.Graph{Name: name, Input: "x", InputShape: shape, Output: "x"}
		for i, op := range ops {
			node := &nn.Node{Name: string(rune('a' + i)), Op: op, Inputs: []string{g.Output}, Output: "y" + string(rune('a'+i))}
			g.Nodes, g.Output = append(g.Nodes, node), node.Output
		}
		graphs[name] = g
	}
	up := &nn.ConvTranspose{
		InChannels: 4, OutChannels: 6, Kernel: [2]int{3, 2}, Stride: [2]int{2, 3}, Dilation: [2]int{1, 2},
		Pad: [4]int{1, 0, 0, 1}, OutputPad: [2]int{1, 0}, Groups: 2, Weight: param(r, 4, 3, 3, 2), Bias: param(r, 6),
	}
	add("transposed", []int{4, 5, 6}, up)
	add("transposed, plain", []int{4, 5, 6}, &nn.ConvTranspose{InChannels: 4, OutChannels: 2, Kernel: [2]int{2, 2}, Weight: param(r, 4, 2, 2, 2)})
	add("several transposed", []int{3, 4, 5, 6}, up)
	add("several convolved", []int{3, 2, 5, 6}, &nn.Conv2D{InChannels: 2, OutChannels: 3, Kernel: [2]int{3, 3}, Weight: param(r, 3, 2, 3, 3), Bias: param(r, 3)})
	add("several pooled", []int{2, 3, 2, 6, 6}, &nn.MaxPool{Kernel: [2]int{2, 2}}, &nn.AveragePool{Kernel: [2]int{3, 2}}, &nn.GlobalAveragePool{})
	add("one by one, in turn", []int{1, 4, 5, 6}, up)
}

// mapGraphs have an operator each that rearranges or resizes, and a constant joined to what it gives.
func mapGraphs(t *testing.T, r *rand.Rand, graphs map[string]*nn.Graph) {
	add := func(name string, op nn.Op, in ...int) {
		shape := must.Get(op.Shape(in))(t)
		graphs[name] = &nn.Graph{Name: "maps", Input: "x", InputShape: in, Output: "z", Nodes: []*nn.Node{
			{Name: "map", Op: op, Inputs: []string{"x"}, Output: "y"},
			{Name: "one", Op: &nn.Constant{Value: param(r, shape...)}, Output: "c"},
			{Name: "join", Op: &nn.Concat{Axis: 0}, Inputs: []string{"y", "c"}, Output: "z"},
		}}
	}
	add("reshape", &nn.Reshape{To: []int{3, 4}}, 2, 6)
	add("transpose", &nn.Transpose{Perm: []int{2, 0, 1}}, 2, 3, 4)
	add("slice", &nn.Slice{Starts: []int{1, 0, 5}, Steps: []int{1, 1, -2}, Counts: []int{2, 4, 3}}, 3, 4, 6)
	add("slice back", &nn.Slice{Starts: []int{4}, Steps: []int{-1}, Counts: []int{5}}, 5)
	add("slice all", &nn.Slice{Starts: []int{0}, Counts: []int{5}}, 5)
	add("gather", &nn.Gather{Axis: 1, Indices: []int{3, 0, 3, 1}, Dims: []int{2, 2}}, 2, 4, 3)
	add("gather one", &nn.Gather{Axis: 0, Indices: []int{1}}, 2, 4, 3)
	add("pad", &nn.Pad{Before: []int{1, -1}, After: []int{0, 2}, Value: 2.5}, 2, 4)
	add("pad edge", &nn.Pad{Before: []int{1, 0}, After: []int{0, 2}, Mode: "edge"}, 2, 4)
	add("pad reflect", &nn.Pad{Before: []int{1, 3}, After: []int{0, 2}, Mode: "reflect"}, 2, 4)
	add("pad reflect far", &nn.Pad{Before: []int{5, 0}, After: []int{0, 4}, Mode: "reflect"}, 3, 3)
	add("pad wrap", &nn.Pad{Before: []int{1, 0}, After: []int{0, 6}, Mode: "wrap"}, 2, 4)
	add("expand", &nn.Expand{To: []int{3, 2, 4}}, 2, 1)
	add("tile", &nn.Tile{Repeats: []int{2, 3}}, 2, 4)
	add("resize linear", &nn.Resize{To: []int{2, 7, 5}, Mode: "linear", Coordinates: "half_pixel"}, 2, 4, 6)
	add("resize corners", &nn.Resize{To: []int{2, 7, 5}, Mode: "linear", Coordinates: "align_corners"}, 2, 4, 6)
	add("resize cubic", &nn.Resize{To: []int{2, 7, 5}, Mode: "cubic", Coordinates: "pytorch_half_pixel", CubicA: -.5, ExcludeOutside: true}, 2, 4, 6)
	add("resize nearest", &nn.Resize{To: []int{2, 8, 3}, Mode: "nearest", Coordinates: "asymmetric", Nearest: "floor"}, 2, 4, 6)
	add("resize scales", &nn.Resize{To: []int{2, 6, 9}, Scales: []float64{1, 1.625, 1.5}, Mode: "linear", Coordinates: "half_pixel"}, 2, 4, 6)
	add("resize alias", &nn.Resize{To: []int{2, 3, 2}, Mode: "linear", Coordinates: "half_pixel_symmetric", Antialias: true}, 2, 7, 6)
}
