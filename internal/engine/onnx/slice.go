package onnx

import (
	"math"
	"slices"

	"tattle/internal/engine/nn"
)

// allOf returns the slice that has everything.
func allOf(shape []int) *nn.Slice {
	return &nn.Slice{Starts: make([]int, len(shape)), Steps: slices.Repeat([]int{1}, len(shape)), Counts: slices.Clone(shape)}
}

// limit leaves of a dimension of a slice what ONNX Slice-13 does: bounds may count from the end, and
// are clamped.
func limit(s *nn.Slice, axis int, start, end, step int64) {
	malformedIf(step == 0, "a step of 0")
	size := int64(s.Counts[axis])
	low, high := int64(0), size
	if step < 0 {
		low, high = -1, size-1
	}
	start, end = clampIndex(start, size, low, high), clampIndex(end, size, low, high)
	count := int64(0)
	switch {
	case step > 0 && start < end:
		count = (end-start-1)/step + 1
	case step == math.MinInt64 && start > end:
		count = 1
	case step < 0 && start > end:
		count = (start-end-1)/-step + 1
	default:
		start = 0
	}
	if count <= 1 { // else the step may be of any size
		step = 1
	}
	s.Starts[axis], s.Steps[axis], s.Counts[axis] = int(start), int(step), int(count)
}

// slice is ONNX Slice-13; before opset 10 the bounds are attributes.
func (r *nodeReader) slice() {
	x := r.operand(0)
	var lists [4][]int64
	var given [4]bool
	for i, name := range []string{"starts", "ends", "axes", "steps"} {
		lists[i], given[i] = r.list(name, i+1)
	}
	starts, ends, by := lists[0], lists[1], lists[3]
	n := len(starts)
	malformedIf(!given[0] || !given[1] || n > maxDims, "starts or ends are missing, or more than %d", maxDims)
	axes := nn.Indices(min(n, len(x.shape)))
	if given[2] {
		axes = axesOf(lists[2], len(x.shape))
	}
	if !given[3] {
		by = slices.Repeat([]int64{1}, n)
	}
	malformedIf(n != len(ends) || n != len(axes) || n != len(by),
		"%d starts, %d ends, %d axes and %d steps: their numbers must be equal", n, len(ends), len(axes), len(by))
	s := allOf(x.shape)
	for i, axis := range axes {
		limit(s, axis, starts[i], ends[i], by[i])
	}
	r.sliced(x, s, 0)
}

// sliced makes a slice an output of the node.
func (r *nodeReader) sliced(x *view, s *nn.Slice, out int) {
	switch {
	case slices.Equal(s.Counts, x.shape) && !slices.ContainsFunc(s.Steps, func(n int) bool { return n < 0 }):
		x.end(out, x.shape)
	case len(x.shape) > 0 && x.shape[0] == 1 && s.Counts[0] == 1:
		op := &nn.Slice{Starts: s.Starts[1:], Steps: s.Steps[1:], Counts: s.Counts[1:]}
		x.inner().then(op).end(out, s.Counts)
	default:
		x.then(s).end(out, s.Counts)
	}
}

// split is ONNX Split-18: one part for each output, of given sizes or equal ones.
func (r *nodeReader) split() {
	x := r.operand(0)
	axis := r.axis(0, len(x.shape))
	size := int64(x.shape[axis])
	list, given := r.list("split", 1)
	if !given {
		list = r.equalParts(size)
	}
	left := size
	for _, n := range list {
		if n < 0 || n > left {
			left = -1
			break
		}
		left -= n
	}
	malformedIf(left != 0 || len(list) != len(r.outputs),
		"a dimension of %d cannot be split into the %d given sizes for %d outputs", size, len(list), len(r.outputs))
	start := 0
	for out, n := range list {
		s := allOf(x.shape)
		s.Starts[axis], s.Counts[axis] = start, int(n)
		start += int(n)
		if r.outputs[out] != "" && r.usage.readers[r.outputs[out]] > 0 {
			r.sliced(x, s, out)
		}
	}
}

// equalParts returns the sizes of a Split that gives none; from opset 18 on the last may
// be smaller.
func (r *nodeReader) equalParts(size int64) []int64 {
	n := int64(len(r.outputs))
	parts := r.int("num_outputs", n)
	malformedIf(parts != n || size%n != 0 && r.opset < 18, "a dimension of %d cannot be split into %d equal parts for %d outputs", size, parts, n)
	each := (size + n - 1) / n
	var list []int64
	for range n {
		part := min(each, size)
		list, size = append(list, part), size-part
	}
	return list
}

// concat is ONNX Concat-13: it joins tensors. Some may be constants.
func (r *nodeReader) concat() {
	all, shapes := r.operands()
	_, ok := r.attribute("axis")
	malformedIf(!ok, "attribute \"axis\" is missing")
	axis := r.axis(0, len(shapes[0]))
	shape := outputShape(&nn.Concat{Axis: axis}, shapes...)
	var parts []*view
	shift := 0
	for _, o := range all {
		var c *view
		c, shift = o.along(axis)
		parts = append(parts, c)
	}
	if len(parts) == 1 {
		parts[0].end(0, shape)
		return
	}
	parts[0].then(&nn.Concat{Axis: axis - shift}, parts[1:]...).end(0, shape)
}
