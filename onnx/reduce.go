package onnx

import (
	"math"
	"slices"
	"strings"

	"tattle/nn"
)

// reduce is ONNX ReduceSum-13 and its like: a reduction over axes, which are an attribute
// or from opset 18 (of sums, 13) on an input. No axes mean all or, with
// noop_with_empty_axes, none.
func (r *nodeReader) reduce() {
	x := r.operand(0)
	list, _ := r.list("axes", 1)
	axes, keep, none := axesOf(list, len(x.shape)), r.flag("keepdims", true), r.flag("noop_with_empty_axes", false)
	function := strings.TrimPrefix(r.op, "Reduce")
	_, folds := reductionFolds[r.op]
	folds = folds && x.value != nil
	if len(axes) == 0 && none {
		if !folds && slices.Contains([]string{"L1", "L2", "LogSum", "SumSquare"}, function) {
			panic(unsupportedf("noop_with_empty_axes, whose meaning here differs between versions of ONNX"))
		}
		r.reshaped(x, x.shape)
		return
	}
	if len(axes) == 0 {
		axes = countUp(len(x.shape))
	}
	slices.Sort(axes)
	if folds {
		r.foldReduce(x.value, axes, keep)
		return
	}
	r.reduceOver(x, function, axes, keep)
}

// reducedShape returns the shape that a reduction over these axes leaves.
func reducedShape(from, axes []int, keep bool) []int {
	var shape []int
	for a, s := range from {
		switch {
		case !slices.Contains(axes, a):
			shape = append(shape, s)
		case keep:
			shape = append(shape, 1)
		}
	}
	return shape
}

// reduceOver reads a reduction of an activation over sorted axes.
func (r *nodeReader) reduceOver(x operand, function string, axes []int, keep bool) {
	shape := reducedShape(x.shape, axes, keep)
	if len(x.inner()) < len(x.shape) && len(axes) > 1 && axes[0] == 0 {
		axes = axes[1:] // of size 1
	}
	c, shift := r.along(x, axes...)
	op := &nn.Reduce{Function: function, Axes: shifted(axes, shift), Keep: keep}
	if len(x.shape) == 0 {
		c, op.Axes = c.view([]int{1}), []int{0}
	}
	c.then(op).end(0, shape)
}

// reductionFolds compute running totals: of floats first, one by one, and at the end; and of
// integers. A nil function means that the operator has no such form.
var reductionFolds = map[string]struct {
	first    float64
	floats   func(sum, x float64) float64
	end      func(sum float64, n int) float64
	ints     func(sum, x int64) int64
	firstInt int64
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

// foldReduce computes a reduction of a constant.
func (r *nodeReader) foldReduce(v *value, axes []int, keep bool) {
	f := reductionFolds[r.op]
	if v.kind != isFloat && f.ints == nil || v.kind == isBool {
		panic(unsupportedf("a reduction of %s", typeName(v.element)))
	}
	kept := reducedShape(v.shape, axes, true)
	out := r.blank(v.element, kept)
	to := [][]int{stretch(kept, v.shape)}
	if v.kind != isFloat {
		for i := range out.ints {
			out.ints[i] = f.firstInt
		}
		walk(v.shape, to, func(i int, at []int) { out.ints[at[0]] = f.ints(out.ints[at[0]], v.ints[i]) })
		wrapped(out.ints, v.element)
	}
	sums := slices.Repeat([]float64{f.first}, len(out.floats))
	if v.kind == isFloat {
		walk(v.shape, to, func(i int, at []int) { sums[at[0]] = f.floats(sums[at[0]], float64(v.floats[i])) })
	}
	for i, s := range sums {
		if f.end != nil {
			s = f.end(s, v.size()/len(sums))
		}
		out.floats[i] = float32(s)
	}
	out.shape = reducedShape(v.shape, axes, keep)
	r.set(out)
}

// foldCumSum is ONNX CumSum-14.
func (r *nodeReader) foldCumSum() {
	v := r.constant(0)
	axis := axisOf(r.oneInt(1), len(v.shape))
	exclusive, reverse := r.flag("exclusive", false), r.flag("reverse", false)
	out := r.blank(v.element, v.shape)
	n, by := v.shape[axis], steps(v.shape)[axis]
	lines(v.shape, axis, func(_, start int) {
		var ints int64
		var floats float64
		for i := range n {
			if reverse {
				i = n - 1 - i
			}
			at := start + i*by
			before, beforeInts := floats, ints
			if v.kind == isFloat {
				floats += float64(v.floats[at])
			} else {
				ints += v.ints[at]
			}
			if !exclusive {
				before, beforeInts = floats, ints
			}
			if v.kind == isFloat {
				out.floats[at] = float32(before)
			} else {
				out.ints[at] = wrap(beforeInts, v.element)
			}
		}
	})
	r.set(out)
}

// foldArg is ONNX ArgMax-13 and ArgMin-13.
func (r *nodeReader) foldArg() {
	v := r.constant(0)
	axis, last := r.axis(0, len(v.shape)), r.flag("select_last_index", false)
	n, by := v.shape[axis], steps(v.shape)[axis]
	if n == 0 {
		panic(malformedf("an axis of size 0"))
	}
	out := r.blank(typeInt64, reducedShape(v.shape, []int{axis}, true))
	better := 1
	if r.op == "ArgMin" {
		better = -1
	}
	lines(v.shape, axis, func(i, start int) {
		best := 0
		for j := 1; j < n; j++ {
			s, ok := v.compare(start+j*by, v, start+best*by)
			if ok && (s == better || s == 0 && last) {
				best = j
			}
		}
		out.ints[i] = int64(best)
	})
	out.shape = reducedShape(v.shape, []int{axis}, r.flag("keepdims", true))
	r.set(out)
}

// softmax returns the reader of an operator over one axis; before opset 13 it is over all
// dimensions from the axis on, as one.
func softmax(op nn.Op) func(*nodeReader) {
	return func(r *nodeReader) {
		x, old, absent := r.operand(0), r.opset < 13, int64(-1)
		if old {
			absent = 1
		}
		a, rank := r.int("axis", absent), len(x.shape)
		if old && a == int64(rank) {
			r.whole(x).view(append(slices.Clone(x.shape), 1)).then(op).end(0, x.shape)
			return
		}
		axis := axisOf(a, rank)
		if old && axis < rank-1 {
			r.chain(x).view([]int{nn.Size(x.shape[:axis]), nn.Size(x.shape[axis:])}).then(op).end(0, x.shape)
			return
		}
		c, shift := r.along(x, axis)
		c.lastAxis(axis-shift, op).end(0, x.shape)
	}
}
