package zoo

import (
	"fmt"
	"slices"

	"tattle/internal/engine/nn"
)

// MNIST returns paper A's classifier of MNIST (section 3.1), with parameters
// drawn by the seed: inputs [1, 28, 28] → Flatten → Affine 784×784 → ReLU → Affine
// 784×784 → ReLU (the features) → Affine 784×10 (logits). The paper's Softmax
// belongs to the loss.
func MNIST(seed uint64) *nn.Graph {
	b := nn.NewBuilder("mnist", 1, 28, 28)
	b.Add("", nn.Flatten())
	b.Dense("", 784, true)
	b.Add("", &nn.ReLU{})
	b.Dense("", 784, true)
	b.Add("", &nn.ReLU{})
	b.Dense("", 10, true)
	return initialised(b, seed)
}

// CIFAR10 returns paper A's classifier of CIFAR-10 (section 3.2), with parameters
// drawn by the seed: inputs [3, 32, 32], three convolutions with ReLU, two of them
// followed by pooling, and Affine 3072×3072 → ReLU (the features) → Affine 3072×10
// (logits).
func CIFAR10(seed uint64) *nn.Graph {
	b := nn.NewBuilder("cifar10", 3, 32, 32)
	b.Conv("", 32, 3, 1, 0, true)
	b.Add("", &nn.ReLU{})
	b.MaxPool(2)
	b.Conv("", 1024, 5, 1, 0, true)
	b.Add("", &nn.ReLU{})
	b.MaxPool(3)
	b.Conv("", 3072, 3, 1, 0, true)
	b.Add("", &nn.ReLU{})
	b.Add("", nn.Flatten())
	b.Dense("", 3072, true)
	b.Add("", &nn.ReLU{})
	b.Dense("", 10, true)
	return initialised(b, seed)
}

// The settings of paper B's nets, Tables 12 and 13.
const (
	curiousSlope      = 0.01
	curiousDropout    = 0.2
	curiousDropoutEnd = 0.5
	attackDropout     = 0.25
)

// defaultCuriousWidths are the outputs of the layers of paper B's classifier (Table
// 12): four convolutions and the first affine layer.
var defaultCuriousWidths = [5]int{128, 128, 64, 64, 128}

// defaultCuriousSide is the side in pixels of paper B's pictures.
const defaultCuriousSide = 64

// CuriousOptions are the settings of Curious. Classes is required; zero in another
// field means the value of Table 12.
type CuriousOptions struct {
	Classes  int    // outputs
	Channels int    // of the pictures; zero means 3
	Side     int    // of the pictures in pixels, a multiple of 16; zero means 64
	Widths   [5]int // of the layers; zero entries mean 128, 128, 64, 64, 128
}

// Curious returns paper B's classifier F (Table 12) of images [Channels, Side,
// Side] into a number of classes (logits), with parameters drawn by the seed. It
// panics if a setting is negative or Side is not a multiple of 16.
func Curious(o CuriousOptions, seed uint64) *nn.Graph {
	o = o.withDefaults()
	if o.Classes <= 0 || o.Channels < 0 || o.Side < 0 || o.Side%16 != 0 || slices.Min(o.Widths[:]) < 0 {
		panic(fmt.Sprintf("zoo: %d classes of %d channels of %d×%d pixels, widths %v: want positive numbers and a multiple of 16", o.Classes, o.Channels, o.Side, o.Side, o.Widths))
	}
	b := nn.NewBuilder("curious", o.Channels, o.Side, o.Side)
	for _, channels := range o.Widths[:4] {
		b.Conv("", channels, 2, 2, 0, true)
		b.BatchNorm("")
		b.Add("", &nn.ReLU{Slope: curiousSlope})
		b.Add("", &nn.Dropout{P: curiousDropout})
	}
	b.Add("", nn.Flatten())
	hidden(b, o.Widths[4], curiousDropoutEnd)
	b.Dense("", o.Classes, true)
	return initialised(b, seed)
}

func (o CuriousOptions) withDefaults() CuriousOptions {
	if o.Channels == 0 {
		o.Channels = 3
	}
	if o.Side == 0 {
		o.Side = defaultCuriousSide
	}
	for i, w := range o.Widths {
		if w == 0 {
			o.Widths[i] = defaultCuriousWidths[i]
		}
	}
	return o
}

// tableWidth is the width of Table's two hidden layers: enough for the hundred or
// so inputs of census tables, and quick.
const tableWidth = 128

// Table returns a classifier of rows of a table, [inputs], into a number of
// classes (logits), with parameters drawn by the seed: two hidden layers of 128, each
// with LeakyReLU and Dropout as in the convolutions of Curious.
func Table(inputs, classes int, seed uint64) *nn.Graph {
	b := nn.NewBuilder("table", inputs)
	hidden(b, tableWidth, curiousDropout)
	hidden(b, tableWidth, curiousDropout)
	b.Dense("", classes, true)
	return initialised(b, seed)
}

// Attack returns paper B's attack G (Table 13), from the y outputs of a
// classifier to logits of s sensitive classes, with parameters drawn by the seed.
// Table 13 prints the numbers of parameters for y = 3.
func Attack(y, s int, seed uint64) *nn.Graph {
	b := nn.NewBuilder("attack", y)
	hidden(b, 20*y, attackDropout)
	hidden(b, 10*y, attackDropout)
	b.Dense("", s, true)
	return initialised(b, seed)
}

// hidden appends a layer of that width with paper B's nonlinearity and a Dropout.
func hidden(b *nn.Builder, width int, dropout float64) {
	b.Dense("", width, true)
	b.Add("", &nn.ReLU{Slope: curiousSlope})
	b.Add("", &nn.Dropout{P: dropout})
}

// initialised draws the parameters of the builder's graph and returns the graph.
func initialised(b *nn.Builder, seed uint64) *nn.Graph {
	b.Graph.Init(seed)
	return b.Graph
}

// CuriousOf returns a function that makes Curious for pictures of a shape, with layers
// of these widths.
func CuriousOf(shape []int, widths [5]int) func(classes int, seed uint64) *nn.Graph {
	return func(classes int, seed uint64) *nn.Graph {
		return Curious(CuriousOptions{Classes: classes, Channels: shape[0], Side: shape[1], Widths: widths}, seed)
	}
}

// Perceptron returns a function that makes classifiers of inputs of a shape with one hidden layer
// of ReLU units.
func Perceptron(shape []int, hidden int) func(classes int, seed uint64) *nn.Graph {
	return func(classes int, seed uint64) *nn.Graph {
		b := nn.NewBuilder("perceptron", shape...)
		b.Add("", nn.Flatten())
		b.Dense("", hidden, true)
		b.Add("", &nn.ReLU{})
		b.Dense("", classes, true)
		return initialised(b, seed)
	}
}
