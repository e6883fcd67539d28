package onnx

import (
	"fmt"
	"math"
	"slices"

	"tattle/nn"
)

// elementwise encodes the operators that work entry by entry and broadcast; ok is
// false for any other.
func (e *encoder) elementwise(n *nn.Node, in [][]int, out []int) (body []byte, ok bool, err error) {
	switch op := n.Op.(type) {
	case *nn.Unary:
		body, err = e.unary(n, op)
	case *nn.PRelu:
		body, err = e.broadcast(n, in, out, []*nn.Param{nil, op.Slope}, broadcastForm{})
	case *nn.Binary:
		logical := slices.Contains([]string{"And", "Or", "Xor"}, op.Operator)
		f := broadcastForm{truth: [3]bool{logical, logical}, answers: nn.Compares(op.Operator)}
		body, err = e.broadcast(n, in, out, withConstant(op.Constant, op.ConstantFirst), f)
	case *nn.Where:
		f := broadcastForm{truth: [3]bool{true}}
		body, err = e.broadcast(n, in, out, []*nn.Param{op.Condition, op.Then, op.Else}, f)
	default:
		return nil, false, nil
	}
	return body, true, err
}

// withConstant places the constant of two operands, which may be nil.
func withConstant(constant *nn.Param, first bool) []*nn.Param {
	if first {
		return []*nn.Param{constant, nil}
	}
	return []*nn.Param{nil, constant}
}

// broadcastForm says which operands and whether the result are booleans in ONNX.
type broadcastForm struct {
	truth   [3]bool
	answers bool
}

// broadcast encodes an operator of several operands, nil among constants standing for
// the next input. An input of fewer dimensions than the output gets those of 1 behind the
// batch's, for ONNX aligns shapes at their ends.
func (e *encoder) broadcast(n *nn.Node, in [][]int, out []int, constants []*nn.Param, f broadcastForm) ([]byte, error) {
	var body []byte
	var names []string
	next := 0
	for i, p := range constants {
		var name string
		var err error
		if p != nil {
			make := e.param
			if slices.Contains(unbounded, n.Op.Kind()) {
				make = e.mask
			}
			name, err = make(p, fmt.Sprintf("%s.constant%d", n.Name, i))
		} else if next < len(in) {
			name, body, err = e.lift(body, n, n.Inputs[next], in[next], len(out))
			next++
		}
		if err != nil {
			return nil, err
		}
		if f.truth[i] {
			name, body = e.cast(body, name, e.fresh(name+"_true"), typeBool)
		}
		names = append(names, name)
	}
	if !f.answers {
		return append(body, e.nodeBytes(n.Op.Kind(), names, []string{n.Output}, n.Name, nil)...), nil
	}
	holds := e.fresh(n.Output + "_holds")
	body = append(body, e.nodeBytes(n.Op.Kind(), names, []string{holds}, n.Name, nil)...)
	_, body = e.cast(body, holds, n.Output, typeFloat)
	return body, nil
}

// lift appends a Reshape to a number of dimensions, where the tensor has fewer.
func (e *encoder) lift(body []byte, n *nn.Node, tensor string, shape []int, rank int) (string, []byte, error) {
	if len(shape) >= rank {
		return tensor, body, nil
	}
	dims := slices.Repeat([]int64{1}, 1+rank-len(shape))
	dims[0] = 0 // the batch's
	for _, d := range shape {
		if d == 0 {
			return "", nil, fmt.Errorf("input %q of shape %v is empty", tensor, shape)
		}
		dims = append(dims, int64(d))
	}
	name := e.fresh(tensor + "_lifted")
	to := e.ints(n.Name+".shape", dims...)
	return name, append(body, e.nodeBytes("Reshape", []string{tensor, to}, []string{name}, name, nil)...), nil
}

func (e *encoder) cast(body []byte, from, to string, kind int64) (string, []byte) {
	return to, append(body, e.nodeBytes("Cast", []string{from}, []string{to}, to, appendNumber(nil, "to", kind))...)
}

