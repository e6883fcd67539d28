package onnx

// dequantize is ONNX DequantizeLinear-13 of a constant: (x − zero point)·scale, with one scale, or
// one for each index of an axis.
func (r *nodeReader) dequantize() {
	x, scale := r.constant(0), r.constant(1)
	malformedIf(x.kind != isInt || scale.kind != isFloat,
		"inputs of types %s and %s: they must be integers and floats", typeName(x.element), typeName(scale.element))
	every, count := 1, scale.size() // elements of x to the next scale
	if count != 1 {
		axis := r.axis(1, len(x.shape))
		unsupportedIf(len(scale.shape) != 1 || count != x.shape[axis],
			"scales of shape %v for %v: there must be one, or one for each index of axis %d", scale.shape, x.shape, axis)
		for _, n := range x.shape[axis+1:] {
			every *= n
		}
	}
	zero := make([]int64, count)
	if r.has(2) {
		if zero = r.ints(2); len(zero) != count {
			panic(malformedf("%d zero points for %d scales", len(zero), count))
		}
	}
	out := r.generated(typeFloat, x.shape, func(i int) float64 {
		k := i / every % count
		return float64(float32(x.ints[i]-zero[k])) * float64(scale.floats[k])
	})
	out.folded = x.folded // as a weight: it has no more elements than the file
	r.set(out)
}
