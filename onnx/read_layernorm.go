package onnx

import (
	"fmt"
	"slices"

	"tattle/nn"
)

// layerNorm standardises over the dimensions from axis on.
func (d *decoder) layerNorm(n *node) error {
	x, axis, epsilon, err := d.normFrom(n)
	if err != nil {
		return err
	}
	op := &nn.LayerNorm{Axes: len(x.shape) - axis, Epsilon: epsilon}
	c := d.chain(n, x)
	if op.Axes > len(c.shape) {
		c = d.whole(n, x)
	}
	var after [2]*operand
	for i, p := range []**nn.Param{&op.Scale, &op.Shift} {
		k, ok, err := d.optional(n, i+1)
		if err != nil {
			return err
		}
		if !ok {
			continue
		}
		if k.value == nil || after[0] != nil {
			after[i] = &k
		} else if *p, err = d.filling(k.value, x.shape[axis:]); err != nil {
			return err
		}
	}
	c = c.then(op)
	for i, operator := range []string{"Mul", "Add"} {
		if after[i] != nil {
			c = c.combine(operator, *after[i], x.shape)
		}
	}
	return c.end(0, x.shape)
}

// normFrom reads what the norms over the last dimensions have in common.
func (d *decoder) normFrom(n *node) (x operand, axis int, epsilon float64, err error) {
	if x, err = d.operand(n, 0); err != nil {
		return
	}
	a, err := n.int("axis", -1)
	if err != nil {
		return
	}
	if axis, err = axisOf(a, len(x.shape)); err != nil {
		return
	}
	epsilon, err = n.float("epsilon", 1e-5)
	return
}

// filling returns a constant repeated so that it has the shape.
func (d *decoder) filling(v *value, to []int) (*nn.Param, error) {
	if slices.Equal(v.shape, to) {
		return d.param(v, "", nil)
	}
	if s, err := broadcast(v.shape, to); err != nil || !slices.Equal(s, to) {
		return nil, malformed("constant %q of shape %v does not broadcast to %v", v.name, v.shape, to)
	}
	if err := d.claim(nn.Size(to)); err != nil {
		return nil, err
	}
	return d.param(v, fmt.Sprint("fills ", to), func(shape []int, x []float32) ([]int, []float32, error) {
		return to, repeated(x, shape, to), nil
	})
}

// repeated broadcasts x from a shape to another.
func repeated(x []float32, from, to []int) []float32 {
	y := make([]float32, nn.Size(to))
	walk(to, [][]int{stretch(from, to)}, func(i int, at []int) { y[i] = x[at[0]] })
	return y
}
