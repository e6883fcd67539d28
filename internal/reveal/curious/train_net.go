package curious

import (
	"slices"

	"tattle/internal/engine/nn"
	"tattle/internal/engine/nn/zoo"
	"tattle/internal/run"
)

// What is drawn from a training's seed, each from streams of its own.
const (
	drawOrder = iota
	drawDropout
	drawAttack
	drawAttackOrder
	drawAttackDropout
)

// derive returns a seed for one of the things that are drawn.
func derive(seed uint64, what, index int) uint64 { return run.Rand(seed, what, index).Uint64() }

// DefaultNet chooses F by the shape of its inputs: B Table 12 for square pictures
// whose side is a multiple of 16, paper A's net for [1, 28, 28], and otherwise the net
// for tables, on the inputs as they lie.
func DefaultNet(shape []int) func(classes int, seed uint64) *nn.Graph {
	switch {
	case slices.Equal(shape, []int{1, 28, 28}):
		return digitNet
	case len(shape) == 3 && shape[1] == shape[2] && shape[1]%16 == 0:
		return func(classes int, seed uint64) *nn.Graph {
			return zoo.Curious(zoo.CuriousOptions{Classes: classes, Channels: shape[0], Side: shape[1]}, seed)
		}
	}
	return func(classes int, seed uint64) *nn.Graph {
		return flattened(zoo.Table(nn.Size(shape), classes, seed), shape)
	}
}

// flattened puts a Flatten in front of a graph whose inputs are rows, unless those are
// rows already.
func flattened(g *nn.Graph, shape []int) *nn.Graph {
	if len(shape) == 1 {
		return g
	}
	first := &nn.Node{Name: "flatten1", Op: nn.Flatten(), Inputs: []string{g.Input}, Output: "flatten1"}
	g.Nodes[0].Inputs = []string{first.Output}
	g.Nodes = append([]*nn.Node{first}, g.Nodes...)
	g.InputShape = slices.Clone(shape)
	return g
}

// classifier makes F up to its scores.
func (o Options) classifier(shape []int, classes int) *nn.Graph {
	net := o.Net
	if net == nil {
		net = DefaultNet(shape)
	}
	return Release(net(classes, o.Seed), Raw)
}

// sameInEvaluation reports whether a graph computes the same in training and in
// evaluation: it has no batch norm and no dropout.
func sameInEvaluation(g *nn.Graph) bool {
	return !slices.ContainsFunc(g.Nodes, func(n *nn.Node) bool {
		switch op := n.Op.(type) {
		case *nn.BatchNorm:
			return true
		case *nn.Dropout:
			return op.P > 0
		}
		return false
	})
}

// digitNet is paper A's net of MNIST (section 3.1) with a number of classes.
func digitNet(classes int, seed uint64) *nn.Graph {
	g := zoo.MNIST(seed)
	last := g.Nodes[len(g.Nodes)-1]
	d := last.Op.(*nn.Dense)
	if d.Out != classes {
		last.Op = &nn.Dense{In: d.In, Out: classes, Weight: param(d.Weight.Name, classes, d.In), Bias: param(d.Bias.Name, classes)}
		g.Init(seed)
	}
	return g
}

// param returns a parameter of zeros.
func param(name string, shape ...int) *nn.Param {
	return &nn.Param{Name: name, Shape: shape, Data: make([]float32, nn.Size(shape))}
}
