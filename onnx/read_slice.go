package onnx

import (
	"slices"

	"tattle/nn"
)

func sliceOperators() map[string]operator {
	return map[string]operator{
		"Concat": {(*decoder).concat, []string{"axis"}},
		"Pad":    {(*decoder).pad, []string{"mode", "pads", "value"}},
		"Slice":  {(*decoder).slice, []string{"axes", "ends", "starts"}},
		"Split":  {(*decoder).split, []string{"axis", "num_outputs", "split"}},
	}
}

// concat joins tensors, constants among them, along an axis.
func (d *decoder) concat(n *node) error {
	var all []operand
	if len(n.inputs) == 0 {
		return malformed("has no inputs")
	}
	for i := range n.inputs {
		o, err := d.operand(n, i)
		if err != nil {
			return err
		}
		all = append(all, o)
	}
	a, err := n.int("axis", 0)
	if err != nil {
		return err
	}
	rank := len(all[0].shape)
	axis, err := axisOf(a, rank)
	if err != nil {
		return err
	}
	shape := slices.Clone(all[0].shape)
	shape[axis] = 0
	var chains []*chain
	shift := 0
	for _, o := range all {
		if len(o.shape) != rank {
			return malformed("of %d and %d dimensions", rank, len(o.shape))
		}
		for i, s := range o.shape {
			if i != axis && s != shape[i] {
				return malformed("of shapes %v and %v along axis %d", all[0].shape, o.shape, axis)
			}
		}
		shape[axis] += o.shape[axis]
		var c *chain
		c, shift = d.axesInner(n, o, axis)
		chains = append(chains, c)
	}
	if len(chains) == 1 {
		return chains[0].end(0, shape)
	}
	return chains[0].then(&nn.Concat{Axis: axis - shift}, chains[1:]...).end(0, shape)
}

// slice reads starts and ends, attributes before opset 10 and inputs from there
// on.
func (d *decoder) slice(n *node) error {
	x, err := d.operand(n, 0)
	if err != nil {
		return err
	}
	var lists [4][]int64
	var given [4]bool
	for i, name := range []string{"starts", "ends", "axes", "steps"} {
		if lists[i], given[i], err = d.list(n, name, i+1); err != nil {
			return err
		}
	}
	starts, ends, steps := lists[0], lists[1], lists[3]
	if !given[0] || !given[1] {
		return malformed("lacks its starts or ends")
	}
	if !given[2] {
		for i := range starts {
			lists[2] = append(lists[2], int64(i))
		}
	}
	if !given[3] {
		steps = slices.Repeat([]int64{1}, len(starts))
	}
	axes, err := axesOf(lists[2], len(x.shape))
	if err != nil {
		return err
	}
	if len(starts) != len(axes) || len(ends) != len(axes) || len(steps) != len(axes) {
		return malformed("starts %v, ends %v, axes %v and steps %v are not as many", starts, ends, axes, steps)
	}
	cut := uncut(x.shape)
	for i, a := range axes {
		if err := cut.along(a, starts[i], ends[i], steps[i], x.shape[a]); err != nil {
			return err
		}
	}
	return d.cut(n, x, cut, 0)
}

// cutting is what a slice takes of each dimension.
type cutting struct{ starts, steps, counts []int }

func uncut(shape []int) cutting {
	return cutting{make([]int, len(shape)), slices.Repeat([]int{1}, len(shape)), slices.Clone(shape)}
}

// along takes start, start+step … up to end, not included, of size entries.
func (c *cutting) along(axis int, start, end, step int64, size int) error {
	k, err := slicing(int64(size), start, end, step)
	if err != nil {
		return err
	}
	c.starts[axis], c.steps[axis], c.counts[axis] = int(k.start), 1, int(k.count)
	if k.count > 1 {
		c.steps[axis] = int(k.step)
	}
	return nil
}

// cut adds a slice for one output.
func (d *decoder) cut(n *node, x operand, k cutting, out int) error {
	if slices.Equal(k.counts, x.shape) && !slices.ContainsFunc(k.steps, func(s int) bool { return s < 0 }) {
		return d.chain(n, x).end(out, x.shape)
	}
	if len(x.shape) > 0 && x.shape[0] == 1 && k.counts[0] == 1 {
		op := &nn.Slice{Starts: k.starts[1:], Steps: k.steps[1:], Counts: k.counts[1:]}
		return d.chain(n, x).then(op).end(out, k.counts)
	}
	return d.whole(n, x).then(&nn.Slice{Starts: k.starts, Steps: k.steps, Counts: k.counts}).end(out, k.counts)
}

// split cuts a tensor into one piece an output: of sizes that it says, or equal
// ones, of which the last may be smaller from opset 18 on.
func (d *decoder) split(n *node) error {
	x, err := d.operand(n, 0)
	if err != nil {
		return err
	}
	a, err := n.int("axis", 0)
	if err != nil {
		return err
	}
	axis, err := axisOf(a, len(x.shape))
	if err != nil {
		return err
	}
	list, given, err := d.list(n, "split", 1)
	if err != nil {
		return err
	}
	size, count := x.shape[axis], len(n.outputs)
	if !given {
		if list, err = d.pieces(n, size, count); err != nil {
			return err
		}
	}
	var sum int64
	for _, v := range list {
		if v < 0 || v > int64(size) {
			return malformed("into sizes %v", list)
		}
		sum += v
	}
	if len(list) != count || sum != int64(size) {
		return malformed("of %d into sizes %v for %d outputs", size, list, count)
	}
	start := 0
	for out, v := range list {
		k := uncut(x.shape)
		k.starts[axis], k.counts[axis] = start, int(v)
		start += int(v)
		if n.outputs[out] == "" || d.uses[n.outputs[out]] == 0 {
			continue
		}
		if err := d.cut(n, x, k, out); err != nil {
			return err
		}
	}
	return nil
}

// pieces returns the sizes of equal pieces.
func (d *decoder) pieces(n *node, size, count int) ([]int64, error) {
	parts, err := n.int("num_outputs", int64(count))
	if err != nil {
		return nil, err
	}
	if parts != int64(count) || size%count != 0 && d.opset < 18 {
		return nil, malformed("of %d into %d pieces for %d outputs", size, parts, count)
	}
	each := (size + count - 1) / count
	list := slices.Repeat([]int64{int64(each)}, count)
	list[count-1] = int64(size - each*(count-1))
	return list, nil
}
