package onnx

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"tattle/internal/engine/nn"
)

// reduceAxesInput is the opset from which all reductions have their axes as an input;
// ReduceSum has in all that are written.
const reduceAxesInput = 18

// aligned returns the operands of a product. It transposes first what the operator transposes, and
// puts dimensions of 1 between the batch's and those that are broadcast.
func (e *encoder) aligned(n *nn.Node, op *nn.MatMul, in [][]int) []string {
	inputs := slices.Clone(n.Inputs)
	rank := max(len(in[0]), len(in[1]))
	for i := range inputs {
		dims, side := len(in[i]), n.Name+[]string{".a", ".b"}[i]
		if i == 1 && op.TransB {
			perm := nn.Indices(dims + 1)
			perm[dims-1], perm[dims] = dims, dims-1
			inputs[i] = e.emitInner("Transpose", inputs[i:i+1], side+".transposed", given{"perm", perm})
		}
		if dims < rank {
			axes := e.ints(side+".axes", afterBatch(nn.Indices(rank-dims))...)
			inputs[i] = e.emitInner("Unsqueeze", []string{inputs[i], axes}, side+".aligned")
		}
	}
	return inputs
}

// dense writes a Gemm, or for rows, which a Gemm does not accept, a product with the
// transposed weight and a sum.
func (e *encoder) dense(n *nn.Node, op *nn.Dense, dims int) {
	weight := e.param(op.Weight, n.Name+".weight")
	if dims == 1 {
		inputs := []string{n.Inputs[0], weight}
		if op.Bias != nil {
			inputs = append(inputs, e.param(op.Bias, n.Name+".bias"))
		}
		e.emit(op.Kind(), inputs, n.Output, n.Name, given{"alpha", 1.}, given{"beta", 1.}, given{"transB", 1})
		return
	}
	turned := e.emitInner("Transpose", []string{weight}, n.Name+".weight.transposed", given{"perm", []int{1, 0}})
	product := n.Output
	if op.Bias != nil {
		product = e.fresh(n.Name + ".product")
	}
	e.emit("MatMul", []string{n.Inputs[0], turned}, product, n.Name)
	if op.Bias != nil {
		e.emit("Add", []string{product, e.param(op.Bias, n.Name+".bias")}, n.Output, n.Name+".sum")
	}
}

// normParams adds the parameters of a norm. The first ones must be there: where the operator has none,
// they are ones and zeros of that shape.
func (e *encoder) normParams(n *nn.Node, required int, all []*nn.Param, shape []int) (names []string) {
	for i, p := range all {
		if p == nil && i >= required {
			break
		}
		if p == nil {
			p = &nn.Param{Shape: shape, Data: slices.Repeat([]float32{float32(1 - i)}, nn.Size(shape))}
		}
		names = append(names, e.param(p, n.Name+[]string{".scale", ".shift", ".mean", ".variance"}[i]))
	}
	return names
}

// epsilon is that of a norm, which must be a positive float32.
func epsilon(v, absent float64) given {
	v = cmp.Or(v, absent)
	s := float32(v)
	unsupportedIf(!(s > 0) || s-s != 0, "epsilon %v is not a float32", v)
	return given{"epsilon", v}
}

// images writes convolutions and pools. Several images of an example become images of the
// batch, and examples again.
func (e *encoder) images(n *nn.Node, in, out []int) {
	var params []*nn.Param
	var with []given
	switch op := n.Op.(type) {
	case *nn.Conv2D:
		params = []*nn.Param{op.Weight, op.Bias}
		with = ofWindow(op.Kernel, op.Stride, op.Pad, given{"dilations", orOne(op.Dilation)}, given{"group", max(op.Groups, 1)})
	case *nn.ConvTranspose:
		params = []*nn.Param{op.Weight, op.Bias}
		with = ofWindow(op.Kernel, op.Stride, op.Pad, given{"dilations", orOne(op.Dilation)}, given{"group", max(op.Groups, 1)}, given{"output_padding", op.OutputPad[:]})
	case *nn.MaxPool:
		with = ofWindow(op.Kernel, op.Stride, op.Pad, dilated(op.Dilation)...)
	case *nn.AveragePool:
		with = ofWindow(op.Kernel, op.Stride, op.Pad, append(dilated(op.Dilation), given{"count_include_pad", op.CountIncludePad})...)
	}
	inputs := slices.Clone(n.Inputs)
	for i, p := range params {
		if p != nil {
			inputs = append(inputs, e.param(p, n.Name+[]string{".weight", ".bias"}[i]))
		}
	}
	to := n.Output
	if len(in) > 3 {
		inputs[0], to = e.fresh(inputs[0]+"_images"), e.fresh(to+"_images")
		e.asImages(n.Inputs[0], inputs[0], in[len(in)-3:])
	}
	e.emit(n.Op.Kind(), inputs, to, n.Name, with...)
	if len(in) > 3 {
		e.asImages(to, n.Output, out)
	}
}

// asImages views a tensor as a batch of that shape.
func (e *encoder) asImages(from, to string, shape []int) {
	e.emit("Reshape", []string{from, e.ints(to+".shape", withBatch(-1, shape)...)}, to, to)
}

func orOne(x [2]int) []int { return []int{max(x[0], 1), max(x[1], 1)} }

// dilated names the dilation of a pool where there is one.
func dilated(dilation [2]int) []given {
	if max(dilation[0], dilation[1]) <= 1 {
		return nil
	}
	return []given{{"dilations", orOne(dilation)}}
}

