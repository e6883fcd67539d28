package onnx

import (
	"fmt"
	"slices"
	"strings"

	"tattle/internal/engine/nn"
)

// builder collects the operators of the graph that a file is read as.
type builder struct {
	graph   *nn.Graph
	inner   map[string][]int      // shapes of tensors in package nn
	made    map[string]*nn.Node   // which node computes a tensor
	derived map[derivation]string // tensors that are views of others, or hold constants
	scratch *scratch              // where operators run at once, for a node of constants
}

// derivation is a tensor and what was done to it.
type derivation struct{ tensor, done string }

// put adds an operator that computes a tensor of that shape.
func (b *builder) put(name string, op nn.Op, output string, shape []int, inputs ...string) {
	b.inner[output] = shape
	if b.scratch != nil {
		b.scratch.run(op, output, shape, inputs)
		return
	}
	n := &nn.Node{Name: name, Op: op, Inputs: inputs, Output: output}
	b.graph.Nodes = append(b.graph.Nodes, n)
	b.made[output] = n
}

// rename gives the output of the node that computes a tensor another name.
func (b *builder) rename(from, to string) {
	n := b.made[from]
	n.Output = to
	b.made[to], b.inner[to] = n, b.inner[from]
	delete(b.made, from)
}

// shapeOf returns the shape of what an operator computes from tensors.
func (b *builder) shapeOf(op nn.Op, inputs []string) []int {
	in := make([][]int, len(inputs))
	for i, tensor := range inputs {
		in[i] = b.inner[tensor]
	}
	return outputShape(op, in...)
}

// prune drops the nodes that the output does not depend on: only their shapes were
// needed. It panics if the output does not depend on the input.
func (b *builder) prune() {
	g := b.graph
	g.Nodes = g.Needed(g.Output, g.Input)
	malformedIf(g.Input == "" || !slices.ContainsFunc(g.Nodes, func(n *nn.Node) bool { return slices.Contains(n.Inputs, g.Input) }),
		"output %q does not depend on the input", g.Output)
}

// reshaped returns an input of the node in another shape: nodes that want the same share it.
func (r *nodeReader) reshaped(tensor string, shape []int) string {
	key := derivation{tensor, fmt.Sprint(shape)}
	if r.derived[key] == "" {
		r.derived[key] = r.freshTensor(tensor + "_view")
		r.put(r.fresh(tensor+"_view"), &nn.Reshape{To: shape}, r.derived[key], shape, tensor)
	}
	return r.derived[key]
}

// constantTensor returns a constant as a tensor of package nn, 1 and 0 for bools.
func (r *nodeReader) constantTensor(v *value) string {
	key := derivation{v.name, "constant"}
	if tensor, ok := r.derived[key]; ok {
		return tensor
	}
	p := r.param(asFloats(v), "constant", func(shape []int, x []float32) ([]int, []float32) { return inner(shape), x })
	r.derived[key] = r.freshTensor(v.name + "_constant")
	r.put(r.fresh(v.name+"_constant"), &nn.Constant{Value: p}, r.derived[key], p.Shape)
	return r.derived[key]
}

// view is a tensor while a node is read: an input, in its ONNX shape at batch 1, or the result of an
// operator, and a shape in which neither may be in the graph yet. The last operator of a node is added
// as its output, so that most nodes become one operator. A view may be used several times.
type view struct {
	r *nodeReader
	*result
	shape []int // not nil
}

// result is what views look at.
type result struct {
	input  bool     // of the node, to which nothing has been applied
	value  *value   // of an input that is constant
	op     nn.Op    // to be added; nil for none
	inputs []string // of op; or one name: an input's in the file, which an activation has in the graph too
	have   []int    // shape of op's output, or of the tensor in the graph
}

// name returns the name of an input of the node.
func (c *view) name() string { return c.inputs[0] }

// inner views an input in its shape in package nn.
func (c *view) inner() *view { return c.as(inner(c.shape)) }

// along views an input so that the axes of its ONNX shape that are used count from shift on: in its
// nn shape, unless axis 0 is one of them.
func (c *view) along(axes ...int) (by *view, shift int) {
	if slices.Contains(axes, 0) || len(inner(c.shape)) == len(c.shape) {
		return c, 0
	}
	return c.inner(), 1
}

// reads returns what the operator reads, or the tensor. A constant becomes a tensor.
func (c *view) reads() []string {
	if c.value != nil {
		return []string{c.r.constantTensor(c.value)}
	}
	return c.inputs
}

