package nn

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// A Graph is a net as data: operators in topological order, joined by named
// tensors. Built-in architectures and decoded ONNX files are the same Graph, so
// one engine runs all. It holds the parameters but no activations; NewNet makes
// an executable model of it.
type Graph struct {
	Name       string
	Input      string // name of the input tensor
	InputShape []int  // of one example, without the batch: [channels, height, width] or [p]
	Output     string // name of the output tensor
	Nodes      []*Node
	Metadata   map[string]string // kept in the ONNX file's metadata_props
	Classes    []string          // whose scores the output has; nil if the file does not name them
	Columns    []Column          // of which the input is a row, where the model is one of tables; nil otherwise
	Words      []string          // the texts that the numbers from 0 on stand for in columns and outputs of text
}

// A Column is a part of the input of a model of tables: values of one name, in the order of
// the input. Text is given as its number in Graph.Words, and −1 if it is not there.
type Column struct {
	Name  string
	Width int
	Type  string // one of ColumnNumber, ColumnInteger and ColumnText
}

// Types of a Column.
const (
	ColumnNumber  = "number"
	ColumnInteger = "integer" // float32 holds those up to 2²⁴ exactly
	ColumnText    = "text"
)

// A Node applies one operator to tensors that are the graph's input or the
// outputs of earlier nodes.
type Node struct {
	Name   string // unique in the graph
	Op     Op
	Inputs []string
	Output string
}

// Params returns the learned tensors of the node's operator, nil for none.
func (n *Node) Params() []*Param { return paramsOf(n.Op) }

// InputShapes returns the shapes of the node's inputs, given those of all tensors.
func (n *Node) InputShapes(shapes map[string][]int) [][]int {
	in := make([][]int, len(n.Inputs))
	for i, name := range n.Inputs {
		in[i] = shapes[name]
	}
	return in
}

// Param is a learned tensor, row-major. Code that changes Data must call Changed, so that
// packed and widened copies are made again.
type Param struct {
	Name  string
	Shape []int
	Data  []float32
	Grad  []float32 // as long as Data while training, nil otherwise

	version uint64
	copies  copies
	from    *derivation // of a parameter that follows from others
}

// Changed must be called after Data has new values. No net with this parameter may run
// meanwhile.
func (p *Param) Changed() { p.version++ }

// Size returns the product of the dimensions: 1 for none.
func Size(shape []int) int {
	n := 1
	for _, d := range shape {
		n *= d
	}
	return n
}

// SizeWithin returns the product of the sizes; ok is false if one is negative, or the product is above the limit.
func SizeWithin(shape []int, limit int) (n int, ok bool) {
	if slices.Contains(shape, 0) {
		return 0, true
	}
	n = 1
	for _, s := range shape {
		if s < 0 || n > limit/s {
			return 0, false
		}
		n *= s
	}
	return n, n <= limit
}

// ShapeString returns a shape as 3×224×224, and 1 for that of a single number.
func ShapeString(shape []int) string {
	if len(shape) == 0 {
		return "1"
	}
	words := make([]string, len(shape))
	for i, d := range shape {
		words[i] = strconv.Itoa(d)
	}
	return strings.Join(words, "×")
}

// Node returns the node of that name, or else the node whose output is the
// tensor of that name, or nil.
func (g *Graph) Node(name string) *Node {
	for _, n := range g.Nodes {
		if n.Name == name {
			return n
		}
	}
	for _, n := range g.Nodes {
		if n.Output == name {
			return n
		}
	}
	return nil
}

// Shapes returns the shape of every tensor for one example, without the batch.
// Dimensions of the input and of the output are positive; those in between may be
// 0. It returns an error if an operator does not fit its inputs, if two nodes have one
// name or one output, and if the input of a node is not computed before it, naming the node.
func (g *Graph) Shapes() (map[string][]int, error) {
	if err := g.checkNames(); err != nil {
		return nil, err
	}
	shapes := map[string][]int{g.Input: g.InputShape}
	if err := positive(g.InputShape); err != nil {
		return nil, fmt.Errorf("input %q: %w", g.Input, err)
	}
	for _, n := range g.Nodes {
		out, err := g.shapeOf(n, shapes)
		if err != nil {
			return nil, fmt.Errorf("node %q (%s): %w", n.Name, n.Op.Kind(), err)
		}
		shapes[n.Output] = out
	}
	out, ok := shapes[g.Output]
	if !ok {
		return nil, fmt.Errorf("output tensor %q is not produced by any node", g.Output)
	}
	if err := positive(out); err != nil {
		return nil, fmt.Errorf("output %q: %w", g.Output, err)
	}
	return shapes, nil
}

