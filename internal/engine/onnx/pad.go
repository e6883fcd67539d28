package onnx

import (
	"slices"

	"tattle/internal/engine/nn"
)

// pad is ONNX Pad-21: it adds to the ends of dimensions, or crops where pads are negative;
// before opset 11 the pads and the value are attributes.
func (r *nodeReader) pad() {
	x, op := r.operand(0), &nn.Pad{Mode: r.text("mode", "constant")}
	list, _ := r.list("pads", 1)
	axes := countUp(len(x.shape))
	if r.has(3) {
		axes = axesOf(r.ints(3), len(x.shape))
	}
	if len(list) != 2*len(axes) {
		panic(malformedf("%d pads of %d axes: there must be two of each", len(list), len(axes)))
	}
	shape := slices.Clone(x.shape)
	op.Before, op.After = make([]int, len(shape)), make([]int, len(shape))
	var changed []int
	for i, a := range axes {
		before, after, size := list[i], list[i+len(axes)], int64(x.shape[a])
		if max(before, after) > maxActivation || min(before, after) < -maxActivation || size+before+after < 0 {
			panic(malformedf("pads %v of shape %v", list, x.shape))
		}
		op.Before[a], op.After[a] = int(before), int(after)
		shape[a] += int(before + after)
		if before != 0 || after != 0 {
			changed = append(changed, a)
		}
	}
	if !slices.Contains([]string{"constant", "edge", "reflect", "wrap"}, op.Mode) {
		panic(malformedf("unknown mode %q", op.Mode))
	}
	r.mustFit(shape)
	for a, size := range x.shape {
		if min(op.Before[a], op.After[a]) < -size {
			panic(malformedf("pads %v of shape %v", list, x.shape))
		}
	}
	if op.Mode == "constant" {
		op.Mode, op.Value = "", r.padding()
	}
	c, shift := r.along(x, changed...)
	if len(changed) > 0 {
		op.Before, op.After = op.Before[shift:], op.After[shift:]
		c = c.then(op)
	}
	c.end(0, shape)
}

// padding returns the value that constant padding adds to an activation.
func (r *nodeReader) padding() float64 {
	if r.has(2) {
		return r.oneFloat(2)
	}
	return r.limit("value", 0)
}
