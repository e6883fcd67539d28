package onnx

import (
	"math"
	"slices"
)

// reductionFolds are running totals: of floats from, by each, and at the end; of
// integers where there are.
var reductionFolds = map[string]struct {
	first  float64
	floats func(sum, x float64) float64
	end    func(sum float64, n int) float64
	ints   func(sum, x int64) int64
	whole  int64 // first of integers
}{
	"ReduceSum":       {0, func(s, x float64) float64 { return s + x }, nil, func(s, x int64) int64 { return s + x }, 0},
	"ReduceProd":      {1, func(s, x float64) float64 { return s * x }, nil, func(s, x int64) int64 { return s * x }, 1},
	"ReduceMean":      {0, func(s, x float64) float64 { return s + x }, func(s float64, n int) float64 { return s / float64(n) }, nil, 0},
	"ReduceMin":       {math.Inf(1), func(s, x float64) float64 { return min(s, x) }, nil, func(s, x int64) int64 { return min(s, x) }, math.MaxInt64},
	"ReduceMax":       {math.Inf(-1), func(s, x float64) float64 { return max(s, x) }, nil, func(s, x int64) int64 { return max(s, x) }, math.MinInt64},
	"ReduceL1":        {0, func(s, x float64) float64 { return s + math.Abs(x) }, nil, nil, 0},
	"ReduceL2":        {0, func(s, x float64) float64 { return s + x*x }, func(s float64, _ int) float64 { return math.Sqrt(s) }, nil, 0},
	"ReduceSumSquare": {0, func(s, x float64) float64 { return s + x*x }, nil, nil, 0},
}

// foldReduce is ONNX ReduceSum-13 and its like; from opset 18, for sums 13, the axes
// are an input. Without axes all are meant, or with noop_with_empty_axes none.
func foldReduce(c *calculation) ([]*value, error) {
	v, err := c.arg(0)
	if err != nil {
		return nil, err
	}
	list, _, err := c.list(1, "axes")
	if err != nil {
		return nil, err
	}
	keep, err := c.flag("keepdims", true)
	if err != nil {
		return nil, err
	}
	none, err := c.flag("noop_with_empty_axes", false)
	if err != nil {
		return nil, err
	}
	axes, err := axesIn(list, len(v.shape))
	if err != nil {
		return nil, err
	}
	if len(axes) == 0 && none {
		return foldIdentity(c)
	}
	shape, squeezed := slices.Clone(v.shape), []int{}
	for d, n := range v.shape {
		if len(axes) == 0 || slices.Contains(axes, d) {
			shape[d] = 1
		} else {
			squeezed = append(squeezed, n)
		}
	}
	out, err := c.reduced(v, shape)
	if err == nil && !keep {
		out = out.reshaped(squeezed)
	}
	return one(out, err)
}

// reduced totals v over the dimensions that are 1 in shape.
func (c *calculation) reduced(v *value, shape []int) (*value, error) {
	how := reductionFolds[c.op]
	if v.kind != isFloat && how.ints == nil || v.kind == isBool {
		return nil, beyond("of %s", typeName(v.element))
	}
	out, err := c.blank(v.element, shape)
	if err != nil {
		return nil, err
	}
	to := stretch(shape, v.shape)
	if v.kind != isFloat {
		for i := range out.ints {
			out.ints[i] = how.whole
		}
		walk(v.shape, [][]int{to}, func(i int, at []int) { out.ints[at[0]] = how.ints(out.ints[at[0]], v.ints[i]) })
		wrapped(out.ints, v.element)
		return out, nil
	}
	sums := make([]float64, len(out.floats))
	for i := range sums {
		sums[i] = how.first
	}
	walk(v.shape, [][]int{to}, func(i int, at []int) { sums[at[0]] = how.floats(sums[at[0]], float64(v.floats[i])) })
	for i, s := range sums {
		if how.end != nil {
			s = how.end(s, v.size()/len(sums))
		}
		out.floats[i] = float32(s)
	}
	return out, nil
}