func positive(shape []int) error {
	for _, d := range shape {
		if d <= 0 {
			return fmt.Errorf("dimension %d of %v is not positive", d, shape)
		}
	}
	return nil
}

// checkNames returns an error if two nodes have the same name or operators are missing.
func (g *Graph) checkNames() error {
	seen := make(map[string]bool, len(g.Nodes))
	for i, n := range g.Nodes {
		switch {
		case n == nil || n.Op == nil:
			return fmt.Errorf("node %d has no operator", i)
		case seen[n.Name]:
			return fmt.Errorf("node %q: the name is that of another node too", n.Name)
		}
		seen[n.Name] = true
	}
	return nil
}

// shapeOf returns the shape of a node's output.
func (g *Graph) shapeOf(n *Node, shapes map[string][]int) ([]int, error) {
	for _, name := range n.Inputs {
		if _, ok := shapes[name]; !ok {
			return nil, fmt.Errorf("input tensor %q is not defined: no node before this one computes it", name)
		}
	}
	out, err := n.Op.Shape(n.InputShapes(shapes)...)
	if err != nil {
		return nil, err
	}
	if _, dup := shapes[n.Output]; dup {
		return nil, fmt.Errorf("tensor %q is defined twice", n.Output)
	}
	for _, d := range out {
		if d < 0 {
			return nil, fmt.Errorf("output has shape %v", out)
		}
	}
	return out, nil
}

// Params returns every parameter, in node order.
func (g *Graph) Params() []*Param {
	var ps []*Param
	for _, n := range g.Nodes {
		ps = append(ps, n.Params()...)
	}
	return ps
}

// State returns every parameter, and the running moments of batch norms.
func (g *Graph) State() []*Param {
	all := g.Params()
	for _, n := range g.Nodes {
		if b, ok := n.Op.(*BatchNorm); ok {
			all = append(all, b.Mean, b.Variance)
		}
	}
	return all
}

// ParamCount returns the number of values in all parameters.
func (g *Graph) ParamCount() (n int) {
	for _, p := range g.Params() {
		n += len(p.Data)
	}
	return n
}

// FeatureNode names the node whose output enters the last affine layer or convolution: what
// paper A calls the features. It returns an error if the graph has neither or
// if that layer reads the input itself.
func (g *Graph) FeatureNode() (string, error) {
	for _, n := range slices.Backward(g.Needed(g.Output, g.Input)) {
		switch n.Op.(type) {
		case *Dense, *Conv2D:
		default:
			continue
		}
		if from := g.Node(n.Inputs[0]); from != nil {
			return from.Name, nil
		}
		return "", fmt.Errorf("the last layer with weights, %q, reads the input itself: there are no features before it", n.Name)
	}
	return "", fmt.Errorf("no affine layer and no convolution to take features from: name a node")
}

// Cut splits the graph at a node (or the tensor of that name): front maps the
// input to that node's output, head maps that output to the graph's output.
// They share their parameters with g. It returns an error if the name is unknown, with
// similar names, and if the head would need anything but the features.
func (g *Graph) Cut(name string) (front, head *Graph, err error) {
	at := g.Node(name)
	if at == nil {
		return nil, nil, fmt.Errorf("no node %q%s", name, g.similar(name))
	}
	shapes, err := g.Shapes()
	if err != nil {
		return nil, nil, err
	}
	front = &Graph{Name: g.Name, Input: g.Input, InputShape: g.InputShape, Output: at.Output}
	front.Nodes = g.Needed(at.Output, g.Input)
	head = &Graph{Name: g.Name, Input: at.Output, InputShape: shapes[at.Output], Output: g.Output}
	head.Nodes = g.Needed(g.Output, at.Output)
	for _, n := range head.Nodes {
		if slices.Contains(n.Inputs, g.Input) {
			return nil, nil, fmt.Errorf("node %q is not a cut: the output also needs the input through %q", at.Name, n.Name)
		}
	}
	return front, head, nil
}

// Needed returns the nodes on which tensor depends, stopping at the tensor from.
func (g *Graph) Needed(tensor, from string) []*Node {
	want := map[string]bool{tensor: true}
	var nodes []*Node
	for _, n := range slices.Backward(g.Nodes) {
		if n.Output == from || !want[n.Output] {
			continue
		}
		nodes = append(nodes, n)
		for _, in := range n.Inputs {
			want[in] = true
		}
	}
	slices.Reverse(nodes)
	return nodes
}
