package onnx

import (
	"slices"

	"tattle/nn"
)

func reduceOperators() map[string]operator {
	m := map[string]operator{}
	for _, f := range []string{"L1", "L2", "LogSum", "LogSumExp", "Max", "Mean", "Min", "Prod", "Sum", "SumSquare"} {
		m["Reduce"+f] = operator{reduce(f), []string{"axes", "keepdims", "noop_with_empty_axes"}}
	}
	return m
}

// reduce reads a reduction over axes, an attribute or from opset 18 (of sums, 13)
// on an input; over all where there are none.
func reduce(function string) func(*decoder, *node) error {
	return func(d *decoder, n *node) error {
		x, err := d.operand(n, 0)
		if err != nil {
			return err
		}
		keep, err := n.flag("keepdims", true)
		if err != nil {
			return err
		}
		none, err := n.flag("noop_with_empty_axes", false)
		if err != nil {
			return err
		}
		list, _, err := d.list(n, "axes", 1)
		if err != nil {
			return err
		}
		axes, err := axesOf(list, len(x.shape))
		if err != nil {
			return err
		}
		if len(axes) == 0 && none {
			if slices.Contains([]string{"L1", "L2", "LogSum", "SumSquare"}, function) {
				return beyond("noop_with_empty_axes, of which versions of ONNX differ in what it means here")
			}
			return d.chain(n, x).end(0, x.shape)
		}
		if len(axes) == 0 {
			for a := range x.shape {
				axes = append(axes, a)
			}
		}
		slices.Sort(axes)
		return d.reduced(n, x, function, axes, keep)
	}
}

// reduced adds a reduction over sorted axes.
func (d *decoder) reduced(n *node, x operand, function string, axes []int, keep bool) error {
	var shape []int
	for a, s := range x.shape {
		switch {
		case !slices.Contains(axes, a):
			shape = append(shape, s)
		case keep:
			shape = append(shape, 1)
		}
	}
	if len(x.inner()) < len(x.shape) && len(axes) > 1 && axes[0] == 0 {
		axes = axes[1:] // of size 1
	}
	c, shift := d.axesInner(n, x, axes...)
	op := &nn.Reduce{Function: function, Axes: shifted(axes, shift), Keep: keep}
	if len(x.shape) == 0 {
		c, op.Axes = c.view([]int{1}), []int{0}
	}
	return c.then(op).end(0, shape)
}
