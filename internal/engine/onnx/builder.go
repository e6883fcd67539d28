package onnx

import (
	"fmt"
	"slices"

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

func newBuilder(m model) builder {
	return builder{
		graph: &nn.Graph{Name: m.graph.name, Metadata: m.metadata},
		inner: map[string][]int{}, made: map[string]*nn.Node{}, derived: map[derivation]string{},
	}
}

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
	want := map[string]bool{b.graph.Output: true}
	nodes := make([]*nn.Node, 0, len(b.graph.Nodes))
	for _, n := range slices.Backward(b.graph.Nodes) {
		if !want[n.Output] {
			continue
		}
		nodes = append(nodes, n)
		for _, in := range n.Inputs {
			want[in] = true
		}
	}
	malformedIf(b.graph.Input == "" || !want[b.graph.Input], "output %q does not depend on the input", b.graph.Output)
	slices.Reverse(nodes)
	b.graph.Nodes = nodes
}

// view returns an operand as a tensor of package nn of that shape.
func (r *nodeReader) view(o operand, shape []int) string {
	tensor := o.tensor
	if o.value != nil {
		tensor = r.constantTensor(o)
	}
	from := r.inner[tensor]
	if slices.Equal(from, shape) {
		return tensor
	}
	malformedIf(nn.Size(from) != nn.Size(shape), "tensor %q of shape %v cannot have shape %v", tensor, from, shape)
	key := derivation{tensor, fmt.Sprint(shape)}
	if r.derived[key] == "" {
		r.derived[key] = r.freshTensor(tensor + "_view")
		r.put(r.fresh(tensor+"_view"), &nn.Reshape{To: slices.Clone(shape)}, r.derived[key], shape, tensor)
	}
	return r.derived[key]
}

// constantTensor returns a constant as a tensor of package nn, 1 and 0 for bools.
func (r *nodeReader) constantTensor(o operand) string {
	key := derivation{o.tensor, "constant"}
	if tensor, ok := r.derived[key]; ok {
		return tensor
	}
	p := r.param(asFloats(o.value), "constant", func(shape []int, x []float32) ([]int, []float32) { return inner(shape), x })
	r.derived[key] = r.freshTensor(o.tensor + "_constant")
	r.put(r.fresh(o.tensor+"_constant"), &nn.Constant{Value: p}, r.derived[key], p.Shape)
	return r.derived[key]
}
