package onnx

import (
	"math"
	"slices"
)

// cut is how one dimension is sliced.
type cut struct{ start, step, count int64 }

// slicing returns how a dimension is cut by ONNX Slice-13: bounds may count from
// the end, and are taken to what there is.
func slicing(size, start, end, step int64) (cut, error) {
	if step == 0 {
		return cut{}, malformed("has a step of 0")
	}
	low, high := int64(0), size
	if step < 0 {
		low, high = -1, size-1
	}
	within := func(i int64) int64 {
		if i < 0 {
			i += size
		}
		return min(max(i, low), high)
	}
	start, end = within(start), within(end)
	switch {
	case step > 0 && start < end:
		return cut{start, step, (end-start-1)/step + 1}, nil
	case step == math.MinInt64 && start > end:
		return cut{start, -1, 1}, nil
	case step < 0 && start > end:
		return cut{start, step, (start-end-1)/-step + 1}, nil
	}
	return cut{0, 1, 0}, nil
}

// foldSlice is ONNX Slice-13; before opset 10 its bounds are attributes.
func foldSlice(c *calculation) ([]*value, error) {
	v, err := c.arg(0)
	if err != nil {
		return nil, err
	}
	var lists [4][]int64
	var given [4]bool
	for i, name := range []string{"starts", "ends", "axes", "steps"} {
		if lists[i], given[i], err = c.list(i+1, name); err != nil {
			return nil, err
		}
	}
	starts, ends, axes, by := lists[0], lists[1], lists[2], lists[3]
	if !given[2] {
		for i := range starts[:min(len(starts), maxDims)] {
			axes = append(axes, int64(i))
		}
	}
	if !given[3] {
		by = slices.Repeat([]int64{1}, min(len(starts), maxDims))
	}
	if n := len(starts); n != len(ends) || n != len(axes) || n != len(by) {
		return nil, malformed("has %d starts, %d ends, %d axes and %d steps", n, len(ends), len(axes), len(by))
	}
	if _, err := axesIn(axes, len(v.shape)); err != nil {
		return nil, err
	}
	shape, layout, first := slices.Clone(v.shape), steps(v.shape), 0
	own := slices.Clone(layout)
	for i, a := range axes {
		axis := clampEnd(a, int64(len(shape)))
		s, err := slicing(int64(v.shape[axis]), starts[i], ends[i], by[i])
		if err != nil {
			return nil, err
		}
		shape[axis] = int(s.count)
		layout[axis] = own[axis]
		if s.count > 1 { // else the step may be of any size
			layout[axis] *= int(s.step)
		}
		first += int(s.start) * own[axis]
	}
	return one(c.strided(v, shape, layout, first))
}

// foldPad is ONNX Pad-21; before opset 11 the pads and the value are attributes.
// Negative pads crop.
func foldPad(c *calculation) ([]*value, error) {
	v, err := c.arg(0)
	if err != nil {
		return nil, err
	}
	list, ok, err := c.list(1, "pads")
	if err == nil && !ok {
		err = malformed("lacks its pads")
	}
	if err != nil {
		return nil, err
	}
	mode, err := c.text("mode", "constant")
	if err != nil {
		return nil, err
	}
	before, after, err := c.pads(list, v.shape)
	if err != nil {
		return nil, err
	}
	filling, err := c.filling(v)
	if err != nil {
		return nil, err
	}
	shape, sources := make([]int, len(v.shape)), make([][]int, len(v.shape))
	for d, n := range v.shape {
		if shape[d] = before[d] + n + after[d]; shape[d] < 0 {
			return nil, malformed("pads %v of %v", list, v.shape)
		}
	}
	if err := c.d.claim(sumOf(shape)); err != nil {
		return nil, err
	}
	for d, n := range v.shape {
		if sources[d], err = padSource(mode, n, before[d], shape[d]); err != nil {
			return nil, err
		}
	}
	return one(c.table(v, shape, sources, filling))
}

func sumOf(x []int) (n int) {
	for _, v := range x {
		n += v
	}
	return n
}

// pads returns those of each dimension.
func (c *calculation) pads(list []int64, shape []int) (before, after []int, err error) {
	axes64, given, err := c.ints(3)
	if err != nil {
		return nil, nil, err
	}
	if !given {
		for i := range shape {
			axes64 = append(axes64, int64(i))
		}
	}
	if _, err := axesIn(axes64, len(shape)); err != nil {
		return nil, nil, err
	}
	n := len(axes64)
	if len(list) != 2*n {
		return nil, nil, malformed("has %d pads for %d dimensions", len(list), n)
	}
	before, after = make([]int, len(shape)), make([]int, len(shape))
	for i, a := range axes64 {
		axis := clampEnd(a, int64(len(shape)))
		for _, p := range []int64{list[i], list[n+i]} {
			if p < -maxActivation || p > maxActivation {
				return nil, nil, malformed("pads %v of %v", list, shape)
			}
		}
		before[axis], after[axis] = int(list[i]), int(list[n+i])
	}
	return before, after, nil
}

// filling is the value of what constant padding adds.
func (c *calculation) filling(v *value) (*value, error) {
	if c.has(2) {
		if c.in[2].size() != 1 || c.in[2].kind != v.kind {
			return nil, malformed("pads %s with %s%v", typeName(v.element), typeName(c.in[2].element), c.in[2].shape)
		}
		return c.in[2], nil
	}
	x, err := c.float("value", 0)
	if v.kind != isFloat {
		return &value{kind: v.kind, ints: []int64{int64(x)}}, err
	}
	return &value{floats: []float32{float32(x)}}, err
}

// padSource returns for each place along a dimension which it is taken from, −1 for
// the filling.
func padSource(mode string, n, before, size int) ([]int, error) {
	from := make([]int, size)
	for i := range from {
		j := i - before
		switch {
		case j >= 0 && j < n:
		case mode == "constant":
			j = -1
		case n == 0:
			return nil, malformed("%s pads of a dimension of size 0", mode)
		case mode == "edge":
			j = min(max(j, 0), n-1)
		case mode == "wrap":
			j = ((j % n) + n) % n
		case mode == "reflect" && n == 1:
			j = 0
		case mode == "reflect":
			period := 2 * (n - 1)
			if j = ((j % period) + period) % period; j >= n {
				j = period - j
			}
		default:
			return nil, malformed("mode is %q", mode)
		}
		from[i] = j
	}
	return from, nil
}

// table returns the constant whose entries are v's at the given places along each
// dimension, or the filling where one is negative.
func (c *calculation) table(v *value, shape []int, sources [][]int, filling *value) (*value, error) {
	out, err := c.blank(v.element, shape)
	if err != nil {
		return nil, err
	}
	own, at := steps(v.shape), steps(shape)
	walk(shape, nil, func(i int, _ []int) {
		from, rest := 0, i
		for d := range shape {
			j := sources[d][rest/at[d]]
			rest %= at[d]
			if j < 0 {
				out.copyFrom(i, filling, 0)
				return
			}
			from += j * own[d]
		}
		out.copyFrom(i, v, from)
	})
	return out, nil
}
