package onnx

import (
	"math"
	"slices"

	"tattle/nn"
)

// foldConstantOfShape is ONNX ConstantOfShape-9; an empty shape is that of a scalar.
func foldConstantOfShape(c *calculation) ([]*value, error) {
	list, ok, err := c.ints(0)
	if err == nil && !ok {
		err = malformed("lacks its input 1")
	}
	if err != nil {
		return nil, err
	}
	shape, err := dims(list)
	if err != nil {
		return nil, err
	}
	fill := &value{element: typeFloat, floats: []float32{0}}
	a, given, err := c.typed("value", kindTensor)
	if err == nil && given {
		fill, err = c.d.load(&a.tensor)
	}
	if err != nil {
		return nil, err
	}
	if fill.size() != 1 {
		return nil, malformed("value has %d elements", fill.size())
	}
	out, err := c.blank(fill.element, shape)
	if err != nil {
		return nil, err
	}
	for i := range out.size() {
		out.copyFrom(i, fill, 0)
	}
	return one(out, nil)
}

// foldRange is ONNX Range-11: start + i·delta while before limit.
func foldRange(c *calculation) ([]*value, error) {
	var in [3]*value
	for i := range in {
		v, err := c.arg(i)
		if err != nil {
			return nil, err
		}
		if v.size() != 1 || v.kind == isBool || i > 0 && v.kind != in[0].kind {
			return nil, malformed("input %d is %s%v", i+1, typeName(v.element), v.shape)
		}
		in[i] = v
	}
	if in[0].kind == isFloat {
		return one(c.floatRange(in[0].element, in[0].floats[0], in[1].floats[0], in[2].floats[0]))
	}
	start, limit, delta := in[0].ints[0], in[1].ints[0], in[2].ints[0]
	var n uint64
	switch {
	case delta == 0:
		return nil, malformed("has a delta of 0")
	case delta > 0 && limit > start:
		n = (uint64(limit)-uint64(start)-1)/uint64(delta) + 1
	case delta < 0 && limit < start:
		n = (uint64(start)-uint64(limit)-1)/-uint64(delta) + 1
	}
	out, err := c.blank(in[0].element, []int{int(min(n, math.MaxInt))})
	if err != nil {
		return nil, err
	}
	for i := range out.ints {
		out.ints[i] = start + int64(i)*delta
	}
	return one(out, nil)
}

func (c *calculation) floatRange(element int64, start, limit, delta float32) (*value, error) {
	n := math.Ceil((float64(limit) - float64(start)) / float64(delta))
	if !(math.Abs(n) <= math.MaxInt32) || delta == 0 {
		return nil, malformed("from %v to %v by %v", start, limit, delta)
	}
	out, err := c.blank(element, []int{int(max(n, 0))})
	if err != nil {
		return nil, err
	}
	for i := range out.floats {
		out.floats[i] = float32(float64(start) + float64(i)*float64(delta))
	}
	return out, nil
}

// foldEyeLike is ONNX EyeLike-9.
func foldEyeLike(c *calculation) ([]*value, error) {
	v, err := c.arg(0)
	if err != nil {
		return nil, err
	}
	element, err := c.int("dtype", v.element)
	if err != nil {
		return nil, err
	}
	k, err := c.int("k", 0)
	if err != nil {
		return nil, err
	}
	if len(v.shape) != 2 {
		return nil, malformed("of %d dimensions", len(v.shape))
	}
	out, err := c.blank(element, v.shape)
	if err != nil {
		return nil, err
	}
	for row := range v.shape[0] {
		if col := int64(row) + k; col >= 0 && col < int64(v.shape[1]) {
			i := row*v.shape[1] + int(col)
			if out.kind == isFloat {
				out.floats[i] = 1
			} else {
				out.ints[i] = 1
			}
		}
	}
	return one(out, nil)
}

// foldTrilu is ONNX Trilu-14: zero below, or above, the k-th diagonal of each matrix.
func foldTrilu(c *calculation) ([]*value, error) {
	v, err := c.arg(0)
	if err != nil {
		return nil, err
	}
	upper, err := c.flag("upper", true)
	if err != nil {
		return nil, err
	}
	k, given, err := c.ints(1)
	if err != nil || given && len(k) != 1 || len(v.shape) < 2 {
		return nil, malformed("of %d dimensions, with a k of %d elements", len(v.shape), len(k))
	}
	diagonal := int64(0)
	if given {
		diagonal = min(max(k[0], -maxActivation), maxActivation)
	}
	out, err := c.blank(v.element, v.shape)
	if err != nil {
		return nil, err
	}
	rows, cols := v.shape[len(v.shape)-2], v.shape[len(v.shape)-1]
	for i := range v.size() {
		off := int64(i%cols) - int64(i/cols%rows) - diagonal
		if upper && off >= 0 || !upper && off <= 0 {
			out.copyFrom(i, v, i)
		}
	}
	return one(out, nil)
}

// foldOneHot is ONNX OneHot-11: indices out of range have no entry that is on.
func foldOneHot(c *calculation) ([]*value, error) {
	indices, err := c.arg(0)
	if err != nil {
		return nil, err
	}
	depth, err := c.arg(1)
	if err != nil {
		return nil, err
	}
	values, err := c.arg(2)
	if err != nil {
		return nil, err
	}
	at, err := c.cast(indices, typeInt64)
	if err != nil {
		return nil, err
	}
	n, err := c.cast(depth, typeInt64)
	if err != nil {
		return nil, err
	}
	if len(n.ints) != 1 || n.ints[0] < 0 || values.size() != 2 {
		return nil, malformed("has a depth of shape %v and values of %v", depth.shape, values.shape)
	}
	axis64, err := c.int("axis", -1)
	if err != nil {
		return nil, err
	}
	axis, err := axisOf(axis64, len(indices.shape)+1)
	if err != nil {
		return nil, err
	}
	size := n.ints[0]
	out, err := c.blank(values.element, slices.Insert(slices.Clone(indices.shape), axis, int(size)))
	if err != nil {
		return nil, err
	}
	inner := nn.Size(indices.shape[axis:])
	for i := range out.size() {
		j := at.ints[i/inner/int(size)*inner+i%inner]
		if j < 0 {
			j += size
		}
		on := 0
		if j == int64(i/inner%int(size)) {
			on = 1
		}
		out.copyFrom(i, values, on)
	}
	return one(out, nil)
}
