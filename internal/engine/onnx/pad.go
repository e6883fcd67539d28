package onnx

import (
	"slices"

	"tattle/internal/engine/nn"
)

// pad is ONNX Pad-21: it adds to the ends of dimensions, or crops where pads are negative;
// before opset 11 the pads and the value are attributes.
func (r *nodeReader) pad() {
	x, op, mode := r.operand(0), &nn.Pad{}, r.text("mode", "constant")
	list, _ := r.list("pads", 1)
	axes := nn.Indices(len(x.shape))
	if r.has(3) {
		axes = axesOf(r.ints(3), len(x.shape))
	}
	malformedIf(len(list) != 2*len(axes), "%d pads of %d axes: there must be two of each", len(list), len(axes))
	shape := slices.Clone(x.shape)
	op.Before, op.After = make([]int, len(shape)), make([]int, len(shape))
	var changed []int
	for i, a := range axes {
		before, after, size := list[i], list[i+len(axes)], int64(x.shape[a])
		malformedIf(max(before, after) > maxActivation || min(before, after) < -maxActivation || size+before+after < 0,
			"pads %v of shape %v", list, x.shape)
		op.Before[a], op.After[a] = int(before), int(after)
		shape[a] += int(before + after)
		if before != 0 || after != 0 {
			changed = append(changed, a)
		}
	}
	place := padModes[mode]
	malformedIf(place == nil && mode != "constant", "unknown mode %q", mode)
	r.mustFit(shape)
	for a, size := range x.shape {
		malformedIf(min(op.Before[a], op.After[a]) < -size, "pads %v of shape %v", list, x.shape)
	}
	c, shift := r.along(x, changed...)
	switch {
	case place != nil:
		for _, a := range changed {
			c = c.padded(a-shift, op.Before[a], shape[a], op.After[a], place)
		}
	case len(changed) > 0:
		op.Before, op.After, op.Value = op.Before[shift:], op.After[shift:], r.padding()
		c = c.then(op)
	}
	c.end(0, shape)
}

// padModes say which of n entries stands at place i of a padded dimension, whose entry 0 is the
// first.
var padModes = map[string]func(i, n int) int{
	"edge": func(i, n int) int { return min(max(i, 0), n-1) },
	"wrap": modulo,
	"reflect": func(i, n int) int {
		i = modulo(i, max(2*n-2, 1))
		return min(i, 2*n-2-i)
	},
}

// modulo returns i modulo n, not negative.
func modulo(i, n int) int { return (i%n + n) % n }

// padded adds entries to a dimension of the given size: before its first entry and after its last one. Negative
// numbers remove entries instead, and that is done first.
func (c *chain) padded(axis, before, size, after int, place func(i, n int) int) *chain {
	first := max(0, -before) // of the entries kept
	kept := c.shape[axis] - first - max(0, -after)
	malformedIf(kept == 0 && size > 0, "nothing is left of dimension %d of shape %v to pad with", axis, c.shape)
	c.r.claim(size)
	index := make([]int, size)
	for i := range index {
		index[i] = first + place(i-max(0, before), kept)
	}
	return c.then(&nn.Gather{Axis: axis, Indices: index, Dims: []int{size}})
}

// padding returns the value that constant padding adds to an activation.
func (r *nodeReader) padding() float64 {
	if r.has(2) {
		return r.oneFloat(2)
	}
	return r.limit("value", 0)
}
