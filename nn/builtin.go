package nn

import (
	"fmt"
	"slices"
)

// MNISTNet returns paper A's classifier of MNIST (section 3.1), with parameters
// drawn by the seed: inputs [1, 28, 28] → Flatten → Affine 784×784 → ReLU → Affine
// 784×784 → ReLU (the features) → Affine 784×10 (logits). The paper's Softmax
// belongs to the loss.
func MNISTNet(seed uint64) *Graph {
	b := newBuilder("mnist", 1, 28, 28)
	b.add(&Flatten{})
	b.dense(784)
	b.add(&ReLU{})
	b.dense(784)
	b.add(&ReLU{})
	b.dense(10)
	return b.graph(seed)
}

// CIFARNet returns paper A's classifier of CIFAR-10 (section 3.2), with parameters
// drawn by the seed: inputs [3, 32, 32], three convolutions with ReLU, two of them
// followed by pooling, and Affine 3072×3072 → ReLU (the features) → Affine 3072×10
// (logits).
func CIFARNet(seed uint64) *Graph {
	b := newBuilder("cifar10", 3, 32, 32)
	b.conv(32, 3, 1)
	b.add(&ReLU{})
	b.pool(2)
	b.conv(1024, 5, 1)
	b.add(&ReLU{})
	b.pool(3)
	b.conv(3072, 3, 1)
	b.add(&ReLU{})
	b.add(&Flatten{})
	b.dense(3072)
	b.add(&ReLU{})
	b.dense(10)
	return b.graph(seed)
}

// The settings of paper B's nets, Tables 12 and 13.
const (
	curiousSlope      = 0.01
	curiousDropout    = 0.2
	curiousDropoutEnd = 0.5
	attackDropout     = 0.25
)

// DefaultCuriousWidths are the outputs of the layers of paper B's classifier (Table
// 12): four convolutions and the first affine layer.
var DefaultCuriousWidths = [5]int{128, 128, 64, 64, 128}

// DefaultCuriousSide is the side in pixels of paper B's pictures.
const DefaultCuriousSide = 64

// CuriousOptions are the settings of CuriousNet; zero means Table 12's, but for
// Classes, which must be named.
type CuriousOptions struct {
	Classes  int    // outputs
	Channels int    // of the pictures; zero means 3
	Side     int    // of the pictures in pixels, a multiple of 16; zero means DefaultCuriousSide
	Widths   [5]int // of the layers; zero entries mean those of DefaultCuriousWidths
}

// CuriousNet returns paper B's classifier F (Table 12) of images [Channels, Side,
// Side] into a number of classes (logits), with parameters drawn by the seed. It
// panics where a setting is negative or Side no multiple of 16.
func CuriousNet(o CuriousOptions, seed uint64) *Graph {
	o = o.withDefaults()
	if o.Classes <= 0 || o.Channels < 0 || o.Side < 0 || o.Side%16 != 0 || slices.Min(o.Widths[:]) < 0 {
		panic(fmt.Sprintf("nn: %d classes of %d channels of %d×%d pixels, widths %v: want positive numbers and a multiple of 16", o.Classes, o.Channels, o.Side, o.Side, o.Widths))
	}
	b := newBuilder("curious", o.Channels, o.Side, o.Side)
	for _, channels := range o.Widths[:4] {
		b.conv(channels, 2, 2)
		b.batchNorm()
		b.add(&LeakyReLU{Slope: curiousSlope})
		b.add(&Dropout{P: curiousDropout})
	}
	b.add(&Flatten{})
	b.dense(o.Widths[4])
	b.add(&LeakyReLU{Slope: curiousSlope})
	b.add(&Dropout{P: curiousDropoutEnd})
	b.dense(o.Classes)
	return b.graph(seed)
}

func (o CuriousOptions) withDefaults() CuriousOptions {
	if o.Channels == 0 {
		o.Channels = 3
	}
	if o.Side == 0 {
		o.Side = DefaultCuriousSide
	}
	for i, w := range o.Widths {
		if w == 0 {
			o.Widths[i] = DefaultCuriousWidths[i]
		}
	}
	return o
}

// CuriousClassifier returns paper B's classifier F (Table 12) of images [3, 64, 64]
// into a number of classes (logits), with parameters drawn by the seed.
func CuriousClassifier(classes int, seed uint64) *Graph {
	return CuriousNet(CuriousOptions{Classes: classes}, seed)
}

// tableWidth is the width of TableNet's two hidden layers: enough for the hundred or
// so inputs of census tables, and quick.
const tableWidth = 128

