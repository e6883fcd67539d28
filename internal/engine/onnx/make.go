package onnx

import (
	"encoding/binary"
	"math"
	"slices"

	"tattle/internal/engine/nn"
)

// Operators that make constants.

// constantOf is ONNX Constant-13.
func (r *nodeReader) constantOf() {
	var t tensor
	if len(r.attributes) == 0 {
		panic(malformedf("a constant without a value"))
	}
	switch a, _ := r.attribute(r.attributes[0].name); r.attributes[0].name {
	case "value":
		t = a.tensor
		malformedIf(t.kind == 0, "attribute \"value\" is a tensor without a type")
	case "value_float":
		t = tensor{kind: typeFloat, floats: binary.LittleEndian.AppendUint32(nil, a.bits)}
	case "value_floats":
		t = tensor{kind: typeFloat, floats: a.floats, dims: []int64{int64(len(a.floats) / 4)}}
	case "value_int":
		t = tensor{kind: typeInt64, ints: []int64{a.n}}
	case "value_ints":
		t = tensor{kind: typeInt64, ints: a.ints, dims: []int64{int64(len(a.ints))}}
	}
	t.name = r.outputs[0]
	r.set(r.load(&t))
}

// readShape is ONNX Shape-15: the dimensions from start to end, both clamped. At batch 1
// the shape of an activation is known.
func (r *nodeReader) readShape() {
	shape := r.operand(0).shape
	rank := int64(len(shape))
	start, end := clampIndex(r.int("start", 0), rank, 0, rank), clampIndex(r.int("end", rank), rank, 0, rank)
	shape = shape[start:max(start, end)]
	r.set(r.generated(typeInt64, []int{len(shape)}, func(i int) float64 { return float64(shape[i]) }))
}

// readSize is ONNX Size-13: the number of elements.
func (r *nodeReader) readSize() {
	r.set(r.generated(typeInt64, nil, func(int) float64 { return float64(nn.Size(r.operand(0).shape)) }))
}

// generated returns a constant of these entries.
func (c *constants) generated(element int64, shape []int, entry func(i int) float64) *value {
	out := c.blank(element, shape)
	for i := range out.floats {
		out.floats[i] = float32(entry(i))
	}
	for i := range out.ints {
		out.ints[i] = elementTypes[element].wrap(int64(entry(i)))
	}
	return out
}

// constantOfShape is ONNX ConstantOfShape-9; an empty shape is that of a scalar.
func (r *nodeReader) constantOfShape() {
	shape := sizesOfDims(r.ints(0))
	fill := &value{element: typeFloat, floats: []float32{0}}
	if a, given := r.typed("value", kindTensor); given {
		fill = r.load(&a.tensor)
	}
	malformedIf(fill.size() != 1, "attribute \"value\" has %d elements: it must have one", fill.size())
	out := r.blank(fill.element, shape)
	for i := range out.floats {
		out.floats[i] = fill.floats[0]
	}
	for i := range out.ints {
		out.ints[i] = fill.ints[0]
	}
	r.set(out)
}

// rangeOf is ONNX Range-11: start + i·delta before the limit.
func (r *nodeReader) rangeOf() {
	var x [3]float64
	first := r.constant(0)
	for i := range x {
		v := r.constant(i)
		malformedIf(v.size() != 1 || v.kind == isBool || v.kind != first.kind,
			"input %d is %s%v: it must be one number, of the same type as the others", i+1, typeName(v.element), v.shape)
		x[i] = r.scratch.widened(r.inputs[i])[0]
	}
	n := math.Ceil((x[1] - x[0]) / x[2])
	malformedIf(x[2] == 0 || !(math.Abs(n) <= maxExact), "impossible range from %v to %v by %v", x[0], x[1], x[2])
	r.set(r.generated(first.element, []int{int(max(n, 0))}, func(i int) float64 { return x[0] + float64(i)*x[2] }))
}

// eyeLike is ONNX EyeLike-9.
func (r *nodeReader) eyeLike() {
	v := r.constant(0)
	element, k := r.int("dtype", v.element), r.int("k", 0)
	malformedIf(len(v.shape) != 2, "an input of %d dimensions: it must have 2", len(v.shape))
	r.set(r.generated(element, v.shape, func(i int) float64 {
		if int64(i/v.shape[1])+k == int64(i%v.shape[1]) {
			return 1
		}
		return 0
	}))
}

// oneHot is ONNX OneHot-11; indices out of range have no entry that is on.
func (r *nodeReader) oneHot() {
	indices, depth, values := r.constant(0), r.constant(1), r.constant(2)
	at, n := r.converted(indices, typeInt64), r.converted(depth, typeInt64)
	malformedIf(len(n.ints) != 1 || n.ints[0] < 0 || values.size() != 2,
		"a depth of shape %v and values of shape %v: they must be one number and two", depth.shape, values.shape)
	axis, size := r.axis(-1, len(indices.shape)+1), n.ints[0]
	shape := slices.Insert(slices.Clone(indices.shape), axis, int(size))
	r.mustFit(shape)
	row := nn.Size(indices.shape[axis:])
	places := make([]int, nn.Size(shape)) // of what is on or off
	for i := range places {
		if j := at.ints[i/row/int(size)*row+i%row]; j == int64(i/row%int(size)) || j+size == int64(i/row%int(size)) {
			places[i] = 1
		}
	}
	r.scratch.element = values.element
	r.pick(r.operand(2), places, shape)
}

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
