package onnx

import (
	"fmt"
	"slices"
	"strings"

	"tattle/nn"
)

// emit adds an operator that computes the node's output, of the given shape in
// ONNX at batch 1, from tensors of package nn; where the operator's own shape is
// another view of that, a Reshape follows. The first operator of a node has its
// name, the next ones the name and _2, _3 …
func (d *decoder) emit(n *node, op nn.Op, out int, shape []int, inputs ...string) error {
	got, err := d.shapeOf(op, inputs)
	if err != nil {
		return err
	}
	output, want := n.outputs[out], inner(shape)
	if err := d.bounded(output, want); err != nil {
		return err
	}
	if n, ok := sizeOf(got, d.batch*maxActivation); !ok || n != nn.Size(want) {
		return malformed("output %q has shape %v, but %v is computed", output, want, got)
	}
	d.shapes[output] = append([]int{}, shape...)
	if slices.Equal(got, want) {
		d.put(d.nodeName(n), op, output, want, inputs)
		return nil
	}
	between := d.freshTensor(output + "_flat")
	d.put(d.nodeName(n), op, between, got, inputs)
	d.put(d.nodeName(n), &nn.Reshape{To: want}, output, want, []string{between})
	return nil
}

// emitInner adds an operator that computes something on the way to the node's
// output, and returns the tensor.
func (d *decoder) emitInner(n *node, op nn.Op, inputs ...string) (tensor string, err error) {
	shape, err := d.shapeOf(op, inputs)
	if err != nil {
		return "", err
	}
	tensor = d.freshTensor(n.outputs[0] + "_" + strings.ToLower(op.Kind()))
	if err := d.bounded(tensor, shape); err != nil {
		return "", err
	}
	d.put(d.nodeName(n), op, tensor, shape, inputs)
	return tensor, nil
}

// shapeOf returns the shape in package nn of what an operator makes of tensors.
func (d *decoder) shapeOf(op nn.Op, inputs []string) ([]int, error) {
	in := make([][]int, len(inputs))
	for i, tensor := range inputs {
		in[i] = d.inners[tensor]
	}
	shape, err := op.Shape(in...)
	if err != nil {
		return nil, malformed("%v", err)
	}
	return shape, nil
}

// put adds a node to the graph.
func (d *decoder) put(name string, op nn.Op, output string, shape []int, inputs []string) {
	node := &nn.Node{Name: name, Op: op, Inputs: inputs, Output: output}
	d.graph.Nodes = append(d.graph.Nodes, node)
	d.inners[output], d.made[output], d.owner[node] = shape, node, d.at
}

// view returns an operand as a tensor of package nn of that shape, which must have
// as many elements: else the node is refused when its reader is done.
func (d *decoder) view(o operand, shape []int) string {
	tensor := o.tensor
	if o.value != nil {
		tensor = d.floatConstant(d.at, o)
	}
	if slices.Equal(d.inners[tensor], shape) {
		return tensor
	}
	if nn.Size(d.inners[tensor]) != nn.Size(shape) {
		d.refuse(malformed("%q of shape %v has no view %v", tensor, d.inners[tensor], shape))
		return tensor
	}
	key := use{tensor, fmt.Sprint(shape)}
	if seen := d.views[key]; seen != "" {
		return seen
	}
	as := d.freshTensor(tensor + "_view")
	d.put(d.fresh(tensor+"_view"), &nn.Reshape{To: slices.Clone(shape)}, as, shape, []string{tensor})
	d.views[key] = as
	return as
}

// floatConstant returns a constant as a tensor of package nn, 1 and 0 for bools.
// Where that fails the node is refused when its reader is done.
func (d *decoder) floatConstant(n *node, o operand) string {
	if tensor, ok := d.placed[o.tensor]; ok {
		return tensor
	}
	p, err := d.param(asFloats(o.value), "constant", func(shape []int, x []float32) ([]int, []float32, error) {
		return inner(shape), x, nil
	})
	if err != nil {
		d.refuse(err)
		return ""
	}
	tensor := d.freshTensor(o.tensor + "_constant")
	d.put(d.fresh(o.tensor+"_constant"), &nn.Constant{Value: p}, tensor, p.Shape, nil)
	d.placed[o.tensor] = tensor
	return tensor
}

// refuse keeps the first error that a reader's helpers could not return.
func (d *decoder) refuse(err error) {
	if d.fault == nil {
		d.fault = err
	}
}

// asFloats returns a constant as one of floats.
func asFloats(v *value) *value {
	if v.kind == isFloat {
		return v
	}
	f := *v
	f.kind, f.element, f.ints, f.folded, f.shared = isFloat, typeFloat, nil, true, false
	f.floats = make([]float32, len(v.ints))
	for i, x := range v.ints {
		f.floats[i] = float32(x)
	}
	return &f
}

// setConstant says that a node's output is a constant.
func (d *decoder) setConstant(n *node, out int, v *value) {
	v.name = n.outputs[out]
	d.constants[v.name] = v
}

// unique returns the name that the file gives to a node, or where there is none
// or another node has it, a new one.
func (d *decoder) unique(n *node) string {
	name := n.name
	if name == "" || d.names[name] {
		name = d.fresh(n.name + "_" + n.op)
	}
	d.names[name] = true
	return name
}

// nodeName returns the name of the next operator that a node is read as.
func (d *decoder) nodeName(n *node) string {
	n.emitted++
	if n.emitted == 1 {
		return n.name
	}
	name := fmt.Sprintf("%s_%d", n.name, n.emitted)
	if d.given[name] || d.names[name] {
		return d.fresh(name)
	}
	d.names[name] = true
	return name
}

// fresh returns the stem, numbered, as a name that no node has.
func (d *decoder) fresh(stem string) string {
	stem = strings.TrimPrefix(stem, "_")
	for {
		name := fmt.Sprintf("%s_%d", stem, d.numbers[stem])
		d.numbers[stem]++
		if !d.given[name] && !d.names[name] {
			d.names[name] = true
			return name
		}
	}
}

// freshTensor returns the stem, numbered where a tensor has it, as a new
// tensor's name.
func (d *decoder) freshTensor(stem string) string {
	name := stem
	for i := 2; d.taken[name]; i++ {
		name = fmt.Sprintf("%s_%d", stem, i)
	}
	d.taken[name] = true
	return name
}
