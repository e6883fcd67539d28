package onnx

import (
	"fmt"
	"slices"

	"tattle/nn"
)

// reduceAxesInput is the opset from which all reductions take their axes as an input;
// ReduceSum does in all that are written.
const reduceAxesInput = 18

// mix encodes products of matrices, norms over an example and reductions; ok is false
// for any other operator.
func (e *encoder) mix(n *nn.Node, in [][]int, out []int) (body []byte, ok bool, err error) {
	switch op := n.Op.(type) {
	case *nn.MatMul:
		body = e.matmul(n, op, in)
	case *nn.Dense:
		if len(in[0]) == 1 {
			return nil, false, nil
		}
		body, err = e.denseRows(n, op)
	case *nn.LayerNorm:
		shape := in[0][len(in[0])-max(op.Axes, 1):]
		settings := appendNumber(nil, "axis", -int64(len(shape)))
		body, err = e.norm(n, op.Scale, op.Shift, op.Epsilon, settings, shape, false)
	case *nn.GroupNorm:
		settings := appendNumber(nil, "num_groups", int64(max(op.Groups, 1)))
		body, err = e.norm(n, op.Scale, op.Shift, op.Epsilon, settings, in[0][:1], true)
	case *nn.LogSoftmax:
		body = e.nodeBytes("LogSoftmax", n.Inputs, []string{n.Output}, n.Name, appendNumber(nil, "axis", -1))
	case *nn.Reduce:
		body, err = e.reduce(n, op, in[0])
	default:
		return nil, false, nil
	}
	return body, true, err
}

// matmul transposes what the operator does, and puts dimensions of 1 between the batch
// and what is broadcast.
func (e *encoder) matmul(n *nn.Node, op *nn.MatMul, in [][]int) (body []byte) {
	inputs := slices.Clone(n.Inputs)
	rank := max(len(in[0]), len(in[1]))
	for i, trans := range []bool{op.TransA, op.TransB} {
		shape, side := slices.Clone(in[i]), n.Name+[]string{".a", ".b"}[i]
		if last := len(shape) - 1; trans {
			shape[last-1], shape[last] = shape[last], shape[last-1]
			perm := countUp(len(shape) + 1)
			perm[last], perm[last+1] = last+1, last
			turned := e.fresh(side + ".transposed")
			body = append(body, e.nodeBytes("Transpose", inputs[i:i+1], []string{turned}, turned, appendNumbers(nil, "perm", perm))...)
			inputs[i] = turned
		}
		if len(shape) < rank {
			aligned := e.fresh(side + ".aligned")
			axes := e.ints(side+".axes", axesBehindBatch(countUp(rank-len(shape)))...)
			body = append(body, e.nodeBytes("Unsqueeze", []string{inputs[i], axes}, []string{aligned}, aligned, nil)...)
			inputs[i] = aligned
		}
	}
	return append(body, e.nodeBytes("MatMul", inputs, []string{n.Output}, n.Name, nil)...)
}

// axesBehindBatch numbers the dimensions of an example as those of a batch.
func axesBehindBatch(axes []int) []int64 {
	out := make([]int64, len(axes))
	for i, a := range axes {
		out[i] = int64(a + 1)
	}
	return out
}

// denseRows writes a Dense on rows, which a Gemm does not take, as the product with the
// transposed weight and a sum.
func (e *encoder) denseRows(n *nn.Node, op *nn.Dense) ([]byte, error) {
	weight, err := e.param(op.Weight, n.Name+".weight")
	if err != nil {
		return nil, err
	}
	turned, product := e.fresh(n.Name+".weight.transposed"), n.Output
	body := e.nodeBytes("Transpose", []string{weight}, []string{turned}, turned, appendNumbers(nil, "perm", []int{1, 0}))
	if op.Bias != nil {
		product = e.fresh(n.Name + ".product")
	}
	body = append(body, e.nodeBytes("MatMul", []string{n.Inputs[0], turned}, []string{product}, n.Name, nil)...)
	if op.Bias == nil {
		return body, nil
	}
	bias, err := e.param(op.Bias, n.Name+".bias")
	if err != nil {
		return nil, err
	}
	return append(body, e.nodeBytes("Add", []string{product, bias}, []string{n.Output}, n.Name+".sum", nil)...), nil
}

// norm writes ones for a scale, and where ONNX wants it zeros for a shift, that the
// operator goes without.
func (e *encoder) norm(n *nn.Node, scale, shift *nn.Param, epsilon float64, settings []byte, shape []int, both bool) ([]byte, error) {
	if epsilon == 0 {
		epsilon = nn.DefaultLayerNormEpsilon
	}
	if v := float32(epsilon); !(v > 0) || v-v != 0 {
		return nil, fmt.Errorf("epsilon %v is not a float32", epsilon)
	}
	inputs := slices.Clone(n.Inputs)
	for i, p := range []*nn.Param{scale, shift} {
		if p == nil && i == 1 && !both {
			break
		}
		if p == nil {
			p = filled(shape, float32(1-i))
		}
		name, err := e.param(p, n.Name+[]string{".scale", ".shift"}[i])
		if err != nil {
			return nil, err
		}
		inputs = append(inputs, name)
	}
	return e.nodeBytes(n.Op.Kind(), inputs, []string{n.Output}, n.Name, appendFloat(settings, "epsilon", epsilon)), nil
}

func filled(shape []int, v float32) *nn.Param {
	p := &nn.Param{Shape: shape, Data: make([]float32, nn.Size(shape))}
	for i := range p.Data {
		p.Data[i] = v
	}
	return p
}

// reduce numbers the axes behind the batch, where no axis stands for all. A reduction
// over none has no form of its own: ONNX takes an empty list for all.
func (e *encoder) reduce(n *nn.Node, op *nn.Reduce, in []int) ([]byte, error) {
	axes := op.Axes
	if axes == nil {
		axes = countUp(len(in))
	}
	if len(axes) == 0 {
		return nil, fmt.Errorf("a reduction over no dimension cannot be written")
	}
	keep := int64(0)
	if op.Keep {
		keep = 1
	}
	inputs, settings := n.Inputs, appendNumber(nil, "keepdims", keep)
	if op.Function == "Sum" || e.opset >= reduceAxesInput {
		inputs = slices.Concat(inputs, []string{e.ints(n.Name+".axes", axesBehindBatch(axes)...)})
	} else {
		list := make([]int, len(axes))
		for i, a := range axes {
			list[i] = a + 1
		}
		settings = appendNumbers(settings, "axes", list)
	}
	return e.nodeBytes(op.Kind(), inputs, []string{n.Output}, n.Name, settings), nil
}