// unary encodes a function of each entry.
func (e *encoder) unary(n *nn.Node, op *nn.Unary) ([]byte, error) {
	x := n.Inputs[0]
	one := func(kind, from, to, name string, attributes []byte) []byte {
		return e.nodeBytes(kind, []string{from}, []string{to}, name, attributes)
	}
	attributes, err := unarySettings(op)
	if err != nil {
		return nil, err
	}
	switch op.Function {
	case "Clip":
		return e.clip(n, op)
	case "Swish":
		return e.swish(n, op)
	case "Not":
		truth, body := e.cast(nil, x, e.fresh(x+"_true"), typeBool)
		holds := e.fresh(n.Output + "_holds")
		body = append(body, one("Not", truth, holds, n.Name, nil)...)
		_, body = e.cast(body, holds, n.Output, typeFloat)
		return body, nil
	case "Float16", "BFloat16":
		kind := int64(typeFloat16)
		if op.Function == "BFloat16" {
			kind = typeBfloat16
		}
		narrow := e.fresh(n.Output + "_narrow")
		body := one("Cast", x, narrow, n.Name, appendNumber(nil, "to", kind))
		_, body = e.cast(body, narrow, n.Output, typeFloat)
		return body, nil
	case "GeluTanh":
		e.opset = max(e.opset, lowestOpset["Gelu"])
		return one("Gelu", x, n.Output, n.Name, appendAttribute(nil, "approximate", kindString, appendBytes(nil, attributeString, []byte("tanh")))), nil
	}
	return one(op.Function, x, n.Output, n.Name, attributes), nil
}

// unarySettings encodes the attributes of the functions that have some.
func unarySettings(op *nn.Unary) ([]byte, error) {
	names := map[string][]string{
		"Elu": {"alpha"}, "Celu": {"alpha"}, "ThresholdedRelu": {"alpha"},
		"Selu": {"alpha", "gamma"}, "HardSigmoid": {"alpha", "beta"},
	}[op.Function]
	var b []byte
	for i, name := range names {
		v := [2]float64{op.Alpha, op.Beta}[i]
		if s := float32(v); s-s != 0 {
			return nil, fmt.Errorf("%s %v is not a float32", name, v)
		}
		b = appendFloat(b, name, v)
	}
	return b, nil
}

// clip encodes the limits as inputs, which are left out where there are none.
func (e *encoder) clip(n *nn.Node, op *nn.Unary) ([]byte, error) {
	names := []string{n.Inputs[0], "", ""}
	for i, v := range []float64{op.Alpha, op.Beta} {
		if math.IsInf(v, 2*i-1) {
			continue
		}
		name, err := e.number(v, n.Name+[]string{".min", ".max"}[i])
		if err != nil {
			return nil, err
		}
		names[i+1] = name
	}
	for names[len(names)-1] == "" {
		names = names[:len(names)-1]
	}
	return e.nodeBytes("Clip", names, []string{n.Output}, n.Name, nil), nil
}

// swish encodes x·σ(Alpha·x), which ONNX has as one operator only since opset 24.
func (e *encoder) swish(n *nn.Node, op *nn.Unary) ([]byte, error) {
	x, gate := n.Inputs[0], n.Inputs[0]
	var body []byte
	if op.Alpha != 1 {
		alpha, err := e.number(op.Alpha, n.Name+".alpha")
		if err != nil {
			return nil, err
		}
		gate = e.fresh(n.Output + "_scaled")
		body = e.nodeBytes("Mul", []string{x, alpha}, []string{gate}, gate, nil)
	}
	open := e.fresh(n.Output + "_gate")
	body = append(body, e.nodeBytes("Sigmoid", []string{gate}, []string{open}, open, nil)...)
	return append(body, e.nodeBytes("Mul", []string{x, open}, []string{n.Output}, n.Name, nil)...), nil
}

// number adds a tensor of one float and no dimensions.
func (e *encoder) number(v float64, proposed string) (string, error) {
	return e.param(&nn.Param{Shape: []int{}, Data: []float32{float32(v)}}, proposed)
}
