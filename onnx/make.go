package onnx

import (
	"encoding/binary"
	"math"
	"slices"

	"tattle/nn"
)

// Operators that make constants.

// foldConstant is ONNX Constant-13.
func (r *nodeReader) foldConstant() {
	var t tensor
	switch a, name := r.oneOf("value", "value_float", "value_floats", "value_int", "value_ints"); name {
	case "value":
		if t = a.tensor; t.kind == 0 {
			panic(malformedf("attribute %q is a tensor without a type", name))
		}
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

// oneOf returns the first of these attributes that the node has.
func (n *node) oneOf(names ...string) (attribute, string) {
	for _, name := range names {
		if a, ok := n.attribute(name); ok {
			return a, name
		}
	}
	panic(malformedf("a constant without a value"))
}

// readShape is ONNX Shape-15: the dimensions from start to end, both clamped. At batch 1
// the shape of an activation is known.
func (r *nodeReader) readShape() {
	shape := r.operand(0).shape
	rank := int64(len(shape))
	start, end := clampIndex(r.int("start", 0), rank), clampIndex(r.int("end", rank), rank)
	shape = shape[start:max(start, end)]
	v := r.blank(typeInt64, []int{len(shape)})
	for i, s := range shape {
		v.ints[i] = int64(s)
	}
	r.set(v)
}

// readSize is ONNX Size-13: the number of elements.
func (r *nodeReader) readSize() {
	v := r.blank(typeInt64, nil)
	v.ints[0] = int64(nn.Size(r.operand(0).shape))
	r.set(v)
}

// foldConstantOfShape is ONNX ConstantOfShape-9; an empty shape is that of a scalar.
func (r *nodeReader) foldConstantOfShape() {
	shape := sizesOfDims(r.ints(0))
	fill := &value{element: typeFloat, floats: []float32{0}}
	if a, given := r.typed("value", kindTensor); given {
		fill = r.load(&a.tensor)
	}
	if fill.size() != 1 {
		panic(malformedf("attribute \"value\" has %d elements: it must have one", fill.size()))
	}
	out := r.blank(fill.element, shape)
	for i := range out.size() {
		out.copyFrom(i, fill, 0)
	}
	r.set(out)
}

// foldRange is ONNX Range-11: start + i·delta before the limit.
func (r *nodeReader) foldRange() {
	var in [3]*value
	for i := range in {
		v := r.constant(i)
		if in[i] = v; v.size() != 1 || v.kind == isBool || v.kind != in[0].kind {
			panic(malformedf("input %d is %s%v: it must be one number, of the same type as the others", i+1, typeName(v.element), v.shape))
		}
	}
	element := in[0].element
	if in[0].kind == isFloat {
		start, limit, delta := in[0].floats[0], in[1].floats[0], in[2].floats[0]
		n := math.Ceil((float64(limit) - float64(start)) / float64(delta))
		if !(math.Abs(n) <= math.MaxInt32) || delta == 0 {
			panic(malformedf("impossible range from %v to %v by %v", start, limit, delta))
		}
		out := r.blank(element, []int{int(max(n, 0))})
		for i := range out.floats {
			out.floats[i] = float32(float64(start) + float64(i)*float64(delta))
		}
		r.set(out)
		return
	}
	start, limit, delta := in[0].ints[0], in[1].ints[0], in[2].ints[0]
	var n uint64
	switch {
	case delta == 0:
		panic(malformedf("a delta of 0"))
	case delta > 0 && limit > start:
		n = (uint64(limit)-uint64(start)-1)/uint64(delta) + 1
	case delta < 0 && limit < start:
		n = (uint64(start)-uint64(limit)-1)/-uint64(delta) + 1
	}
	out := r.blank(element, []int{int(min(n, math.MaxInt))})
	for i := range out.ints {
		out.ints[i] = start + int64(i)*delta
	}
	r.set(out)
}

// foldEyeLike is ONNX EyeLike-9.
func (r *nodeReader) foldEyeLike() {
	v := r.constant(0)
	element, k := r.int("dtype", v.element), r.int("k", 0)
	if len(v.shape) != 2 {
		panic(malformedf("an input of %d dimensions: it must have 2", len(v.shape)))
	}
	out := r.blank(element, v.shape)
	one := &value{floats: []float32{1}, ints: []int64{1}}
	for row := range v.shape[0] {
		if col := int64(row) + k; col >= 0 && col < int64(v.shape[1]) {
			out.copyFrom(row*v.shape[1]+int(col), one, 0)
		}
	}
	r.set(out)
}

// foldOneHot is ONNX OneHot-11; indices out of range have no entry that is on.
func (r *nodeReader) foldOneHot() {
	indices, depth, values := r.constant(0), r.constant(1), r.constant(2)
	at, n := r.converted(indices, typeInt64), r.converted(depth, typeInt64)
	if len(n.ints) != 1 || n.ints[0] < 0 || values.size() != 2 {
		panic(malformedf("a depth of shape %v and values of shape %v: they must be one number and two", depth.shape, values.shape))
	}
	axis, size := r.axis(-1, len(indices.shape)+1), n.ints[0]
	out := r.blank(values.element, slices.Insert(slices.Clone(indices.shape), axis, int(size)))
	row := nn.Size(indices.shape[axis:])
	for i := range out.size() {
		j := at.ints[i/row/int(size)*row+i%row]
		if j < 0 {
			j += size
		}
		on := 0
		if j == int64(i/row%int(size)) {
			on = 1
		}
		out.copyFrom(i, values, on)
	}
	r.set(out)
}
