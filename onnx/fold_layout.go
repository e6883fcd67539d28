package onnx

import (
	"math"
	"slices"

	"tattle/nn"
)

// foldReshape is ONNX Reshape-21.
func foldReshape(c *calculation) ([]*value, error) {
	v, err := c.arg(0)
	if err != nil {
		return nil, err
	}
	to, ok, err := c.ints(1)
	if err == nil && !ok {
		err = malformed("lacks its input 2")
	}
	if err != nil {
		return nil, err
	}
	zero, err := c.flag("allowzero", false)
	if err != nil {
		return nil, err
	}
	shape, err := shapeAs(v.shape, to, zero)
	if err != nil {
		return nil, err
	}
	return one(v.reshaped(shape), nil)
}

// shapeAs returns the shape that Reshape makes of one: 0 keeps a size, unless zero
// is set, and one −1 stands for what is left.
func shapeAs(from []int, to []int64, zero bool) ([]int, error) {
	if len(to) > maxDims {
		return nil, malformed("to %d dimensions", len(to))
	}
	shape, open := make([]int, len(to)), -1
	for i, s := range to {
		switch {
		case s == -1 && open < 0:
			open, shape[i] = i, 1
		case s == 0 && !zero && i < len(from):
			shape[i] = from[i]
		case s < 0 || s == 0 && !zero:
			return nil, malformed("%v to %v", from, to)
		default:
			shape[i] = int(s)
		}
	}
	total := nn.Size(from)
	known, ok := sizeOf(shape, math.MaxInt)
	if open >= 0 && ok && known > 0 && total%known == 0 {
		shape[open], known = total/known, total
	} else if open >= 0 {
		ok = false
	}
	if !ok || known != total {
		return nil, malformed("%v to %v", from, to)
	}
	return shape, nil
}

// foldFlatten is ONNX Flatten-13.
func foldFlatten(c *calculation) ([]*value, error) {
	v, err := c.arg(0)
	if err != nil {
		return nil, err
	}
	axis, err := c.int("axis", 1)
	if err != nil {
		return nil, err
	}
	rank := int64(len(v.shape))
	if axis < -rank || axis > rank {
		return nil, malformed("from axis %d of %d dimensions", axis, rank)
	}
	axis = clampEnd(axis, rank)
	return one(v.reshaped([]int{nn.Size(v.shape[:axis]), nn.Size(v.shape[axis:])}), nil)
}

// foldSqueeze is ONNX Squeeze-13: the axes, or all of size 1, go.
func foldSqueeze(c *calculation) ([]*value, error) {
	v, err := c.arg(0)
	if err != nil {
		return nil, err
	}
	list, given, err := c.list(1, "axes")
	if err != nil {
		return nil, err
	}
	axes, err := axesIn(list, len(v.shape))
	if err != nil {
		return nil, err
	}
	var shape []int
	for i, n := range v.shape {
		switch gone := slices.Contains(axes, i); {
		case gone && n != 1:
			return nil, malformed("axis %d of %v is not of size 1", i, v.shape)
		case !gone && (given || n != 1):
			shape = append(shape, n)
		}
	}
	return one(v.reshaped(shape), nil)
}

// foldUnsqueeze is ONNX Unsqueeze-13: the axes are those of the output.
func foldUnsqueeze(c *calculation) ([]*value, error) {
	v, err := c.arg(0)
	if err != nil {
		return nil, err
	}
	list, given, err := c.list(1, "axes")
	if err == nil && !given {
		err = malformed("lacks its axes")
	}
	if err != nil {
		return nil, err
	}
	rank := len(v.shape) + len(list)
	if rank > maxDims {
		return nil, malformed("to %d dimensions", rank)
	}
	axes, err := axesIn(list, rank)
	if err != nil {
		return nil, err
	}
	shape := slices.Clone(v.shape)
	for _, axis := range axes {
		shape = slices.Insert(shape, axis, 1)
	}
	return one(v.reshaped(shape), nil)
}

// foldTranspose is ONNX Transpose-13.
func foldTranspose(c *calculation) ([]*value, error) {
	v, err := c.arg(0)
	if err != nil {
		return nil, err
	}
	a, given, err := c.typed("perm", kindInts)
	if err != nil {
		return nil, err
	}
	rank := len(v.shape)
	if !given {
		for i := range rank {
			a.ints = append(a.ints, int64(rank-1-i))
		}
	}
	if sorted, err := axesIn(a.ints, rank); err != nil || len(sorted) != rank {
		return nil, malformed("perm %v of %d dimensions", a.ints, rank)
	}
	from := steps(v.shape)
	shape, by := make([]int, rank), make([]int, rank)
	for i, axis := range a.ints {
		axis = clampEnd(axis, int64(rank))
		shape[i], by[i] = v.shape[axis], from[axis]
	}
	return one(c.strided(v, shape, by, 0))
}

// foldExpand is ONNX Expand-13: input and shape broadcast both ways.
func foldExpand(c *calculation) ([]*value, error) {
	v, err := c.arg(0)
	if err != nil {
		return nil, err
	}
	list, ok, err := c.ints(1)
	if err == nil && !ok {
		err = malformed("lacks its input 2")
	}
	if err != nil {
		return nil, err
	}
	to, err := dims(list)
	if err != nil {
		return nil, err
	}
	shape, err := broadcast(v.shape, to)
	if err != nil {
		return nil, err
	}
	return one(c.strided(v, shape, stretch(v.shape, shape), 0))
}

// foldTile is ONNX Tile-13: each dimension is split in repeats and itself.
func foldTile(c *calculation) ([]*value, error) {
	v, err := c.arg(0)
	if err != nil {
		return nil, err
	}
	list, _, err := c.ints(1)
	if err != nil {
		return nil, err
	}
	repeats, err := dims(list)
	if err != nil {
		return nil, err
	}
	if len(repeats) != len(v.shape) {
		return nil, malformed("%d repeats of %d dimensions", len(repeats), len(v.shape))
	}
	var split, by []int
	shape, own := make([]int, len(repeats)), steps(v.shape)
	for i, r := range repeats {
		if v.shape[i] > 0 && r > maxFolded/v.shape[i] {
			return nil, c.d.claim(-1)
		}
		shape[i] = r * v.shape[i]
		split, by = append(split, r, v.shape[i]), append(by, 0, own[i])
	}
	out, err := c.blank(v.element, shape)
	if err != nil {
		return nil, err
	}
	walk(split, [][]int{by}, func(i int, at []int) { out.copyFrom(i, v, at[0]) })
	return one(out, nil)
}
