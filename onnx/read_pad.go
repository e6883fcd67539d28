package onnx

import (
	"slices"

	"tattle/nn"
)

// pad adds to the ends of dimensions, or crops where it is negative; pads are an
// attribute before opset 11 and an input from there on.
func (d *decoder) pad(n *node) error {
	x, err := d.operand(n, 0)
	if err != nil {
		return err
	}
	op, err := d.padValue(n)
	if err != nil {
		return err
	}
	pads, axes, err := d.padded(n, x)
	if err != nil {
		return err
	}
	shape := slices.Clone(x.shape)
	op.Before, op.After = make([]int, len(shape)), make([]int, len(shape))
	var changed []int
	for i, a := range axes {
		before, after := pads[i], pads[i+len(axes)]
		if max(before, after) > maxActivation || min(before, after) < -int64(x.shape[a]) || int64(x.shape[a])+before+after < 0 {
			return malformed("pads %v of shape %v", pads, x.shape)
		}
		op.Before[a], op.After[a] = int(before), int(after)
		shape[a] += int(before + after)
		if before != 0 || after != 0 {
			changed = append(changed, a)
		}
	}
	if err := d.bounded(n.outputs[0], shape); err != nil {
		return err
	}
	c, shift := d.axesInner(n, x, changed...)
	if len(changed) == 0 {
		return c.end(0, shape)
	}
	op.Before, op.After = op.Before[shift:], op.After[shift:]
	return c.then(op).end(0, shape)
}

// padded reads what is added before each of the axes and then after each.
func (d *decoder) padded(n *node, x operand) (pads []int64, axes []int, err error) {
	pads, given, err := d.list(n, "pads", 1)
	if err != nil {
		return nil, nil, err
	}
	for a := range x.shape {
		axes = append(axes, a)
	}
	if n.has(3) {
		list, err := d.constantInts(n, 3)
		if err != nil {
			return nil, nil, err
		}
		if axes, err = axesOf(list, len(x.shape)); err != nil {
			return nil, nil, err
		}
	}
	if !given || len(pads) != 2*len(axes) {
		return nil, nil, malformed("pads %v for %d axes", pads, len(axes))
	}
	return pads, axes, nil
}

// padValue reads how padding is filled.
func (d *decoder) padValue(n *node) (*nn.Pad, error) {
	mode, err := n.text("mode", "constant")
	if err != nil {
		return nil, err
	}
	value, err := n.limit("value", 0)
	if err != nil {
		return nil, err
	}
	if n.has(2) {
		v, err := d.constantFloats(n, 2)
		if err != nil {
			return nil, err
		}
		if len(v.floats) != 1 {
			return nil, malformed("constant_value has %d values", len(v.floats))
		}
		if err := v.numbers(); err != nil {
			return nil, err
		}
		value = shortest(v.floats[0])
	}
	switch mode {
	case "constant":
		return &nn.Pad{Value: value}, nil
	case "reflect", "edge", "wrap":
		return &nn.Pad{Mode: mode}, nil
	}
	return nil, malformed("mode is %q", mode)
}