// as changes the shape, at no cost.
func (c *view) as(shape []int) *view {
	malformedIf(nn.Size(shape) != nn.Size(c.shape), "a tensor of shape %v cannot have shape %v", c.shape, shape)
	return &view{c.r, c.result, append([]int{}, shape...)}
}

// flush adds what is pending and returns the tensor in the shape wanted.
func (c *view) flush() string {
	if c.op != nil {
		c.inputs = []string{c.r.emitInner(c.op, c.inputs...)}
		c.op = nil
	}
	tensor := c.reads()[0]
	switch {
	case slices.Equal(c.have, c.shape):
	case c.input:
		return c.r.reshaped(tensor, c.shape)
	default:
		tensor = c.r.emitInner(&nn.Reshape{To: c.shape}, tensor)
		c.result = &result{inputs: []string{tensor}, have: c.shape}
	}
	return tensor
}

// then applies an operator to the view and others.
func (c *view) then(op nn.Op, more ...*view) *view {
	inputs, shapes := []string{c.flush()}, [][]int{c.shape}
	for _, m := range more {
		inputs, shapes = append(inputs, m.flush()), append(shapes, m.shape)
	}
	out := outputShape(op, shapes...)
	return &view{c.r, &result{op: op, inputs: inputs, have: out}, out}
}

// transpose permutes the dimensions, where that changes anything.
func (c *view) transpose(perm []int) *view {
	if slices.Equal(perm, nn.Indices(len(perm))) {
		return c
	}
	return c.then(&nn.Transpose{Perm: slices.Clone(perm)})
}

// lastAxis applies an operator with an axis moved to the end.
func (c *view) lastAxis(axis int, op nn.Op) *view {
	perm := append(slices.Delete(nn.Indices(len(c.shape)), axis, axis+1), axis)
	back := make([]int, len(perm))
	for i, p := range perm {
		back[p] = i
	}
	return c.transpose(perm).then(op).transpose(back)
}

// number applies an operator with one number as its second argument.
func (c *view) number(operator string, v float64) *view {
	return c.then(&nn.Binary{Operator: operator, Constant: scalar(v)})
}

// scalar returns a parameter of no dimensions.
func scalar(v float64) *nn.Param { return &nn.Param{Shape: []int{}, Data: []float32{float32(v)}} }

// end makes the result the node's output, of an ONNX shape.
func (c *view) end(out int, shape []int) {
	malformedIf(nn.Size(shape) != nn.Size(c.shape), "an output of shape %v cannot have shape %v", c.shape, shape)
	op := c.op
	switch {
	case op != nil:
	case slices.Equal(c.have, inner(shape)) && c.r.op != "Reshape":
		op = &nn.Identity{}
	default:
		op = &nn.Reshape{To: inner(shape)}
	}
	c.r.emit(op, out, shape, c.reads()...)
}

// names makes the names of nodes, and those of tensors, unique.
type names struct {
	given   map[string]bool // that the file gives to nodes
	nodes   map[string]bool // that nodes of the graph have
	tensors map[string]bool
	next    map[string]int // number to try next after a stem
}

// unique returns the name that the file gives to a node, or a new one where it gives none
// or another node has it.
func (s *names) unique(n *node) string {
	name := n.name
	if name == "" || s.nodes[name] {
		name = s.fresh(n.name + "_" + n.op)
	}
	s.nodes[name] = true
	return name
}

// nextOf returns the name of the next operator that a node is read as: the first has the
// name of the node, the next ones the name and _2, _3 …
func (s *names) nextOf(n *node) string {
	n.emitted++
	if n.emitted == 1 {
		return n.name
	}
	name := fmt.Sprintf("%s_%d", n.name, n.emitted)
	if s.given[name] || s.nodes[name] {
		return s.fresh(name)
	}
	s.nodes[name] = true
	return name
}

// fresh returns the stem and a number, as a name that no node has.
func (s *names) fresh(stem string) string {
	stem = strings.TrimPrefix(stem, "_")
	for {
		name := fmt.Sprintf("%s_%d", stem, s.next[stem])
		s.next[stem]++
		if !s.given[name] && !s.nodes[name] {
			s.nodes[name] = true
			return name
		}
	}
}

// freshTensor returns the stem as a new tensor's name, with a number if a tensor has it.
func (s *names) freshTensor(stem string) string {
	return unused(stem, 2, s.tensors)
}

// unused returns the stem as a name that is not taken, with a number from first on if it is, and takes it.
func unused(stem string, first int, taken map[string]bool) string {
	name := stem
	for i := first; taken[name]; i++ {
		name = fmt.Sprintf("%s_%d", stem, i)
	}
	taken[name] = true
	return name
}
