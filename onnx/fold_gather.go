package onnx

import (
	"slices"

	"tattle/nn"
)

// indexed returns the data and indices of a node, of integers.
func (c *calculation) indexed() (v, indices *value, err error) {
	if v, err = c.arg(0); err != nil {
		return nil, nil, err
	}
	if indices, err = c.arg(1); err != nil {
		return nil, nil, err
	}
	if indices.kind != isInt {
		return nil, nil, malformed("indices are of %s", typeName(indices.element))
	}
	return v, indices, nil
}

// axisOf returns the attribute axis as one of the data.
func (c *calculation) axisOf(v *value, absent int64) (int, error) {
	axis, err := c.int("axis", absent)
	if err != nil {
		return 0, err
	}
	return axisOf(axis, len(v.shape))
}

// foldGather is ONNX Gather-13.
func foldGather(c *calculation) ([]*value, error) {
	v, indices, err := c.indexed()
	if err != nil {
		return nil, err
	}
	axis, err := c.axisOf(v, 0)
	if err != nil {
		return nil, err
	}
	size := v.shape[axis]
	out, err := c.blank(v.element, slices.Concat(v.shape[:axis], indices.shape, v.shape[axis+1:]))
	if err != nil {
		return nil, err
	}
	inner, i := nn.Size(v.shape[axis+1:]), 0
	if inner == 0 {
		return one(out, nil)
	}
	for o := range nn.Size(v.shape[:axis]) {
		for _, index := range indices.ints {
			j, err := indexIn(index, size)
			if err != nil {
				return nil, err
			}
			for k := range inner {
				out.copyFrom(i, v, (o*size+j)*inner+k)
				i++
			}
		}
	}
	return one(out, nil)
}

// foldGatherElements is ONNX GatherElements-13.
func foldGatherElements(c *calculation) ([]*value, error) {
	v, indices, err := c.indexed()
	if err != nil {
		return nil, err
	}
	axis, err := c.axisOf(v, 0)
	if err != nil {
		return nil, err
	}
	layout, err := elementsLayout(v.shape, indices.shape, axis)
	if err != nil {
		return nil, err
	}
	out, err := c.blank(v.element, indices.shape)
	if err != nil {
		return nil, err
	}
	by := steps(v.shape)[axis]
	walk(indices.shape, [][]int{layout}, func(i int, at []int) {
		j, e := indexIn(indices.ints[i], v.shape[axis])
		if e != nil {
			err = e
			return
		}
		out.copyFrom(i, v, at[0]+j*by)
	})
	return one(out, err)
}

// elementsLayout is where indices lie in the data but along the axis.
func elementsLayout(data, indices []int, axis int) ([]int, error) {
	if len(data) != len(indices) {
		return nil, malformed("indices of shape %v into %v", indices, data)
	}
	layout := steps(data)
	layout[axis] = 0
	for d, n := range indices {
		if d != axis && n > data[d] {
			return nil, malformed("indices of shape %v into %v", indices, data)
		}
	}
	return layout, nil
}

// foldGatherND is ONNX GatherND-13.
func foldGatherND(c *calculation) ([]*value, error) {
	v, indices, err := c.indexed()
	if err != nil {
		return nil, err
	}
	batch64, err := c.int("batch_dims", 0)
	if err != nil {
		return nil, err
	}
	last := len(indices.shape) - 1
	if last < 0 || batch64 < 0 || batch64 > int64(min(last, len(v.shape))) {
		return nil, malformed("%d batch dimensions of indices %v into %v", batch64, indices.shape, v.shape)
	}
	batch, depth := int(batch64), indices.shape[last]
	if depth > len(v.shape)-batch || !slices.Equal(v.shape[:batch], indices.shape[:batch]) {
		return nil, malformed("indices of shape %v into %v", indices.shape, v.shape)
	}
	rest := v.shape[batch+depth:]
	out, err := c.blank(v.element, slices.Concat(indices.shape[:last], rest))
	if err != nil {
		return nil, err
	}
	own, slice := steps(v.shape), nn.Size(rest)
	if out.size() == 0 {
		return one(out, nil)
	}
	each := nn.Size(indices.shape[batch:last])
	for i := range nn.Size(indices.shape[:last]) {
		from := i / each * nn.Size(v.shape[batch:])
		for k := range depth {
			j, err := indexIn(indices.ints[i*depth+k], v.shape[batch+k])
			if err != nil {
				return nil, err
			}
			from += j * own[batch+k]
		}
		for k := range slice {
			out.copyFrom(i*slice+k, v, from+k)
		}
	}
	return one(out, nil)
}

