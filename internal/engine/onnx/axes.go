package onnx

import (
	"slices"

	"tattle/internal/engine/nn"
)

// axisOf counts a negative axis from the end.
func axisOf(axis int64, rank int) int {
	malformedIf(axis < -int64(rank) || axis >= int64(rank), "axis %d of %d dimensions", axis, rank)
	if axis < 0 {
		axis += int64(rank)
	}
	return int(axis)
}

// axesOf counts negative axes from the end; each may be given once.
func axesOf(axes []int64, rank int) []int {
	malformedIf(len(axes) > maxDims, "over %d axes", maxDims)
	out := make([]int, len(axes))
	for i, a := range axes {
		out[i] = axisOf(a, rank)
		malformedIf(slices.Contains(out[:i], out[i]), "axis %d is given twice in %v", out[i], axes)
	}
	return out
}

// axesOrAll is axesOf of a list that stands for all axes if it is not given.
func axesOrAll(list []int64, given bool, rank int) []int {
	if !given {
		return nn.Indices(rank)
	}
	return axesOf(list, rank)
}

// indexIn counts a negative index from the end.
func indexIn(i int64, size int) int {
	if i < -int64(size) || i >= int64(size) {
		panic(malformedf("index %d is not in a dimension of %d", i, size))
	}
	if i < 0 {
		i += int64(size)
	}
	return int(i)
}

// clampIndex counts a negative index from the end, and clamps it to 0 … size.
func clampIndex(i, size int64) int64 {
	if i < 0 {
		i += size
	}
	return min(max(i, 0), size)
}

// sizesOfDims returns dimensions, or numbers of repeats, that a file gives.
func sizesOfDims(list []int64) []int {
	malformedIf(len(list) > maxDims, "over %d dimensions", maxDims)
	out := make([]int, len(list))
	for i, v := range list {
		malformedIf(v < 0 || v > maxActivation, "impossible sizes %v", list)
		out[i] = int(v)
	}
	return out
}

// shifted subtracts shift from the axes.
func shifted(axes []int, shift int) []int {
	out := make([]int, len(axes))
	for i, a := range axes {
		out[i] = a - shift
	}
	return out
}

// broadcast returns the shape that ONNX's broadcasting makes of several.
func broadcast(shapes ...[]int) []int {
	shape, err := nn.BroadcastShape(shapes...)
	malformedIf(err != nil, "%v", err)
	return shape
}

// outputShape returns the shape that an operator makes of others, which may be ONNX shapes.
func outputShape(op nn.Op, shapes ...[]int) []int {
	shape, err := op.Shape(shapes...)
	malformedIf(err != nil, "%v", err)
	return shape
}

// mustBroadcastTo panics unless a shape broadcasts to another.
func mustBroadcastTo(from, to []int) {
	malformedIf(!slices.Equal(broadcast(from, to), to), "shape %v does not broadcast to %v", from, to)
}

// unfolded views a shape [N, C, …] as [N·C, …, 1], the dimensions after the first two as one row.
func unfolded(shape []int) []int {
	return []int{shape[0] * shape[1], nn.Size(shape[2:]), 1}
}
