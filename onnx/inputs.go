package onnx

import (
	"errors"
	"fmt"
	"math/bits"
	"slices"
)

// maxActivation bounds the elements of one activation of one example: 256 MiB,
// sixteen times what the largest published image nets take.
const maxActivation = 1 << 26

// initializers reads the weights that are used.
func (d *decoder) initializers() error {
	for _, m := range d.source.initializers {
		if d.uses[m.name] == 0 {
			continue
		}
		if _, dup := d.constants[m.name]; dup {
			return malformed("tensor %q is there twice", m.name)
		}
		w := &wire{}
		d.constants[m.name] = w.tensor(m.body)
		if w.err != nil {
			return malformed("tensor %q: %v", m.name, w.err.(*FormatError).Detail)
		}
	}
	return nil
}

// input finds the one input that is no initializer, and the one output.
func (d *decoder) input() error {
	constant := make(map[string]bool, len(d.source.initializers))
	for _, m := range d.source.initializers {
		constant[m.name] = true
	}
	real := slices.DeleteFunc(d.source.inputs, func(m named) bool { return constant[m.name] })
	if len(real) == 0 || len(d.source.outputs) == 0 {
		return malformed("has %d inputs and %d outputs", len(real), len(d.source.outputs))
	}
	if len(real) > 1 {
		d.unsupported("", "", fmt.Sprintf("%d inputs", len(real)))
	}
	if len(d.source.outputs) > 1 {
		d.unsupported("", "", fmt.Sprintf("%d outputs", len(d.source.outputs)))
	}
	w := &wire{}
	v := w.value(real[0].body)
	if w.err != nil {
		return malformed("input %q: %v", real[0].name, w.err.(*FormatError).Detail)
	}
	d.graph.Input, d.graph.Output = real[0].name, d.source.outputs[0].name
	shape, err := d.inputShape(v)
	var u unsupported
	if errors.As(err, &u) {
		d.unsupported("", "", fmt.Sprintf("input %q: %v", d.graph.Input, err))
		err = nil
	}
	d.graph.InputShape = shape
	d.shapes[d.graph.Input] = shape
	return err
}

// inputShape takes the batch off the declared shape.
func (d *decoder) inputShape(v value) ([]int, error) {
	if v.element != typeFloat {
		return nil, beyond("elements of type %d, not float32", v.element)
	}
	if len(v.dims) < 2 {
		return nil, beyond("%d dimensions: want a batch and at least one more", len(v.dims))
	}
	if b := v.dims[0]; b.known && b.size > 1 {
		return nil, beyond("a batch fixed to %d: export with a dynamic batch", b.size)
	} else if b.known && b.size == 1 {
		d.fixed = true
	}
	shape := make([]int, 0, len(v.dims)-1)
	for i, x := range v.dims[1:] {
		if !x.known {
			return nil, beyond("dimension %d is not fixed: export with a fixed one", i+1)
		}
		if x.size <= 0 || x.size > maxActivation {
			return nil, malformed("input %q has dimension %d of size %d", d.graph.Input, i+1, x.size)
		}
		shape = append(shape, int(x.size))
	}
	return shape, bounded(d.graph.Input, shape)
}

func bounded(tensor string, shape []int) error {
	n := uint64(1)
	for _, s := range shape {
		high, low := bits.Mul64(n, uint64(s))
		if n = low; high != 0 || n > maxActivation {
			return malformed("activation %q has the absurd shape %v", tensor, shape)
		}
	}
	return nil
}

// needed returns the nodes on which the output depends, and counts the uses of
// every tensor among them.
func (d *decoder) needed() ([]node, error) {
	from := map[string]int{}
	for i, n := range d.source.nodes {
		for _, out := range n.outputs {
			if _, dup := from[out]; dup && out != "" {
				return nil, malformed("tensor %q is computed twice", out)
			}
			from[out] = i
		}
	}
	d.uses[d.graph.Output]++
	want := make([]bool, len(d.source.nodes))
	todo := []string{d.graph.Output}
	for len(todo) > 0 {
		i, ok := from[todo[len(todo)-1]]
		todo = todo[:len(todo)-1]
		if !ok || want[i] {
			continue
		}
		want[i] = true
		for _, in := range d.source.nodes[i].inputs {
			if in != "" {
				d.uses[in]++
				todo = append(todo, in)
			}
		}
	}
	var nodes []node
	for i, n := range d.source.nodes {
		if want[i] {
			nodes = append(nodes, n)
		}
	}
	return nodes, nil
}
