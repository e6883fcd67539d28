package onnx

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"tattle/internal/engine/nn"
)

// batchNorm is ONNX BatchNormalization-15 in inference. ONNX's momentum is the share of the
// old statistics, package nn's and PyTorch's that of the new.
func (r *nodeReader) batchNorm() {
	x := r.operand(0)
	unsupportedIf(r.flag("training_mode", false), "training mode: export the model for inference")
	if !r.flag("spatial", true) && len(x.shape) != 2 { // for [N, C] both are the same
		panic(unsupportedf("spatial = 0 on maps %v, which has statistics for each pixel: train it with statistics for each channel", x.shape))
	}
	unsupportedIf(len(x.shape) < 2, "an input of %d dimensions: it must have at least 2", len(x.shape))
	b := &nn.BatchNorm{
		Scale: r.weight(1), Shift: r.weight(2), Mean: r.statistic(3), Variance: r.statistic(4),
		Epsilon: r.float("epsilon", 1e-5), Momentum: oneMinus(r.float("momentum", 0.9)),
	}
	b.Channels = len(b.Scale.Data)
	unsupportedIf(b.Epsilon == 0, "epsilon 0")
	if x.shape[0] != 1 { // rows [N, C, …] of one example: the channels go first
		swap := []int{1, 0, 2}
		c := x.as([]int{x.shape[0], x.shape[1], nn.Size(x.shape[2:])})
		c.transpose(swap).then(b).transpose(swap).end(0, x.shape)
		return
	}
	c := x.inner()
	if len(c.shape) != 1 && len(c.shape) != 3 {
		c = c.as([]int{x.shape[1], nn.Size(x.shape[2:]), 1})
	}
	c.then(b).end(0, x.shape)
}

// oneMinus returns 1 − share as the shortest decimal from which share is found again.
func oneMinus(share float64) float64 {
	if share == 1 {
		return math.SmallestNonzeroFloat64 // 0 would mean the default
	}
	if m := shortest(float32(1 - share)); float32(1-m) == float32(share) {
		return m
	}
	return 1 - share
}

// instanceNorm is ONNX InstanceNormalization-6: it standardises each channel of each image.
func (r *nodeReader) instanceNorm() {
	x := r.operand(0)
	malformedIf(len(x.shape) < 2 || x.shape[1] == 0, "an input of shape %v: it must have channels", x.shape)
	r.normGroups(x, x.shape[1], x.shape[1])
}

// groupNorm is ONNX GroupNormalization-21, with a scale and shift for each channel; in opset
// 18 there was one for each group.
func (r *nodeReader) groupNorm() {
	x, groups := r.operand(0), r.int("num_groups", 0)
	malformedIf(len(x.shape) < 2 || groups < 1 || groups > int64(x.shape[1]) || x.shape[1]%int(groups) != 0,
		"%d groups of shape %v", groups, x.shape)
	params := x.shape[1]
	if r.opset < 21 {
		params = int(groups)
	}
	r.normGroups(x, int(groups), params)
}

// normGroups standardises groups of channels and then multiplies and adds
// constants of that many elements, each for as many channels.
func (r *nodeReader) normGroups(x *view, groups, params int) {
	channels := x.shape[1]
	c := x.as([]int{x.shape[0] * groups, nn.Size(x.shape[1:]) / groups})
	c = c.then(&nn.LayerNorm{Epsilon: r.float("epsilon", 1e-5)}).as([]int{x.shape[0], channels, nn.Size(x.shape[2:])})
	for i, operator := range []string{"Mul", "Add"} {
		v := r.floats(i + 1)
		malformedIf(!slices.Equal(v.shape, []int{params}),
			"constant %q has shape %v: it must be [%d]", v.name, v.shape, params)
		r.claim(channels)
		column := r.param(v, fmt.Sprint("column ", channels), func(_ []int, x []float32) ([]int, []float32) {
			y := make([]float32, channels)
			for c := range y {
				y[c] = x[c*params/channels]
			}
			return []int{channels, 1}, y
		})
		c = c.then(&nn.Binary{Operator: operator, Constant: column})
	}
	c.end(0, x.shape)
}

// layerNorm is ONNX LayerNormalization-17: it standardises over the dimensions from the axis
// on.
func (r *nodeReader) layerNorm() {
	x := r.operand(0)
	axis := r.axis(-1, len(x.shape))
	op := &nn.LayerNorm{Axes: len(x.shape) - axis, Epsilon: r.float("epsilon", 1e-5)}
	c := x.inner()
	if op.Axes > len(c.shape) {
		c = x
	}
	var after [2]*view
	for i, p := range []**nn.Param{&op.Scale, &op.Shift} {
		k, ok := r.optional(i + 1)
		switch {
		case !ok:
		case k.value == nil || after[0] != nil:
			after[i] = k
		default:
			*p = r.repeated(k.value, x.shape[axis:])
		}
	}
	c = c.then(op)
	for i, operator := range []string{"Mul", "Add"} {
		if after[i] != nil {
			c = c.combine(operator, after[i], x.shape)
		}
	}
	c.end(0, x.shape)
}

// repeated returns a constant repeated so that it has the shape.
func (r *nodeReader) repeated(v *value, to []int) *nn.Param {
	if slices.Equal(v.shape, to) {
		return r.param(v, "", nil)
	}
	mustBroadcastTo(v.shape, to)
	r.claim(nn.Size(to))
	return r.param(v, fmt.Sprint("fills ", to), func(from []int, x []float32) ([]int, []float32) {
		y := make([]float32, nn.Size(to))
		for i, at := range nn.BroadcastIndex(from, to) {
			y[i] = x[at]
		}
		return to, y
	})
}

