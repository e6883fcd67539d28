package onnx

import (
	"slices"

	"tattle/nn"
)

// expand broadcasts to a shape, which may itself be broadcast.
func (d *decoder) expand(n *node) error {
	x, err := d.operand(n, 0)
	if err != nil {
		return err
	}
	list, err := d.constantInts(n, 1)
	if err != nil {
		return err
	}
	to, err := sizes(list, 1)
	if err != nil {
		return err
	}
	shape, err := broadcast(x.shape, to)
	if err != nil {
		return err
	}
	if err := d.bounded(n.outputs[0], shape); err != nil {
		return err
	}
	if slices.Equal(inner(shape), x.inner()) {
		return d.chain(n, x).end(0, shape)
	}
	return d.chain(n, x).then(&nn.Expand{To: inner(shape)}).end(0, shape)
}

// sizes returns dimensions or counts that a file says; opset is of no concern.
func sizes(list []int64, low int64) ([]int, error) {
	if len(list) > maxDims {
		return nil, malformed("to %d dimensions", len(list))
	}
	out := make([]int, len(list))
	for i, v := range list {
		if v < low || v > maxActivation {
			return nil, malformed("has sizes %v", list)
		}
		out[i] = int(v)
	}
	return out, nil
}

// tile repeats along each dimension.
func (d *decoder) tile(n *node) error {
	x, err := d.operand(n, 0)
	if err != nil {
		return err
	}
	list, err := d.constantInts(n, 1)
	if err != nil {
		return err
	}
	repeats, err := sizes(list, 0)
	if err != nil {
		return err
	}
	if len(repeats) != len(x.shape) {
		return malformed("repeats %v of %d dimensions", repeats, len(x.shape))
	}
	shape := make([]int, len(repeats))
	var axes []int
	for a, r := range repeats {
		if shape[a] = r * x.shape[a]; r != 1 {
			axes = append(axes, a)
		}
	}
	if err := d.bounded(n.outputs[0], shape); err != nil {
		return err
	}
	c, shift := d.axesInner(n, x, axes...)
	if len(axes) == 0 {
		return c.end(0, shape)
	}
	return c.then(&nn.Tile{Repeats: repeats[shift:]}).end(0, shape)
}
