package onnx

import (
	"slices"

	"tattle/internal/engine/nn"
)

// reduceAxesInput is the opset from which all reductions have their axes as an input;
// ReduceSum has in all that are written.
const reduceAxesInput = 18

// matmul transposes first what the operator transposes, and puts dimensions of 1 between the
// batch's and those that are broadcast.
func (e *encoder) matmul(n *nn.Node, op *nn.MatMul, in [][]int) {
	inputs := slices.Clone(n.Inputs)
	rank := max(len(in[0]), len(in[1]))
	for i, trans := range []bool{op.TransA, op.TransB} {
		dims, side := len(in[i]), n.Name+[]string{".a", ".b"}[i]
		if trans {
			perm := countUp(dims + 1)
			perm[dims-1], perm[dims] = dims, dims-1
			inputs[i] = e.emitInner("Transpose", inputs[i:i+1], side+".transposed", appendNumbers(nil, "perm", perm))
		}
		if dims < rank {
			aligned := e.fresh(side + ".aligned")
			axes := e.ints(side+".axes", afterBatch(countUp(rank-dims))...)
			e.emit("Unsqueeze", []string{inputs[i], axes}, aligned, aligned, nil)
			inputs[i] = aligned
		}
	}
	e.emit("MatMul", inputs, n.Output, n.Name, nil)
}

// dense writes a Gemm, or for rows, which a Gemm does not accept, a product with the
// transposed weight and a sum.
func (e *encoder) dense(n *nn.Node, op *nn.Dense, dims int) {
	weight := e.param(op.Weight, n.Name+".weight")
	if dims == 1 {
		settings := appendNumber(appendFloat(appendFloat(nil, "alpha", 1), "beta", 1), "transB", 1)
		inputs := []string{n.Inputs[0], weight}
		if op.Bias != nil {
			inputs = append(inputs, e.param(op.Bias, n.Name+".bias"))
		}
		e.emit(op.Kind(), inputs, n.Output, n.Name, settings)
		return
	}
	turned := e.emitInner("Transpose", []string{weight}, n.Name+".weight.transposed", appendNumbers(nil, "perm", []int{1, 0}))
	product := n.Output
	if op.Bias != nil {
		product = e.fresh(n.Name + ".product")
	}
	e.emit("MatMul", []string{n.Inputs[0], turned}, product, n.Name, nil)
	if op.Bias != nil {
		e.emit("Add", []string{product, e.param(op.Bias, n.Name+".bias")}, n.Output, n.Name+".sum", nil)
	}
}

// norm writes a norm. Where the operator has no scale or shift that ONNX requires, these
// are ones and zeros.
func (e *encoder) norm(n *nn.Node, in []int) {
	var settings []byte
	var params []*nn.Param
	var epsilon float64
	var shape []int // of the scale and shift
	names, required := []string{".scale", ".shift", ".mean", ".variance"}, 2
	switch op := n.Op.(type) {
	case *nn.BatchNorm:
		params, epsilon = []*nn.Param{op.Scale, op.Shift, op.Mean, op.Variance}, orDefault(op.Epsilon, nn.DefaultBatchNormEpsilon)
	case *nn.LayerNorm:
		params, epsilon, shape = []*nn.Param{op.Scale, op.Shift}, orDefault(op.Epsilon, nn.DefaultLayerNormEpsilon), in[len(in)-max(op.Axes, 1):]
		settings, required = appendNumber(nil, "axis", -int64(len(shape))), 1
	}
	if v := float32(epsilon); !(v > 0) || v-v != 0 {
		panic(unsupportedf("epsilon %v is not a float32", epsilon))
	}
	inputs := slices.Clone(n.Inputs)
	for i, p := range params {
		if p == nil && i >= required {
			break
		}
		if p == nil {
			p = &nn.Param{Shape: shape, Data: slices.Repeat([]float32{float32(1 - i)}, nn.Size(shape))}
		}
		inputs = append(inputs, e.param(p, n.Name+names[i]))
	}
	settings = appendFloat(settings, "epsilon", epsilon)
	if op, ok := n.Op.(*nn.BatchNorm); ok {
		settings = appendFloat(settings, "momentum", 1-orDefault(op.Momentum, nn.DefaultBatchNormMomentum))
	}
	e.emit(n.Op.Kind(), inputs, n.Output, n.Name, settings)
}

