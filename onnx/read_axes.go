package onnx

import (
	"slices"

	"tattle/nn"
)

// axisOf counts a negative axis from the end.
func axisOf(axis int64, rank int) (int, error) {
	if axis < -int64(rank) || axis >= int64(rank) {
		return 0, malformed("axis %d of %d dimensions", axis, rank)
	}
	if axis < 0 {
		axis += int64(rank)
	}
	return int(axis), nil
}

// axesOf counts negative axes from the end; none may be there twice.
func axesOf(axes []int64, rank int) ([]int, error) {
	if len(axes) > maxDims {
		return nil, malformed("over %d axes", len(axes))
	}
	out := make([]int, len(axes))
	for i, a := range axes {
		var err error
		if out[i], err = axisOf(a, rank); err != nil {
			return nil, err
		}
		if slices.Contains(out[:i], out[i]) {
			return nil, malformed("axis %d is there twice in %v", out[i], axes)
		}
	}
	return out, nil
}

// listed returns the integers of an attribute or, where there is an input of
// that number, of it.
func (d *decoder) list(n *node, name string, input int) (x []int64, ok bool, err error) {
	a, ok, err := n.typed(name, kindInts)
	if ok || err != nil {
		return a.ints, ok, err
	}
	if input < 0 || !n.has(input) {
		return nil, false, nil
	}
	x, err = d.constantInts(n, input)
	return x, true, err
}

// axesInner starts with an operand so that the axes of its ONNX shape that are
// used count from shift on: in its nn shape, unless axis 0 is one of them.
func (d *decoder) axesInner(n *node, o operand, axes ...int) (c *chain, shift int) {
	if slices.Contains(axes, 0) || len(o.inner()) == len(o.shape) {
		return d.whole(n, o), 0
	}
	return d.chain(n, o), 1
}

// shifted subtracts shift from the axes.
func shifted(axes []int, shift int) []int {
	out := make([]int, len(axes))
	for i, a := range axes {
		out[i] = a - shift
	}
	return out
}

// lastAxis moves an axis of the chain to the end, lets apply work there and moves
// it back.
func (c *chain) lastAxis(axis int, apply func(*chain) *chain) *chain {
	perm := make([]int, 0, len(c.shape))
	for i := range c.shape {
		if i != axis {
			perm = append(perm, i)
		}
	}
	perm = append(perm, axis)
	back := make([]int, len(perm))
	for i, p := range perm {
		back[p] = i
	}
	return apply(c.transpose(perm)).transpose(back)
}

// channels views a tensor [N, C, …] as [N·C, …] in d dimensions: what is beyond
// two is laid out as one row, what lacks is 1.
func channels(shape []int) []int {
	return []int{shape[0] * shape[1], nn.Size(shape[2:]), 1}
}

// broadcast returns the shape that ONNX's broadcasting makes of several.
func broadcast(shapes ...[]int) ([]int, error) {
	rank := 0
	for _, s := range shapes {
		rank = max(rank, len(s))
	}
	out := slices.Repeat([]int{1}, rank)
	for _, s := range shapes {
		for i, v := range s {
			o := &out[rank-len(s)+i]
			switch {
			case *o == v || v == 1:
			case *o == 1:
				*o = v
			default:
				return nil, malformed("of shapes %v, which do not broadcast", shapes)
			}
		}
	}
	return out, nil
}