// scattered returns a copy of the data to scatter updates into, the updates, and
// how one goes into what is there.
func (c *calculation) scattered(v *value) (out, updates *value, put func(i, j int), err error) {
	if updates, err = c.arg(2); err != nil {
		return nil, nil, nil, err
	}
	if updates.kind != v.kind {
		return nil, nil, nil, malformed("updates of %s into %s", typeName(updates.element), typeName(v.element))
	}
	mode, err := c.text("reduction", "none")
	if err != nil {
		return nil, nil, nil, err
	}
	if out, err = c.blank(v.element, v.shape); err != nil {
		return nil, nil, nil, err
	}
	copy(out.floats, v.floats)
	copy(out.ints, v.ints)
	if mode == "none" {
		return out, updates, func(i, j int) { out.copyFrom(i, updates, j) }, nil
	}
	how, ok := binaryFolds[map[string]string{"add": "Add", "mul": "Mul", "min": "Min", "max": "Max"}[mode]]
	if !ok {
		return nil, nil, nil, malformed("reduction is %q", mode)
	}
	return out, updates, func(i, j int) {
		if v.kind == isFloat {
			out.floats[i] = float32(how.floats(float64(out.floats[i]), float64(updates.floats[j])))
			return
		}
		x, _ := how.ints(out.ints[i], updates.ints[j])
		out.ints[i] = wrap(x, v.element)
	}, nil
}

// foldScatterND is ONNX ScatterND-18; updates to one place are done in order.
func foldScatterND(c *calculation) ([]*value, error) {
	v, indices, err := c.indexed()
	if err != nil {
		return nil, err
	}
	out, updates, put, err := c.scattered(v)
	if err != nil {
		return nil, err
	}
	last := len(indices.shape) - 1
	if last < 0 || indices.shape[last] > len(v.shape) {
		return nil, malformed("indices of shape %v into %v", indices.shape, v.shape)
	}
	depth := indices.shape[last]
	want := slices.Concat(indices.shape[:last], v.shape[depth:])
	if !slices.Equal(want, updates.shape) {
		return nil, malformed("updates of shape %v, want %v", updates.shape, want)
	}
	own, slice := steps(v.shape), nn.Size(v.shape[depth:])
	for i := range nn.Size(indices.shape[:last]) {
		to := 0
		for k := range depth {
			j, err := indexIn(indices.ints[i*depth+k], v.shape[k])
			if err != nil {
				return nil, err
			}
			to += j * own[k]
		}
		for k := range slice {
			put(to+k, i*slice+k)
		}
	}
	return one(out, nil)
}

// foldScatterElements is ONNX ScatterElements-18.
func foldScatterElements(c *calculation) ([]*value, error) {
	v, indices, err := c.indexed()
	if err != nil {
		return nil, err
	}
	out, updates, put, err := c.scattered(v)
	if err != nil {
		return nil, err
	}
	axis, err := c.axisOf(v, 0)
	if err != nil {
		return nil, err
	}
	if !slices.Equal(indices.shape, updates.shape) {
		return nil, malformed("updates of shape %v, want %v", updates.shape, indices.shape)
	}
	layout, err := elementsLayout(v.shape, indices.shape, axis)
	if err != nil {
		return nil, err
	}
	by := steps(v.shape)[axis]
	walk(indices.shape, [][]int{layout}, func(i int, at []int) {
		j, e := indexIn(indices.ints[i], v.shape[axis])
		if e != nil {
			err = e
			return
		}
		put(at[0]+j*by, i)
	})
	return one(out, err)
}

// foldNonZero is ONNX NonZero-13: the indices of what is not 0, row-major, one
// column each; of a scalar, which has none, no rows.
func foldNonZero(c *calculation) ([]*value, error) {
	v, err := c.arg(0)
	if err != nil {
		return nil, err
	}
	var at []int
	for i := range v.size() {
		if v.kind == isFloat && v.floats[i] != 0 || v.kind != isFloat && v.ints[i] != 0 {
			at = append(at, i)
		}
	}
	out, err := c.blank(typeInt64, []int{len(v.shape), len(at)})
	if err != nil {
		return nil, err
	}
	for d, by := range steps(v.shape) {
		for k, i := range at {
			out.ints[d*len(at)+k] = int64(i / by % v.shape[d])
		}
	}
	return one(out, nil)
}
