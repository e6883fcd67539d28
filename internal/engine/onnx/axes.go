package onnx

import (
	"slices"

	"tattle/internal/engine/nn"
)

// axisOf counts a negative axis from the end.
func axisOf(axis int64, rank int) int {
	if axis < -int64(rank) || axis >= int64(rank) {
		panic(malformedf("axis %d of %d dimensions", axis, rank))
	}
	if axis < 0 {
		axis += int64(rank)
	}
	return int(axis)
}

// axesOf counts negative axes from the end; each may be given once.
func axesOf(axes []int64, rank int) []int {
	if len(axes) > maxDims {
		panic(malformedf("over %d axes", maxDims))
	}
	out := make([]int, len(axes))
	for i, a := range axes {
		out[i] = axisOf(a, rank)
		if slices.Contains(out[:i], out[i]) {
			panic(malformedf("axis %d is given twice in %v", out[i], axes))
		}
	}
	return out
}

// axesOrAll is axesOf of a list that stands for all axes if it is not given.
func axesOrAll(list []int64, given bool, rank int) []int {
	if !given {
		return countUp(rank)
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
	if len(list) > maxDims {
		panic(malformedf("over %d dimensions", maxDims))
	}
	out := make([]int, len(list))
	for i, v := range list {
		if v < 0 || v > maxActivation {
			panic(malformedf("impossible sizes %v", list))
		}
		out[i] = int(v)
	}
	return out
}

// countUp returns 0, 1, …, n−1.
func countUp(n int) []int {
	x := make([]int, n)
	for i := range x {
		x[i] = i
	}
	return x
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
	rank := 0
	for _, s := range shapes {
		rank = max(rank, len(s))
	}
	out := slices.Repeat([]int{1}, rank)
	for _, s := range shapes {
		for i, v := range s {
			o := &out[rank-len(s)+i]
			switch {
			case *o == v || v == 1:
			case *o == 1:
				*o = v
			default:
				panic(malformedf("shapes %v do not broadcast", shapes))
			}
		}
	}
	return out
}

// mustBroadcastTo panics unless a shape broadcasts to another.
func mustBroadcastTo(from, to []int) {
	if !slices.Equal(broadcast(from, to), to) {
		panic(malformedf("shape %v does not broadcast to %v", from, to))
	}
}

// steps returns how far apart neighbours along each dimension lie, row-major.
func steps(shape []int) []int {
	s := make([]int, len(shape))
	n := 1
	for i := len(shape) - 1; i >= 0; i-- {
		s[i] = n
		n *= shape[i]
	}
	return s
}

// stretch returns the steps of a tensor seen as one of the larger shape that it
// broadcasts to: 0 along repeated dimensions.
func stretch(from, to []int) []int {
	s, own := make([]int, len(to)), steps(from)
	lead := len(to) - len(from)
	for i, n := range from {
		if n != 1 {
			s[lead+i] = own[i]
		}
	}
	return s
}

// walk calls f for each entry of the shape in row-major order, with its place
// in several layouts, each given by its steps.
func walk(shape []int, layouts [][]int, f func(i int, at []int)) {
	if slices.Contains(shape, 0) {
		return
	}
	at, index := make([]int, len(layouts)), make([]int, len(shape))
	for i := 0; ; i++ {
		f(i, at)
		d := len(shape) - 1
		for ; d >= 0; d-- {
			index[d]++
			for k, l := range layouts {
				at[k] += l[d]
			}
			if index[d] < shape[d] {
				break
			}
			for k, l := range layouts {
				at[k] -= l[d] * shape[d]
			}
			index[d] = 0
		}
		if d < 0 {
			return
		}
	}
}

// unfolded views a shape [N, C, …] as [N·C, …, 1], the dimensions after the first two as one row.
func unfolded(shape []int) []int {
	return []int{shape[0] * shape[1], nn.Size(shape[2:]), 1}
}