// ofWindow returns the settings of a window behind others.
func ofWindow(kernel, stride [2]int, pad [4]int, before ...given) []given {
	return append(before, given{"kernel_shape", kernel[:]}, given{"pads", pad[:]}, given{"strides", orOne(stride)})
}

// broadcasting writes an operator of several operands that broadcast, each an input or a
// constant. An input of fewer dimensions than the output gets dimensions of 1 after the
// batch's, since ONNX aligns shapes at their ends.
func (e *encoder) broadcasting(n *nn.Node, in [][]int, out []int) {
	var constants []*nn.Param // nil for the next input
	var bools [3]bool         // operands that are booleans in ONNX
	answer := false           // so is the result
	switch op := n.Op.(type) {
	case *nn.Binary:
		constants, answer = op.Constants(), nn.Compares(op.Operator)
		bools[0] = slices.Contains([]string{"And", "Or", "Xor"}, op.Operator)
		bools[1] = bools[0]
	case *nn.Where:
		constants, bools[0] = op.Constants(), true
	}
	parameter := e.param
	if operators()[n.Op.Kind()].traits&infinite != 0 {
		parameter = e.mask
	}
	var names []string
	next := 0
	for i, p := range constants {
		var name string
		if p != nil {
			name = parameter(p, fmt.Sprintf("%s.constant%d", n.Name, i))
		} else if next < len(in) {
			name = e.lifted(n, n.Inputs[next], in[next], len(out))
			next++
		}
		if bools[i] {
			name = e.emitInner("Cast", []string{name}, name+"_true", given{"to", typeBool})
		}
		names = append(names, name)
	}
	if !answer {
		e.emit(n.Op.Kind(), names, n.Output, n.Name)
		return
	}
	holds := e.fresh(n.Output + "_holds")
	e.emit(n.Op.Kind(), names, holds, n.Name)
	e.castTo(holds, n.Output)
}

// lifted returns a tensor with that many dimensions, by a Reshape if it has fewer.
func (e *encoder) lifted(n *nn.Node, tensor string, shape []int, rank int) string {
	if len(shape) >= rank {
		return tensor
	}
	unsupportedIf(slices.Contains(shape, 0), "input %q of shape %v is empty", tensor, shape)
	dims := slices.Concat([]int{0}, slices.Repeat([]int{1}, rank-len(shape)), shape)
	return e.emitInner("Reshape", []string{tensor, e.ints(n.Name+".shape", dims...)}, tensor+"_lifted")
}

// castTo casts a tensor to float32.
func (e *encoder) castTo(from, to string) {
	e.emit("Cast", []string{from}, to, to, given{"to", typeFloat})
}

// unary writes a function of each entry.
func (e *encoder) unary(n *nn.Node, op *nn.Unary) {
	x := n.Inputs
	switch op.Function {
	case "Clip":
		e.clip(n, op)
	case "Float16", "BFloat16":
		element := typeFloat16
		if op.Function == "BFloat16" {
			element = typeBfloat16
		}
		narrow := e.fresh(n.Output + "_narrow")
		e.emit("Cast", x, narrow, n.Name, given{"to", element})
		e.castTo(narrow, n.Output)
	default:
		e.emit(op.Function, x, n.Output, n.Name)
	}
}

// clip writes the limits as inputs, which are left out if there are none.
func (e *encoder) clip(n *nn.Node, op *nn.Unary) {
	names := []string{n.Inputs[0], "", ""}
	for i, v := range []float64{op.Alpha, op.Beta} {
		if !math.IsInf(v, 2*i-1) {
			names[i+1] = e.number(v, n.Name+[]string{".min", ".max"}[i])
		}
	}
	for names[len(names)-1] == "" {
		names = names[:len(names)-1]
	}
	e.emit("Clip", names, n.Output, n.Name)
}

// reshape keeps the batch, for which 0 stands.
func (e *encoder) reshape(name, from, to string, shape []int) {
	unsupportedIf(slices.Contains(shape, 0), "shape %v is empty, which cannot be written with an open batch", shape)
	e.emit("Reshape", []string{from, e.ints(name+".shape", withBatch(0, shape)...)}, to, name)
}

// sliced returns the inputs of a Slice that name the dimensions that change, nil if none does.
func (e *encoder) sliced(n *nn.Node, op *nn.Slice, in []int) []string {
	var starts, ends, axes, steps []int
	for d, start := range op.Starts {
		step, many := 1, op.Counts[d]
		if op.Steps != nil {
			step = op.Steps[d]
		}
		if start == 0 && many == in[d] && (step == 1 || many <= 1) {
			continue
		}
		if many <= 1 {
			step = 1
		}
		end := start + step*many
		if end < 0 { // would count from the end
			end = math.MinInt64 + 1
		}
		starts, ends, axes, steps = append(starts, start), append(ends, end), append(axes, d+1), append(steps, step)
	}
	if len(axes) == 0 {
		return nil
	}
	return []string{
		e.ints(n.Name+".starts", starts...), e.ints(n.Name+".ends", ends...),
		e.ints(n.Name+".axes", axes...), e.ints(n.Name+".steps", steps...),
	}
}

// batchShape computes the shape of a batch of tensors, whose size is that of the model's
// input.
func (e *encoder) batchShape(name string, shape []int) (tensor string) {
	all, one, whole := e.fresh(name+".input_shape"), e.fresh(name+".batch"), e.fresh(name+".batch_shape")
	zero := e.ints(name+".first", 0)
	rest := e.ints(name+".dims", shape...)
	e.emit("Shape", []string{e.input}, all, all)
	e.emit("Gather", []string{all, zero}, one, one)
	e.emit("Concat", []string{one, rest}, whole, whole, given{"axis", 0})
	return whole
}