// rmsNorm is ONNX RMSNormalization-23, y = x/√(mean(x²) + epsilon) · scale, with the mean
// over the dimensions from the axis on.
func (r *nodeReader) rmsNorm() {
	x, scale := r.operand(0), r.operand(1)
	axes := nn.Indices(len(x.shape))[r.axis(-1, len(x.shape)):]
	c := x
	square := c.then(&nn.Binary{Operator: "Mul"}, c)
	mean := square.then(&nn.Reduce{Function: "Mean", Axes: axes, Keep: true})
	root := mean.number("Add", r.float("epsilon", 1e-5)).then(&nn.Unary{Function: "Sqrt"})
	c.with("Div", root).as(inner(x.shape)).combine("Mul", scale, x.shape).end(0, x.shape)
}

// localResponse is ONNX LRN-13: it divides by (bias + alpha/size·Σx²)^beta, the sum over
// neighbouring channels, as an average pool over channels that counts the padding.
func (r *nodeReader) localResponse() {
	x, size := r.operand(0), r.int("size", 0)
	malformedIf(len(x.shape) < 2 || size < 1 || size > maxWindow,
		"attribute \"size\" is %d for shape %v", size, x.shape)
	k := int(size)
	pool := &nn.AveragePool{Kernel: [2]int{k, 1}, Pad: [4]int{(k - 1) / 2, 0, k / 2, 0}, CountIncludePad: true}
	c := x.as([]int{x.shape[0], x.shape[1], nn.Size(x.shape[2:])})
	power := c.then(&nn.Binary{Operator: "Mul"}, c).then(pool)
	power = power.number("Mul", r.float("alpha", 1e-4)).number("Add", r.float("bias", 1)).number("Pow", r.float("beta", .75))
	c.with("Div", power).end(0, x.shape)
}

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
		x.end(0, x.shape)
		return
	}
	if len(axes) == 0 {
		axes = nn.Indices(len(x.shape))
	}
	slices.Sort(axes)
	r.reduceOver(x, function, axes, keep)
}

// reduceOver reads a reduction of an activation over sorted axes.
func (r *nodeReader) reduceOver(x *view, function string, axes []int, keep bool) {
	shape := outputShape(&nn.Reduce{Function: "Sum", Axes: axes, Keep: keep}, x.shape)
	if len(inner(x.shape)) < len(x.shape) && len(axes) > 1 && axes[0] == 0 {
		axes = axes[1:] // of size 1
	}
	c, shift := x.along(axes...)
	axes = shifted(axes, shift)
	if len(x.shape) == 0 {
		c, axes = c.as([]int{1}), []int{0}
	}
	c.reduced(function, axes, keep).end(0, shape)
}

// reduced applies a reduction. Those that nn.Reduce does not have are of sums.
func (c *view) reduced(function string, axes []int, keep bool) *view {
	sum := func(c *view) *view { return c.reduced("Sum", axes, keep) }
	switch function {
	case "L1":
		return sum(c.function("Abs"))
	case "L2":
		return c.reduced("SumSquare", axes, keep).function("Sqrt")
	case "SumSquare":
		return sum(c.with("Mul", c))
	case "Prod":
		shape := outputShape(&nn.Reduce{Function: "Sum", Axes: axes, Keep: keep}, c.shape)
		for _, a := range axes {
			c = c.product(a)
		}
		return c.as(shape)
	case "LogSum":
		return sum(c).function("Log")
	case "LogSumExp": // log Σ e^(x − m) + m, m the largest entry
		top := c.reduced("Max", axes, true).clipped(-math.MaxFloat32, math.MaxFloat32)
		y := sum(c.with("Sub", top).function("Exp")).function("Log")
		return y.with("Add", top.as(y.shape))
	}
	return c.then(&nn.Reduce{Function: function, Axes: axes, Keep: keep})
}

// product multiplies the first half of a dimension by the second one until one entry is left. Ones make
// the halves equal.
func (c *view) product(axis int) *view {
	for c.shape[axis] != 1 {
		n := c.shape[axis]
		if n == 0 || n%2 != 0 {
			pad := &nn.Pad{Before: make([]int, len(c.shape)), After: make([]int, len(c.shape)), Value: 1}
			pad.After[axis] = 1
			c = c.then(pad)
			continue
		}
		first, second := allOf(c.shape), allOf(c.shape)
		first.Counts[axis], second.Counts[axis], second.Starts[axis] = n/2, n/2, n/2
		c = c.then(first).with("Mul", c.then(second))
	}
	return c
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
	x.lastAxis(axis, &nn.Dense{In: n, Out: n, Weight: w}).end(0, x.shape)
}

// last returns what applies an operator over the last dimension to another.
func last(op nn.Op) func(c *view, axis int) *view {
	return func(c *view, axis int) *view { return c.lastAxis(axis, op) }
}

func logSoftmax(c *view, axis int) *view {
	return c.with("Sub", c.reduced("LogSumExp", []int{axis}, true))
}

// softmax returns the reader of an operator over one axis; before opset 13 it is over all
// dimensions from the axis on, as one.
func softmax(over func(c *view, axis int) *view) func(*nodeReader) {
	return func(r *nodeReader) {
		x, old, absent := r.operand(0), r.opset < 13, int64(-1)
		if old {
			absent = 1
		}
		a, rank := r.int("axis", absent), len(x.shape)
		if old && a == int64(rank) {
			over(x.as(append(slices.Clone(x.shape), 1)), rank).end(0, x.shape)
			return
		}
		axis := axisOf(a, rank)
		if old && axis < rank-1 {
			over(x.as([]int{nn.Size(x.shape[:axis]), nn.Size(x.shape[axis:])}), 1).end(0, x.shape)
			return
		}
		c, shift := x.along(axis)
		over(c, axis-shift).end(0, x.shape)
	}
}
