package onnx

import (
	"encoding/binary"
	"fmt"
	"math"
	"slices"

	"tattle/nn"
)

// maps encodes the operators that rearrange, join, repeat and resize, and constants;
// ok is false for any other.
func (e *encoder) maps(n *nn.Node, in [][]int, out []int) (body []byte, ok bool, err error) {
	switch op := n.Op.(type) {
	case *nn.Reshape:
		body, err = e.reshape(n.Name, n.Inputs[0], n.Output, op.To)
	case *nn.Transpose:
		perm := []int{0}
		for _, p := range op.Perm {
			perm = append(perm, p+1)
		}
		body = e.nodeBytes("Transpose", n.Inputs, []string{n.Output}, n.Name, appendNumbers(nil, "perm", perm))
	case *nn.Slice:
		body = e.slice(n, op, in[0])
	case *nn.Gather:
		index := e.integers(n.Name+".indices", op.Dims, op.Indices)
		body = e.nodeBytes("Gather", []string{n.Inputs[0], index}, []string{n.Output}, n.Name, appendNumber(nil, "axis", int64(op.Axis+1)))
	case *nn.Pad:
		body, err = e.pad(n, op, in[0])
	case *nn.Expand:
		body, err = e.expand(n, in[0], op.To)
	case *nn.Tile:
		repeats := e.ints(n.Name+".repeats", behindBatch(1, op.Repeats)...)
		body = e.nodeBytes("Tile", []string{n.Inputs[0], repeats}, []string{n.Output}, n.Name, nil)
	case *nn.Concat:
		body = e.nodeBytes("Concat", n.Inputs, []string{n.Output}, n.Name, appendNumber(nil, "axis", int64(op.Axis+1)))
	case *nn.Constant:
		body, err = e.constant(n, op.Value)
	case *nn.Resize:
		body, err = e.resize(n, op, in[0])
	default:
		return nil, false, nil
	}
	return body, true, err
}

// mapsOpset returns the lowest opset that has the settings of an operator here.
func mapsOpset(op nn.Op) int64 {
	if r, ok := op.(*nn.Resize); ok && (r.Antialias || r.Coordinates == "half_pixel_symmetric") {
		return 19
	}
	return opset
}

// behindBatch returns the numbers of an example's dimensions after one of the batch.
func behindBatch(batch int64, x []int) []int64 {
	all := []int64{batch}
	for _, v := range x {
		all = append(all, int64(v))
	}
	return all
}

// integers adds an int64 tensor of that shape and returns its name.
func (e *encoder) integers(proposed string, shape, v []int) string {
	var head []byte
	for _, d := range shape {
		head = appendInt(head, tensorDims, int64(d))
	}
	head = appendInt(head, tensorType, typeInt64)
	name := e.fresh(proposed)
	head = appendBytes(head, tensorName, []byte(name))
	raw := make([]byte, 0, 8*len(v))
	for _, x := range v {
		raw = binary.LittleEndian.AppendUint64(raw, uint64(x))
	}
	e.tensors = append(e.tensors, written{head: appendBytes(head, tensorRaw, raw)})
	return name
}

// reshape keeps the batch, which a 0 stands for.
func (e *encoder) reshape(name, from, to string, shape []int) ([]byte, error) {
	if slices.Contains(shape, 0) {
		return nil, fmt.Errorf("shape %v is empty, which cannot be written with an open batch", shape)
	}
	s := e.ints(name+".shape", behindBatch(0, shape)...)
	return e.nodeBytes("Reshape", []string{from, s}, []string{to}, name, nil), nil
}

// slice names the dimensions that change.
func (e *encoder) slice(n *nn.Node, op *nn.Slice, in []int) []byte {
	var starts, ends, axes, steps []int64
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
		end := int64(start + step*many)
		if end < 0 { // would count from the end
			end = math.MinInt64 + 1
		}
		starts, ends = append(starts, int64(start)), append(ends, end)
		axes, steps = append(axes, int64(d+1)), append(steps, int64(step))
	}
	if len(axes) == 0 {
		return e.nodeBytes("Identity", n.Inputs, []string{n.Output}, n.Name, nil)
	}
	inputs := []string{
		n.Inputs[0], e.ints(n.Name+".starts", starts...), e.ints(n.Name+".ends", ends...),
		e.ints(n.Name+".axes", axes...), e.ints(n.Name+".steps", steps...),
	}
	return e.nodeBytes("Slice", inputs, []string{n.Output}, n.Name, nil)
}

// pad writes as lists of indices what Pad-13 does not have: wrapping, and reflecting
// more than once or what is cut at the other end.
func (e *encoder) pad(n *nn.Node, op *nn.Pad, in []int) ([]byte, error) {
	mode := op.Mode
	if mode == "" {
		mode = "constant"
	}
	if mode == "wrap" || mode != "constant" && !padsSimply(op, in) {
		return e.padByIndices(n, op, in)
	}
	pads := slices.Concat(behindBatch(0, op.Before), behindBatch(0, op.After))
	inputs := []string{n.Inputs[0], e.ints(n.Name+".pads", pads...)}
	if mode == "constant" {
		value, err := e.mask(&nn.Param{Data: []float32{float32(op.Value)}}, n.Name+".value")
		if err != nil {
			return nil, err
		}
		inputs = append(inputs, value)
	}
	return e.nodeBytes("Pad", inputs, []string{n.Output}, n.Name, appendText(nil, "mode", mode)), nil
}

// padsSimply reports whether each end gets fewer entries than there are and none is
// cut.
func padsSimply(op *nn.Pad, in []int) bool {
	for d, n := range in {
		if min(op.Before[d], op.After[d]) < 0 || max(op.Before[d], op.After[d]) >= max(n, 1) {
			return false
		}
	}
	return true
}

