package onnx

import (
	"fmt"
	"slices"
	"strings"

	"tattle/internal/engine/nn"
)

// nodeReader reads one node of a file. Its methods panic where the node cannot be read,
// with an error that [attempt] returns.
type nodeReader struct {
	*decoder
	*node
}

// inner returns an ONNX shape without one leading 1, the batch.
func inner(shape []int) []int {
	if len(shape) > 0 && shape[0] == 1 {
		return shape[1:]
	}
	return shape
}

// has reports whether the node has an input i.
func (n *node) has(i int) bool { return i < len(n.inputs) && n.inputs[i] != "" }

// operand returns input i.
func (r *nodeReader) operand(i int) *view {
	x, ok := r.optional(i)
	malformedIf(!ok, "input %d is missing", i+1)
	return x
}

// optional returns input i if the node has one. Where all inputs are constants, each is read like an
// activation.
func (r *nodeReader) optional(i int) (x *view, ok bool) {
	if !r.has(i) {
		return nil, false
	}
	name := r.node.inputs[i]
	shape, constant := r.shapes[name], (*value)(nil)
	if r.isConstant(name) {
		constant = r.value(name)
		shape = append([]int{}, constant.shape...)
		if r.scratch != nil {
			r.inner[name], constant = inner(shape), nil
		}
	} else if shape == nil {
		panic(errDepends)
	}
	return &view{r, &result{input: true, value: constant, inputs: []string{name}, have: inner(shape)}, shape}, true
}

// constant returns input i, which must be constant.
func (r *nodeReader) constant(i int) *value {
	malformedIf(!r.has(i), "input %d is missing", i+1)
	name := r.node.inputs[i]
	unsupportedIf(!r.isConstant(name), "input %q is computed: it must be constant", name)
	return r.value(name)
}

// ints returns input i, which must be constant integers or bools.
func (r *nodeReader) ints(i int) []int64 {
	v := r.constant(i)
	malformedIf(v.kind == isFloat, "input %q has type %s: it must be integers", v.name, typeName(v.element))
	return v.ints
}

// oneInt returns input i, one constant integer, clamped to ±2⁴⁰.
func (r *nodeReader) oneInt(i int) int64 {
	x := r.ints(i)
	malformedIf(len(x) != 1, "input %q has %d values: it must have one", r.node.inputs[i], len(x))
	const limit = 1 << 40
	return min(max(x[0], -limit), limit)
}

// floats returns input i, which must be constant floats.
func (r *nodeReader) floats(i int) *value {
	v := r.constant(i)
	unsupportedIf(v.kind != isFloat, "input %q has type %s: it must be floats", v.name, typeName(v.element))
	return v
}

// oneFloat returns input i, one constant number.
func (r *nodeReader) oneFloat(i int) float64 {
	v := asFloats(r.constant(i))
	malformedIf(len(v.floats) != 1, "input %q has %d values: it must have one", v.name, len(v.floats))
	v.mustBeSound(true)
	return shortest(v.floats[0])
}

// list returns the integers of an attribute or, in the opsets that have it as an input,
// of that input. A negative input means that there is only the attribute.
func (r *nodeReader) list(name string, input int) (x []int64, ok bool) {
	if a, ok := r.typed(name, kindInts); ok {
		return a.ints, true
	}
	if input < 0 || !r.has(input) {
		return nil, false
	}
	return r.ints(input), true
}

// axis returns the attribute "axis" as one of rank dimensions.
func (r *nodeReader) axis(absent int64, rank int) int { return axisOf(r.int("axis", absent), rank) }

// mustFit panics if an activation would be absurdly large.
func (r *nodeReader) mustFit(shape []int) {
	switch {
	case r.fits(shape):
	case r.scratch != nil:
		r.claim(-1)
	default:
		panic(malformedf("activation %q has the absurd shape %v", r.outputs[0], shape))
	}
}

// fits reports whether a shape is one of a reasonable activation.
func (d *decoder) fits(shape []int) bool {
	limit := d.batch * maxActivation
	if d.scratch != nil {
		limit = maxFolded
	}
	_, ok := nn.SizeWithin(shape, limit)
	return ok
}

// emit adds an operator that computes an output of the node, of the given ONNX shape. Where
// the operator's own shape is another, a Reshape follows.
func (r *nodeReader) emit(op nn.Op, out int, shape []int, inputs ...string) {
	got := r.shapeOf(op, inputs)
	output, want := r.outputs[out], inner(shape)
	r.mustFit(want)
	n, ok := nn.SizeWithin(got, r.batch*maxActivation)
	malformedIf(!ok || n != nn.Size(want), "output %q must have shape %v, but is computed with shape %v", output, want, got)
	r.shapes[output] = append([]int{}, shape...)
	if slices.Equal(got, want) {
		r.put(r.nextOf(r.node), op, output, want, inputs...)
		return
	}
	between := r.freshTensor(output + "_flat")
	r.put(r.nextOf(r.node), op, between, got, inputs...)
	r.put(r.nextOf(r.node), &nn.Reshape{To: want}, output, want, between)
}

// emitInner adds an operator between the inputs and the output of the node, and returns
// the tensor that it computes.
func (r *nodeReader) emitInner(op nn.Op, inputs ...string) (tensor string) {
	shape := r.shapeOf(op, inputs)
	tensor = r.freshTensor(r.outputs[0] + "_" + strings.ToLower(op.Kind()))
	r.mustFit(shape)
	r.put(r.nextOf(r.node), op, tensor, shape, inputs...)
	return tensor
}

// renameOutput gives the node's output to the operator that computed its only input so
// far, instead of adding another.
func (r *nodeReader) renameOutput(x *view) {
	r.rename(x.name(), r.outputs[0])
	r.shapes[r.outputs[0]] = x.shape
}

// weight returns input i, constant floats, as a parameter.
func (r *nodeReader) weight(i int) *nn.Param { return r.param(r.floats(i), "", nil) }

// statistic is a weight that the node has to itself. Exporters keep equal
// tensors once; training must not move a parameter with the running mean.
func (r *nodeReader) statistic(i int) *nn.Param {
	return r.param(r.floats(i), fmt.Sprint("statistic ", i, " of ", r.node.name), nil)
}

// setOutput makes output i of the node a constant.
func (r *nodeReader) setOutput(i int, v *value) {
	if i >= len(r.outputs) || r.outputs[i] == "" {
		return
	}
	v.roundNarrow()
	v.name = r.outputs[i]
	r.values[v.name] = v
}

// set makes the node's first output a constant.
func (r *nodeReader) set(v *value) { r.setOutput(0, v) }

// axisOf counts a negative axis from the end.
func axisOf(axis int64, rank int) int {
	malformedIf(axis < -int64(rank) || axis >= int64(rank), "axis %d of %d dimensions", axis, rank)
	return modulo(int(axis), rank)
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
	return modulo(int(i), size)
}

// clampIndex counts a negative index from the end, and clamps it to low … high.
func clampIndex(i, size, low, high int64) int64 {
	if i < 0 {
		i += size
	}
	return min(max(i, low), high)
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