func orDefault(v, absent float64) float64 {
	if v == 0 {
		return absent
	}
	return v
}

// reduce numbers the axes after the batch's; none means all of them. A reduction
// over no axis cannot be written, since an empty list means all in ONNX.
func (e *encoder) reduce(n *nn.Node, op *nn.Reduce, in []int) {
	axes := op.Axes
	if axes == nil {
		axes = countUp(len(in))
	}
	if len(axes) == 0 {
		panic(unsupportedf("a reduction over no dimension cannot be written"))
	}
	inputs, settings := n.Inputs, appendFlag(nil, "keepdims", op.Keep)
	if op.Function == "Sum" || e.opset >= reduceAxesInput {
		inputs = slices.Concat(inputs, []string{e.ints(n.Name+".axes", afterBatch(axes)...)})
	} else {
		settings = appendNumbers(settings, "axes", afterBatch(axes))
	}
	e.emit(op.Kind(), inputs, n.Output, n.Name, settings)
}

// images writes convolutions and pools. Several images of an example become images of the
// batch, and examples again.
func (e *encoder) images(n *nn.Node, in, out []int) {
	var params []*nn.Param
	var settings []byte
	switch op := n.Op.(type) {
	case *nn.Conv2D:
		params = []*nn.Param{op.Weight, op.Bias}
		settings = appendConv(op.Dilation, op.Groups)
		settings = appendWindow(settings, op.Kernel, op.Stride, op.Pad)
	case *nn.ConvTranspose:
		params = []*nn.Param{op.Weight, op.Bias}
		settings = appendNumbers(appendConv(op.Dilation, op.Groups), "output_padding", op.OutputPad[:])
		settings = appendWindow(settings, op.Kernel, op.Stride, op.Pad)
	case *nn.MaxPool:
		settings = appendWindow(appendDilation(op.Dilation), op.Kernel, op.Stride, op.Pad)
	case *nn.AveragePool:
		settings = appendFlag(appendDilation(op.Dilation), "count_include_pad", op.CountIncludePad)
		settings = appendWindow(settings, op.Kernel, op.Stride, op.Pad)
	}
	var names []string
	for i, p := range params {
		if p != nil {
			names = append(names, e.param(p, n.Name+[]string{".weight", ".bias"}[i]))
		}
	}
	from, to := n.Inputs[0], n.Output
	if len(in) > 3 {
		from, to = e.fresh(from+"_images"), e.fresh(to+"_images")
		e.asImages(n.Inputs[0], from, in[len(in)-3:])
	}
	e.emit(n.Op.Kind(), append([]string{from}, names...), to, n.Name, settings)
	if len(in) > 3 {
		e.asImages(to, n.Output, out)
	}
}

// asImages views a tensor as a batch of that shape.
func (e *encoder) asImages(from, to string, shape []int) {
	e.emit("Reshape", []string{from, e.ints(to+".shape", withBatch(-1, shape)...)}, to, to, nil)
}

func orOne(x [2]int) [2]int { return [2]int{max(x[0], 1), max(x[1], 1)} }

// appendDilation names the dilation of a pool where there is one.
func appendDilation(dilation [2]int) []byte {
	if dilation = orOne(dilation); dilation == [2]int{1, 1} {
		return nil
	}
	return appendNumbers(nil, "dilations", dilation[:])
}

func appendConv(dilation [2]int, groups int) []byte {
	dilation = orOne(dilation)
	return appendNumber(appendNumbers(nil, "dilations", dilation[:]), "group", int64(max(groups, 1)))
}

func appendWindow(b []byte, kernel, stride [2]int, pad [4]int) []byte {
	stride = orOne(stride)
	b = appendNumbers(b, "kernel_shape", kernel[:])
	b = appendNumbers(b, "pads", pad[:])
	return appendNumbers(b, "strides", stride[:])
}
