package onnx

import (
	"fmt"

	"tattle/nn"
)

// activation returns the node's input i and its shape, nil where unknown.
func (d *decoder) activation(n *node, i int) (name string, shape []int, err error) {
	if i >= len(n.inputs) || n.inputs[i] == "" {
		return "", nil, malformed("lacks its input %d", i+1)
	}
	name = n.inputs[i]
	if _, ok := d.constants[name]; ok {
		return "", nil, beyond("input %q is constant", name)
	}
	return name, d.shapes[name], nil
}

// has reports whether the node has an input i.
func (n *node) has(i int) bool { return i < len(n.inputs) && n.inputs[i] != "" }

// constant returns the node's input i, which must be a constant.
func (d *decoder) constant(n *node, i int) (tensor, error) {
	if !n.has(i) {
		return tensor{}, malformed("lacks its input %d", i+1)
	}
	t, ok := d.constants[n.inputs[i]]
	if !ok {
		return t, beyond("input %q is computed, not constant", n.inputs[i])
	}
	return t, nil
}

// use is a tensor and what was done to it.
type use struct{ tensor, done string }

// param returns the learned tensor made of a constant. Nodes that do the same
// to the same constant share it.
func (d *decoder) param(t tensor, done string, make func(shape []int, x []float32) ([]int, []float32, error)) (*nn.Param, error) {
	key := use{t.name, done}
	if p := d.params[key]; p != nil {
		return p, nil
	}
	shape, x, err := t.floatValues()
	if err == nil && make != nil {
		shape, x, err = make(shape, x)
	}
	if err != nil {
		return nil, err
	}
	if d.room -= 4 * len(x); d.room < 0 {
		return nil, malformed("the parameters take more than %d times the memory of the file", maxGrowth)
	}
	p := &nn.Param{Name: t.name, Shape: shape, Data: x}
	d.params[key] = p
	return p, nil
}

// weight is a param as the file has it.
func (d *decoder) weight(n *node, i int) (*nn.Param, error) {
	t, err := d.constant(n, i)
	if err != nil {
		return nil, err
	}
	return d.param(t, "", nil)
}

// statistic is a weight that the node has to itself. Exporters keep equal
// tensors once; training must not move a parameter with the running mean.
func (d *decoder) statistic(n *node, i int) (*nn.Param, error) {
	t, err := d.constant(n, i)
	if err != nil {
		return nil, err
	}
	return d.param(t, fmt.Sprint("statistic ", i, " of ", n.name), nil)
}
