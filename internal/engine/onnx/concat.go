package onnx

import "tattle/internal/engine/nn"

// concat is ONNX Concat-13: it joins tensors. Some may be constants.
func (r *nodeReader) concat() {
	var all []operand
	var shapes [][]int
	for i := range r.inputs {
		all = append(all, r.operand(i))
		shapes = append(shapes, all[i].shape)
		r.mustAgree(0, i)
	}
	malformedIf(len(all) == 0, "a Concat without inputs")
	if _, ok := r.attribute("axis"); !ok {
		panic(malformedf("attribute \"axis\" is missing"))
	}
	axis := r.axis(0, len(shapes[0]))
	shape := outputShape(&nn.Concat{Axis: axis}, shapes...)
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
