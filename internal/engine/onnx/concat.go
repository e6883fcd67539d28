package onnx

import (
	"slices"

	"tattle/internal/engine/nn"
)

// joining reads the axis of a Concat (ONNX Concat-13), its inputs and their joint shape.
func (r *nodeReader) joining() (all []operand, axis int, shape []int) {
	for i := range r.inputs {
		all = append(all, r.operand(i))
		r.mustAgree(0, i)
	}
	if len(all) == 0 {
		panic(malformedf("a Concat without inputs"))
	}
	first := all[0].shape
	if _, ok := r.attribute("axis"); !ok {
		panic(malformedf("attribute \"axis\" is missing"))
	}
	axis = r.axis(0, len(first))
	shape = slices.Clone(first)
	shape[axis] = 0
	for _, o := range all {
		ok := len(o.shape) == len(first)
		for d := 0; ok && d < len(first); d++ {
			ok = d == axis || o.shape[d] == first[d]
		}
		if !ok {
			panic(malformedf("shapes %v and %v cannot be joined along axis %d", first, o.shape, axis))
		}
		shape[axis] += o.shape[axis]
	}
	return all, axis, shape
}

// concat joins tensors, some of which may be constants.
func (r *nodeReader) concat() {
	all, axis, shape := r.joining()
	var chains []*chain
	shift := 0
	for _, o := range all {
		var c *chain
		c, shift = r.along(o, axis)
		chains = append(chains, c)
	}
	if len(chains) == 1 {
		chains[0].end(0, shape)
		return
	}
	chains[0].then(&nn.Concat{Axis: axis - shift}, chains[1:]...).end(0, shape)
}
