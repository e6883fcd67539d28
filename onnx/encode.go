package onnx

import (
	"encoding/binary"
	"fmt"
	"maps"
	"math"
	"slices"

	"google.golang.org/protobuf/encoding/protowire"

	"tattle/nn"
)

// What written files say of themselves.
const (
	irVersion = 8
	opset     = 13 // raised where a graph needs more: see lowestOpset
	producer  = "tattle"
	batchName = "batch"
)

// Encode writes a graph as an ONNX model with a dynamic batch. The same graph
// gives the same bytes. Settings that ONNX keeps as float32 are rounded to it.
// It errs where the graph is not consistent, a node has no name of its own, a weight
// is not finite, or a mask is NaN.
func Encode(g *nn.Graph) ([]byte, error) {
	shapes, err := g.Shapes()
	if err != nil {
		return nil, fmt.Errorf("onnx: %w", err)
	}
	e := &encoder{opset: opset, input: g.Input, names: map[string]bool{}, params: map[*nn.Param]string{}}
	for tensor := range shapes {
		e.names[tensor] = true
	}
	for _, n := range g.Nodes {
		e.opset = max(e.opset, lowestOpset[n.Op.Kind()], mapsOpset(n.Op))
	}
	var nodes []byte
	seen := map[string]bool{}
	for _, n := range g.Nodes {
		if n.Name == "" || seen[n.Name] {
			return nil, fmt.Errorf("onnx: node %q: the name is empty or another node's", n.Name)
		}
		seen[n.Name] = true
		in := make([][]int, len(n.Inputs))
		for i, tensor := range n.Inputs {
			in[i] = shapes[tensor]
		}
		body, err := e.node(n, in, shapes[n.Output])
		if err != nil {
			return nil, fmt.Errorf("onnx: node %q (%s): %w", n.Name, n.Op.Kind(), err)
		}
		nodes = append(nodes, body...)
	}
	nodes = appendBytes(nodes, graphName, []byte(g.Name))
	var ends []byte
	ends = appendBytes(ends, graphInput, activation(g.Input, g.InputShape))
	ends = appendBytes(ends, graphOutput, activation(g.Output, shapes[g.Output]))
	return e.model(g.Metadata, nodes, ends), nil
}

// lowestOpset lists the operators that came after the opset that is written
// otherwise, with the opset that brought them.
var lowestOpset = map[string]int64{
	"LayerNormalization": 17,
	"GroupNormalization": 21, // one of 18 has its scale by group
	"Mish":               18,
	"Gelu":               20,
	"HardSwish":          14,
}

// encoder collects the tensors that nodes refer to.
type encoder struct {
	opset   int64           // of the file
	input   string          // of the graph
	names   map[string]bool // of all tensors
	params  map[*nn.Param]string
	tensors []written
}

// written is an encoded tensor but for the raw data of floats, which are last.
type written struct {
	head []byte
	data []float32
}

func (c written) size() int { return len(c.head) + 4*len(c.data) }

// model puts the parts together, copying each weight once.
func (e *encoder) model(metadata map[string]string, nodes, ends []byte) []byte {
	size := len(nodes) + len(ends)
	for _, c := range e.tensors {
		size += protowire.SizeTag(graphInitializer) + protowire.SizeBytes(c.size())
	}
	var tail []byte
	tail = appendBytes(tail, modelOpset, appendInt(nil, opsetVersion, e.opset))
	for _, key := range slices.Sorted(maps.Keys(metadata)) {
		entry := appendBytes(nil, entryKey, []byte(key))
		tail = appendBytes(tail, modelMetadata, appendBytes(entry, entryValue, []byte(metadata[key])))
	}
	b := make([]byte, 0, size+len(tail)+64)
	b = appendInt(b, modelIRVersion, irVersion)
	b = appendBytes(b, modelProducer, []byte(producer))
	b = protowire.AppendTag(b, modelGraph, protowire.BytesType)
	b = protowire.AppendVarint(b, uint64(size))
	b = append(b, nodes...)
	for _, c := range e.tensors {
		b = protowire.AppendTag(b, graphInitializer, protowire.BytesType)
		b = protowire.AppendVarint(b, uint64(c.size()))
		b = append(b, c.head...)
		for _, v := range c.data {
			b = binary.LittleEndian.AppendUint32(b, math.Float32bits(v))
		}
	}
	b = append(b, ends...)
	return append(b, tail...)
}

