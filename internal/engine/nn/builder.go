package nn

import "fmt"

// A Builder makes a [Graph] operator by operator. Each node reads the tensor of the
// node before it, unless Join names others. Where a method takes a name, "" means a
// name made of the operator's kind and a number: conv1, fc2.
type Builder struct {
	Graph  *Graph
	shapes map[string][]int // of each tensor
	count  map[string]int   // of names made
}

// NewBuilder starts a graph of that name for inputs of that shape.
func NewBuilder(name string, input ...int) *Builder {
	g := &Graph{Name: name, Input: "input", InputShape: input, Output: "input"}
	return &Builder{Graph: g, shapes: map[string][]int{"input": input}, count: map[string]int{}}
}

// Shape returns the shape of a tensor for one example, nil for an unknown one.
func (b *Builder) Shape(tensor string) []int { return b.shapes[tensor] }

// Last returns the shape of the last node's output.
func (b *Builder) Last() []int { return b.shapes[b.Graph.Output] }

// stems of the names of nodes, for kinds whose name is not the stem in lower case.
var stems = map[string]string{
	"Relu": "relu", "LeakyRelu": "leaky", "Flatten": "flatten", "Dropout": "dropout", "MaxPool": "pool",
	"Gemm": "fc", "Conv": "conv", "BatchNormalization": "bn",
}

func (b *Builder) named(name, kind string) string {
	if name != "" {
		return name
	}
	stem, ok := stems[kind]
	if !ok {
		stem = kind
	}
	b.count[stem]++
	return fmt.Sprintf("%s%d", stem, b.count[stem])
}

// Add appends a node that reads the last node's output.
func (b *Builder) Add(name string, op Op) { b.Join(name, op, b.Graph.Output) }

// Join appends a node that reads the named tensors and returns the name of its
// output. It panics if the operator does not fit them.
func (b *Builder) Join(name string, op Op, inputs ...string) string {
	name = b.named(name, op.Kind())
	n := &Node{Name: name, Op: op, Inputs: inputs, Output: name}
	shape, err := op.Shape(n.InputShapes(b.shapes)...)
	if err != nil {
		panic(fmt.Sprintf("nn: net %q, node %q: %v", b.Graph.Name, name, err))
	}
	b.Graph.Nodes = append(b.Graph.Nodes, n)
	b.Graph.Output, b.shapes[name] = name, shape
	return name
}

// Dense appends an affine layer with that many outputs.
func (b *Builder) Dense(name string, out int, bias bool) {
	name = b.named(name, "Gemm")
	in := b.Last()[len(b.Last())-1]
	d := NewDense(name, in, out)
	if !bias {
		d.Bias = nil
	}
	b.Add(name, d)
}

// Conv appends a convolution with a square kernel and equal padding on all sides.
func (b *Builder) Conv(name string, out, kernel, stride, pad int, bias bool) {
	name = b.named(name, "Conv")
	in := b.Last()[0]
	c := &Conv2D{
		InChannels: in, OutChannels: out,
		Kernel: [2]int{kernel, kernel}, Stride: [2]int{stride, stride}, Dilation: [2]int{1, 1}, Groups: 1,
		Pad:    [4]int{pad, pad, pad, pad},
		Weight: NewParam(name+".weight", out, in, kernel, kernel),
	}
	if bias {
		c.Bias = NewParam(name+".bias", out)
	}
	b.Add(name, c)
}

// BatchNorm appends a batch norm of the channels of the last node's output.
func (b *Builder) BatchNorm(name string) {
	name = b.named(name, "BatchNormalization")
	c := b.Last()[0]
	b.Add(name, &BatchNorm{
		Channels: c,
		Scale:    NewParam(name+".weight", c),
		Shift:    NewParam(name+".bias", c),
		Mean:     NewParam(name+".running_mean", c),
		Variance: NewParam(name+".running_var", c),
		Epsilon:  DefaultBatchNormEpsilon,
		Momentum: DefaultBatchNormMomentum,
	})
}

// MaxPool appends a pool over square windows that do not overlap.
func (b *Builder) MaxPool(size int) {
	b.Add("", &MaxPool{Kernel: [2]int{size, size}, Stride: [2]int{size, size}})
}
