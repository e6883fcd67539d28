package onnx

import (
	"math"
	"slices"
	"strings"

	"tattle/internal/engine/nn"
)

// reduce is ONNX ReduceSum-13 and its like: a reduction over axes, which are an attribute
// or from opset 18 (of sums, 13) on an input. No axes mean all or, with
// noop_with_empty_axes, none.
func (r *nodeReader) reduce() {
	x := r.operand(0)
	list, _ := r.list("axes", 1)
	axes, keep, none := axesOf(list, len(x.shape)), r.flag("keepdims", true), r.flag("noop_with_empty_axes", false)
	function := strings.TrimPrefix(r.op, "Reduce")
	if len(axes) == 0 && none {
		unsupportedIf(slices.Contains([]string{"L1", "L2", "LogSum", "SumSquare"}, function),
			"noop_with_empty_axes, whose meaning here differs between versions of ONNX")
		r.chain(x).end(0, x.shape)
		return
	}
	if len(axes) == 0 {
		axes = nn.Indices(len(x.shape))
	}
	slices.Sort(axes)
	r.reduceOver(x, function, axes, keep)
}

// reduceOver reads a reduction of an activation over sorted axes.
func (r *nodeReader) reduceOver(x operand, function string, axes []int, keep bool) {
	shape := outputShape(&nn.Reduce{Function: "Sum", Axes: axes, Keep: keep}, x.shape)
	if len(x.inner()) < len(x.shape) && len(axes) > 1 && axes[0] == 0 {
		axes = axes[1:] // of size 1
	}
	c, shift := r.along(x, axes...)
	axes = shifted(axes, shift)
	if len(x.shape) == 0 {
		c, axes = c.view([]int{1}), []int{0}
	}
	c.reduced(function, axes, keep).end(0, shape)
}

// reduced applies a reduction. Those that nn.Reduce does not have are of sums.
func (c *chain) reduced(function string, axes []int, keep bool) *chain {
	sum := func(c *chain) *chain { return c.reduced("Sum", axes, keep) }
	switch function {
	case "L1":
		return sum(c.function("Abs"))
	case "L2":
		return c.reduced("SumSquare", axes, keep).function("Sqrt")
	case "SumSquare":
		return sum(c.with("Mul", c))
	case "LogSum":
		return sum(c).function("Log")
	case "LogSumExp": // log Σ e^(x − m) + m, m the largest entry
		top := c.reduced("Max", axes, true).clipped(-math.MaxFloat32, math.MaxFloat32)
		y := sum(c.with("Sub", top).function("Exp")).function("Log")
		return y.with("Add", top.view(y.shape))
	}
	return c.then(&nn.Reduce{Function: function, Axes: axes, Keep: keep})
}

// cumSum is ONNX CumSum-14 of constants, as a product with a matrix of ones on one side of the diagonal.
func (r *nodeReader) cumSum() {
	x := r.operand(0)
	axis := axisOf(r.oneInt(1), len(x.shape))
	exclusive, reverse := r.flag("exclusive", false), r.flag("reverse", false)
	n := x.shape[axis]
	unsupportedIf(n > 1<<12, "a sum along %d entries", n)
	r.claim(n * n)
	w := &nn.Param{Shape: []int{n, n}, Data: make([]float32, n*n)}
	for i := range w.Data {
		to, from := i/n, i%n
		if from == to && !exclusive || from != to && (from > to) == reverse {
			w.Data[i] = 1
		}
	}
	r.whole(x).lastAxis(axis, &nn.Dense{In: n, Out: n, Weight: w}).end(0, x.shape)
}

// last returns what applies an operator over the last dimension to another.
func last(op nn.Op) func(c *chain, axis int) *chain {
	return func(c *chain, axis int) *chain { return c.lastAxis(axis, op) }
}

func logSoftmax(c *chain, axis int) *chain {
	return c.with("Sub", c.reduced("LogSumExp", []int{axis}, true))
}

// softmax returns the reader of an operator over one axis; before opset 13 it is over all
// dimensions from the axis on, as one.
func softmax(over func(c *chain, axis int) *chain) func(*nodeReader) {
	return func(r *nodeReader) {
		x, old, absent := r.operand(0), r.opset < 13, int64(-1)
		if old {
			absent = 1
		}
		a, rank := r.int("axis", absent), len(x.shape)
		if old && a == int64(rank) {
			over(r.whole(x).view(append(slices.Clone(x.shape), 1)), rank).end(0, x.shape)
			return
		}
		axis := axisOf(a, rank)
		if old && axis < rank-1 {
			over(r.chain(x).view([]int{nn.Size(x.shape[:axis]), nn.Size(x.shape[axis:])}), 1).end(0, x.shape)
			return
		}
		c, shift := r.along(x, axis)
		over(c, axis-shift).end(0, x.shape)
	}
}