// node encodes what computes a node: one ONNX node or several, each a field of
// the graph.
func (e *encoder) node(n *nn.Node, in [][]int, out []int) ([]byte, error) {
	for _, encode := range []func(*nn.Node, [][]int, []int) ([]byte, bool, error){e.maps, e.elementwise, e.mix, e.convolutions} {
		if body, ok, err := encode(n, in, out); ok || err != nil {
			return body, err
		}
	}
	params, err := e.inputs(n)
	if err != nil {
		return nil, err
	}
	attributes, err := settings(n.Op)
	if err != nil {
		return nil, err
	}
	return e.nodeBytes(n.Op.Kind(), slices.Concat(n.Inputs, params), []string{n.Output}, n.Name, attributes), nil
}

// nodeBytes encodes one ONNX node as a field of the graph.
func (e *encoder) nodeBytes(kind string, inputs, outputs []string, name string, attributes []byte) []byte {
	var b []byte
	for _, in := range inputs {
		b = appendBytes(b, nodeInput, []byte(in))
	}
	for _, out := range outputs {
		b = appendBytes(b, nodeOutput, []byte(out))
	}
	b = appendBytes(b, nodeName, []byte(name))
	b = appendBytes(b, nodeOp, []byte(kind))
	return appendBytes(nil, graphNode, append(b, attributes...))
}

// fresh returns the stem, numbered where a tensor has it, as a new tensor's name.
func (e *encoder) fresh(stem string) string {
	name := stem
	for i := 1; e.names[name]; i++ {
		name = fmt.Sprintf("%s_%d", stem, i)
	}
	e.names[name] = true
	return name
}

// ints adds a one-dimensional int64 tensor and returns its name.
func (e *encoder) ints(proposed string, v ...int64) string {
	name := e.fresh(proposed)
	raw := make([]byte, 0, 8*len(v))
	for _, x := range v {
		raw = binary.LittleEndian.AppendUint64(raw, uint64(x))
	}
	head := appendInt(nil, tensorDims, int64(len(v)))
	head = appendInt(head, tensorType, typeInt64)
	head = appendBytes(head, tensorName, []byte(name))
	e.tensors = append(e.tensors, written{head: appendBytes(head, tensorRaw, raw)})
	return name
}

// inputs returns the names of the tensors that follow a node's activations.
func (e *encoder) inputs(n *nn.Node) (names []string, err error) {
	var params []*nn.Param
	var roles []string
	switch op := n.Op.(type) {
	case *nn.Dense:
		params, roles = []*nn.Param{op.Weight, op.Bias}, []string{"weight", "bias"}
	case *nn.Conv2D:
		params, roles = []*nn.Param{op.Weight, op.Bias}, []string{"weight", "bias"}
	case *nn.BatchNorm:
		params = []*nn.Param{op.Scale, op.Shift, op.Mean, op.Variance}
		roles = []string{"scale", "shift", "mean", "variance"}
	case *nn.Dropout:
		// The ratio is an input; it is a weight that nobody learns.
		params, roles = []*nn.Param{{Data: []float32{float32(op.P)}}}, []string{"ratio"}
	}
	for i, p := range params {
		if p == nil {
			continue
		}
		name, err := e.param(p, n.Name+"."+roles[i])
		if err != nil {
			return nil, err
		}
		names = append(names, name)
	}
	return names, nil
}

