package onnx

import (
	"math"
	"slices"

	"tattle/nn"
)

// foldConcat is ONNX Concat-13.
func foldConcat(c *calculation) ([]*value, error) {
	first, err := c.arg(0)
	if err != nil {
		return nil, err
	}
	axis64, err := c.int("axis", math.MaxInt64)
	if err != nil {
		return nil, err
	}
	axis, err := axisOf(axis64, len(first.shape))
	if err != nil {
		return nil, err
	}
	shape := slices.Clone(first.shape)
	shape[axis] = 0
	for i := range c.in {
		v, err := c.arg(i)
		if err != nil {
			return nil, err
		}
		if v.kind != first.kind || len(v.shape) != len(shape) {
			return nil, malformed("of %s%v and %s%v", typeName(first.element), first.shape, typeName(v.element), v.shape)
		}
		for d, n := range v.shape {
			if d != axis && n != shape[d] {
				return nil, malformed("along axis %d of %v and %v", axis, first.shape, v.shape)
			}
		}
		shape[axis] += v.shape[axis]
	}
	return one(c.joined(shape, axis))
}

// joined fills the shape with the inputs one after another along the axis.
func (c *calculation) joined(shape []int, axis int) (*value, error) {
	out, err := c.blank(c.in[0].element, shape)
	if err != nil {
		return nil, err
	}
	row, at := nn.Size(shape[axis:]), 0
	for _, v := range c.in {
		n := nn.Size(v.shape[axis:])
		for r := range nn.Size(shape[:axis]) {
			if n == 0 {
				break
			}
			if out.kind == isFloat {
				copy(out.floats[r*row+at:], v.floats[r*n:(r+1)*n])
			} else {
				copy(out.ints[r*row+at:], v.ints[r*n:(r+1)*n])
			}
		}
		at += n
	}
	return out, nil
}

// foldSplit is ONNX Split-18: sizes are given, or as equal as the number of parts
// allows, the last one smaller.
func foldSplit(c *calculation) ([]*value, error) {
	v, err := c.arg(0)
	if err != nil {
		return nil, err
	}
	axis64, err := c.int("axis", 0)
	if err != nil {
		return nil, err
	}
	axis, err := axisOf(axis64, len(v.shape))
	if err != nil {
		return nil, err
	}
	list, given, err := c.list(1, "split")
	if err != nil {
		return nil, err
	}
	if !given {
		if list, err = c.equalParts(int64(v.shape[axis])); err != nil {
			return nil, err
		}
	}
	if err := splits(list, int64(v.shape[axis]), len(c.outputs)); err != nil {
		return nil, err
	}
	var parts []*value
	by, start := steps(v.shape), 0
	for _, s := range list {
		shape := slices.Clone(v.shape)
		shape[axis] = int(s)
		part, err := c.strided(v, shape, by, start)
		if err != nil {
			return nil, err
		}
		parts, start = append(parts, part), start+int(s)*by[axis]
	}
	return parts, nil
}

// splits errs unless the sizes are those of parts of a dimension.
func splits(sizes []int64, dimension int64, parts int) error {
	left := dimension
	for _, s := range sizes {
		if s < 0 || s > left {
			left = -1
			break
		}
		left -= s
	}
	if left != 0 || len(sizes) != parts {
		return malformed("size %d into %d parts, but %d sizes are given that do not fit", dimension, parts, len(sizes))
	}
	return nil
}

// equalParts are the sizes of a Split that gives none.
func (c *calculation) equalParts(size int64) ([]int64, error) {
	n, err := c.int("num_outputs", int64(len(c.outputs)))
	if err != nil {
		return nil, err
	}
	if n != int64(len(c.outputs)) {
		return nil, malformed("into %d parts, but it has %d outputs", n, len(c.outputs))
	}
	each := (size + n - 1) / n
	var list []int64
	for range n {
		part := min(each, size)
		list, size = append(list, part), size-part
	}
	return list, nil
}
