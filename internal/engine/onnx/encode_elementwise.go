package onnx

import (
	"fmt"
	"math"
	"slices"

	"tattle/internal/engine/nn"
)

// broadcasting writes an operator of several operands that broadcast, each an input or a
// constant. An input of fewer dimensions than the output gets dimensions of 1 after the
// batch's, since ONNX aligns shapes at their ends.
func (e *encoder) broadcasting(n *nn.Node, in [][]int, out []int) {
	var constants []*nn.Param // nil for the next input
	var bools [3]bool         // operands that are booleans in ONNX
	answer := false           // so is the result
	switch op := n.Op.(type) {
	case *nn.Binary:
		constants, answer = pair(op.Constant, op.ConstantFirst), nn.Compares(op.Operator)
		bools[0] = slices.Contains([]string{"And", "Or", "Xor"}, op.Operator)
		bools[1] = bools[0]
	case *nn.Where:
		constants, bools[0] = []*nn.Param{op.Condition, op.Then, op.Else}, true
	}
	parameter := e.param
	if unbounded(n.Op.Kind()) {
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

// pair returns two operands of which one may be a constant.
func pair(constant *nn.Param, first bool) []*nn.Param {
	if first {
		return []*nn.Param{constant, nil}
	}
	return []*nn.Param{nil, constant}
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