// settings encodes an operator's attributes.
func settings(op nn.Op) ([]byte, error) {
	switch op := op.(type) {
	case *nn.Dense:
		b := appendFloat(nil, "alpha", 1)
		b = appendFloat(b, "beta", 1)
		return appendNumber(b, "transB", 1), nil
	case *nn.Conv2D:
		dilation := orOne(op.Dilation)
		b := appendNumbers(nil, "dilations", dilation[:])
		b = appendNumber(b, "group", int64(max(op.Groups, 1)))
		return appendWindow(b, op.Kernel, op.Stride, op.Pad), nil
	case *nn.MaxPool:
		return appendWindow(nil, op.Kernel, op.Stride, op.Pad), nil
	case *nn.AveragePool:
		include := int64(0)
		if op.CountIncludePad {
			include = 1
		}
		b := appendNumber(nil, "count_include_pad", include)
		return appendWindow(b, op.Kernel, op.Stride, op.Pad), nil
	case *nn.BatchNorm:
		return appendBatchNorm(op)
	case *nn.LeakyReLU:
		if s := float32(op.Slope); s-s != 0 {
			return nil, fmt.Errorf("slope %v is not a float32", op.Slope)
		}
		return appendFloat(nil, "alpha", op.Slope), nil
	case *nn.Softmax, *nn.Hardmax:
		return appendNumber(nil, "axis", -1), nil
	case *nn.Flatten:
		return appendNumber(nil, "axis", 1), nil
	case *nn.Dropout, *nn.ReLU, *nn.GlobalAveragePool, *nn.Identity:
		return nil, nil
	}
	return nil, fmt.Errorf("cannot be written as ONNX")
}

func appendBatchNorm(op *nn.BatchNorm) ([]byte, error) {
	epsilon, momentum := op.Epsilon, op.Momentum
	if epsilon == 0 {
		epsilon = nn.DefaultBatchNormEpsilon
	}
	if momentum == 0 {
		momentum = nn.DefaultBatchNormMomentum
	}
	if e := float32(epsilon); !(e > 0) || e-e != 0 {
		return nil, fmt.Errorf("epsilon %v is not a float32", epsilon)
	}
	b := appendFloat(nil, "epsilon", epsilon)
	return appendFloat(b, "momentum", 1-momentum), nil
}

func orOne(x [2]int) [2]int { return [2]int{max(x[0], 1), max(x[1], 1)} }

// activation encodes a float tensor with a dynamic batch.
func activation(name string, shape []int) []byte {
	dims := appendBytes(nil, shapeDim, appendBytes(nil, dimParam, []byte(batchName)))
	for _, d := range shape {
		dims = appendBytes(dims, shapeDim, appendInt(nil, dimValue, int64(d)))
	}
	tensor := appendInt(nil, typeElement, typeFloat)
	tensor = appendBytes(tensor, typeShape, dims)
	b := appendBytes(nil, valueName, []byte(name))
	return appendBytes(b, valueType, appendBytes(nil, typeTensor, tensor))
}

func appendInt(b []byte, field protowire.Number, v int64) []byte {
	b = protowire.AppendTag(b, field, protowire.VarintType)
	return protowire.AppendVarint(b, uint64(v))
}

func appendBytes(b []byte, field protowire.Number, v []byte) []byte {
	b = protowire.AppendTag(b, field, protowire.BytesType)
	return protowire.AppendBytes(b, v)
}

func appendAttribute(b []byte, name string, kind int64, value []byte) []byte {
	a := appendBytes(nil, attributeName, []byte(name))
	a = append(a, value...)
	return appendBytes(b, nodeAttribute, appendInt(a, attributeType, kind))
}

func appendFloat(b []byte, name string, v float64) []byte {
	f := protowire.AppendTag(nil, attributeFloat, protowire.Fixed32Type)
	return appendAttribute(b, name, kindFloat, protowire.AppendFixed32(f, math.Float32bits(float32(v))))
}

func appendNumber(b []byte, name string, v int64) []byte {
	return appendAttribute(b, name, kindInt, appendInt(nil, attributeInt, v))
}

func appendNumbers(b []byte, name string, v []int) []byte {
	var list []byte
	for _, x := range v {
		list = appendInt(list, attributeInts, int64(x))
	}
	return appendAttribute(b, name, kindInts, list)
}

func appendWindow(b []byte, kernel, stride [2]int, pad [4]int) []byte {
	stride = orOne(stride)
	b = appendNumbers(b, "kernel_shape", kernel[:])
	b = appendNumbers(b, "pads", pad[:])
	return appendNumbers(b, "strides", stride[:])
}