// padByIndices gathers along each dimension in turn.
func (e *encoder) padByIndices(n *nn.Node, op *nn.Pad, in []int) ([]byte, error) {
	var body []byte
	x := n.Inputs[0]
	for d, size := range in {
		if op.Before[d] == 0 && op.After[d] == 0 {
			continue
		}
		index, err := padded(op, d, size)
		if err != nil {
			return nil, err
		}
		name := fmt.Sprintf("%s.%d", n.Name, d)
		y := e.fresh(name)
		list := e.integers(name+".indices", []int{len(index)}, index)
		body = append(body, e.nodeBytes("Gather", []string{x, list}, []string{y}, name, appendNumber(nil, "axis", int64(d+1)))...)
		x = y
	}
	return append(body, e.nodeBytes("Identity", []string{x}, []string{n.Output}, n.Name, nil)...), nil
}

// padded lists what a padding takes of the entries of dimension d, by padding their
// numbers.
func padded(op *nn.Pad, d, size int) ([]int, error) {
	line := &nn.Graph{Input: "x", InputShape: []int{size}, Output: "y", Nodes: []*nn.Node{{
		Name: "pad", Inputs: []string{"x"}, Output: "y",
		Op: &nn.Pad{Before: op.Before[d : d+1], After: op.After[d : d+1], Mode: op.Mode},
	}}}
	net, err := nn.NewNet(line)
	if err != nil {
		return nil, err
	}
	_, many := net.Dims()
	x, y := make([]float64, size), make([]float64, many)
	for i := range x {
		x[i] = float64(i)
	}
	net.Forward64(y, x)
	index := make([]int, many)
	for i, v := range y {
		index[i] = int(v)
	}
	return index, nil
}

// expand puts dimensions of 1 between the batch and those that are matched from the
// last.
func (e *encoder) expand(n *nn.Node, in, to []int) ([]byte, error) {
	var body []byte
	x := n.Inputs[0]
	if len(to) > len(in) {
		x = e.fresh(n.Name + ".aligned")
		aligned, err := e.reshape(n.Name+".align", n.Inputs[0], x, slices.Concat(slices.Repeat([]int{1}, len(to)-len(in)), in))
		if err != nil {
			return nil, err
		}
		body = aligned
	}
	shape := e.ints(n.Name+".to", behindBatch(1, to)...)
	return append(body, e.nodeBytes("Expand", []string{x, shape}, []string{n.Output}, n.Name, nil)...), nil
}

// constant repeats the tensor for each example of the batch, for not all that may
// follow broadcasts.
func (e *encoder) constant(n *nn.Node, p *nn.Param) ([]byte, error) {
	value, err := e.param(p, n.Name+".value")
	if err != nil {
		return nil, err
	}
	body, shape := e.withBatch(n.Name, p.Shape)
	return append(body, e.nodeBytes("Expand", []string{value, shape}, []string{n.Output}, n.Name, nil)...), nil
}

// withBatch computes the shape of a batch of tensors: that of the model's input tells
// how many.
func (e *encoder) withBatch(name string, shape []int) (body []byte, tensor string) {
	all, one, whole := e.fresh(name+".input_shape"), e.fresh(name+".batch"), e.fresh(name+".batch_shape")
	zero := e.ints(name+".first", 0)
	rest := e.integers(name+".dims", []int{len(shape)}, shape)
	body = e.nodeBytes("Shape", []string{e.input}, []string{all}, all, nil)
	body = append(body, e.nodeBytes("Gather", []string{all, zero}, []string{one}, one, nil)...)
	return append(body, e.nodeBytes("Concat", []string{one, rest}, []string{whole}, whole, appendNumber(nil, "axis", 0))...), whole
}

// resize names the sizes, or the scales where the operator has its own.
func (e *encoder) resize(n *nn.Node, op *nn.Resize, in []int) ([]byte, error) {
	a := appendText(nil, "coordinate_transformation_mode", op.Coordinates)
	a = appendText(a, "mode", op.Mode)
	if op.Mode == "nearest" {
		a = appendText(a, "nearest_mode", op.Nearest)
	}
	if op.Mode == "cubic" {
		if float64(float32(op.CubicA)) != op.CubicA {
			return nil, fmt.Errorf("cubic coefficient %v is not a float32", op.CubicA)
		}
		a = appendFloat(a, "cubic_coeff_a", op.CubicA)
	}
	if op.ExcludeOutside {
		a = appendNumber(a, "exclude_outside", 1)
	}
	if op.Antialias {
		a = appendNumber(a, "antialias", 1)
	}
	if op.Scales == nil {
		body, sizes := e.withBatch(n.Name, op.To)
		return append(body, e.nodeBytes("Resize", []string{n.Inputs[0], "", "", sizes}, []string{n.Output}, n.Name, a)...), nil
	}
	scales := &nn.Param{Shape: []int{len(in) + 1}, Data: []float32{1}}
	for d, s := range op.Scales {
		if float64(float32(s)) != s || int(s*float64(in[d])) != op.To[d] {
			return nil, fmt.Errorf("scale %v of %d entries to %d is not one that ONNX can tell", s, in[d], op.To[d])
		}
		scales.Data = append(scales.Data, float32(s))
	}
	name, err := e.param(scales, n.Name+".scales")
	return e.nodeBytes("Resize", []string{n.Inputs[0], "", name}, []string{n.Output}, n.Name, a), err
}

func appendText(b []byte, name, v string) []byte {
	return appendAttribute(b, name, kindString, appendBytes(nil, attributeString, []byte(v)))
}