// TableNet returns a classifier of rows of a table, [inputs], into a number of
// classes (logits), with parameters drawn by the seed: two hidden layers of 128, each
// with LeakyReLU and Dropout as in the convolutions of CuriousNet.
func TableNet(inputs, classes int, seed uint64) *Graph {
	b := newBuilder("table", inputs)
	for range 2 {
		b.dense(tableWidth)
		b.add(&LeakyReLU{Slope: curiousSlope})
		b.add(&Dropout{P: curiousDropout})
	}
	b.dense(classes)
	return b.graph(seed)
}

// AttackNet returns paper B's attack G (Table 13), from the y outputs of a
// classifier to logits of s sensitive classes, with parameters drawn by the seed.
// Table 13 prints the numbers of parameters for y = 3.
func AttackNet(y, s int, seed uint64) *Graph {
	b := newBuilder("attack", y)
	b.dense(20 * y)
	b.add(&LeakyReLU{Slope: curiousSlope})
	b.add(&Dropout{P: attackDropout})
	b.dense(10 * y)
	b.add(&LeakyReLU{Slope: curiousSlope})
	b.add(&Dropout{P: attackDropout})
	b.dense(s)
	return b.graph(seed)
}

// builder strings operators together.
type builder struct {
	g      *Graph
	shape  []int            // of the last tensor
	shapes map[string][]int // of all
	count  map[string]int
}

func newBuilder(name string, input ...int) *builder {
	g := &Graph{Name: name, Input: "input", InputShape: input, Output: "input"}
	return &builder{g: g, shape: input, shapes: map[string][]int{"input": input}, count: map[string]int{}}
}

// name returns a name of that kind: fc1, fc2 and so on.
func (b *builder) name(kind string) string {
	b.count[kind]++
	return fmt.Sprintf("%s%d", kind, b.count[kind])
}

var builtinNames = map[string]string{
	"Relu": "relu", "LeakyRelu": "leaky", "Flatten": "flatten", "Dropout": "dropout", "MaxPool": "pool",
}

// add appends an operator without parameters.
func (b *builder) add(op Op) { b.append(b.name(builtinNames[op.Kind()]), op) }

// append appends a node of the last tensor, and its tensor is called as it is.
func (b *builder) append(name string, op Op) { b.join(name, op, b.g.Output) }

// join appends a node of those tensors, and its tensor is called as it is, which is
// returned.
func (b *builder) join(name string, op Op, inputs ...string) string {
	shapes := make([][]int, len(inputs))
	for i, tensor := range inputs {
		shapes[i] = b.shapes[tensor]
	}
	shape, err := op.Shape(shapes...)
	if err != nil {
		panic(fmt.Sprintf("nn: built-in net %s, node %s: %v", b.g.Name, name, err))
	}
	b.g.Nodes = append(b.g.Nodes, &Node{Name: name, Op: op, Inputs: inputs, Output: name})
	b.g.Output, b.shape, b.shapes[name] = name, shape, shape
	return name
}

func (b *builder) dense(out int) {
	name, in := b.name("fc"), b.shape[0]
	b.append(name, &Dense{
		In: in, Out: out,
		Weight: newParam(name+".weight", out, in),
		Bias:   newParam(name+".bias", out),
	})
}

func (b *builder) conv(out, kernel, stride int) {
	name, in := b.name("conv"), b.shape[0]
	b.append(name, &Conv2D{
		InChannels: in, OutChannels: out,
		Kernel: [2]int{kernel, kernel}, Stride: [2]int{stride, stride}, Dilation: [2]int{1, 1}, Groups: 1,
		Weight: newParam(name+".weight", out, in, kernel, kernel),
		Bias:   newParam(name+".bias", out),
	})
}

func (b *builder) pool(size int) {
	b.add(&MaxPool{Kernel: [2]int{size, size}, Stride: [2]int{size, size}})
}

func (b *builder) batchNorm() { b.batchNormAs(b.name("bn")) }

func (b *builder) batchNormAs(name string) {
	c := b.shape[0]
	b.append(name, &BatchNorm{
		Channels: c,
		Scale:    newParam(name+".weight", c),
		Shift:    newParam(name+".bias", c),
		Mean:     newParam(name+".running_mean", c),
		Variance: newParam(name+".running_var", c),
		Epsilon:  DefaultBatchNormEpsilon,
		Momentum: DefaultBatchNormMomentum,
	})
}

func (b *builder) graph(seed uint64) *Graph {
	b.g.Init(seed)
	return b.g
}
