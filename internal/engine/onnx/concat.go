package onnx

import "tattle/internal/engine/nn"

// concat is ONNX Concat-13: it joins tensors. Some may be constants.
func (r *nodeReader) concat() {
	all, shapes := r.operands()
	_, ok := r.attribute("axis")
	malformedIf(!ok, "attribute \"axis\" is missing")
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
