package onnx

import "tattle/nn"

func softmaxOperators() map[string]operator {
	return map[string]operator{
		"Hardmax":    {softmax(&nn.Hardmax{}), []string{"axis"}},
		"LogSoftmax": {softmax(&nn.LogSoftmax{}), []string{"axis"}},
		"Softmax":    {softmax(&nn.Softmax{}), []string{"axis"}},
	}
}

// softmax reads an operator over one axis; before opset 13 it is over all
// dimensions from axis on, as one.
func softmax(op nn.Op) func(*decoder, *node) error {
	return func(d *decoder, n *node) error {
		x, err := d.operand(n, 0)
		if err != nil {
			return err
		}
		absent := int64(-1)
		if d.opset < 13 {
			absent = 1
		}
		a, err := n.int("axis", absent)
		if err != nil {
			return err
		}
		rank := len(x.shape)
		if d.opset < 13 && a == int64(rank) {
			return d.whole(n, x).view(append(append([]int{}, x.shape...), 1)).then(op).end(0, x.shape)
		}
		axis, err := axisOf(a, rank)
		if err != nil {
			return err
		}
		if d.opset < 13 && axis < rank-1 {
			c := d.chain(n, x).view([]int{nn.Size(x.shape[:axis]), nn.Size(x.shape[axis:])})
			return c.then(op).end(0, x.shape)
		}
		c, shift := d.axesInner(n, x, axis)
		return c.lastAxis(axis-shift, func(c *chain) *chain { return c.then(op) }).end(0, x.shape)
	}
}
