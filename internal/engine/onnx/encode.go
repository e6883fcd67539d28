package onnx

import (
	"cmp"
	"encoding/binary"
	"fmt"
	"maps"
	"math"
	"slices"

	"google.golang.org/protobuf/encoding/protowire"

	"tattle/internal/engine/nn"
)

// Header of written files.
const (
	irVersion = 8
	opset     = 13 // raised if a graph needs more: see lowestOpset
	producer  = "tattle"
	batchName = "batch"
)

// Encode writes a graph as an ONNX model with a dynamic batch. The same graph
// gives the same bytes. Settings that ONNX keeps as float32 are rounded to it.
// It returns an error if the graph is not consistent, a node has no name of its own, a weight
// is not finite, or a mask is NaN.
func Encode(g *nn.Graph) ([]byte, error) {
	e, err := encodeNodes(g)
	if err != nil {
		return nil, err
	}
	nodes, ends := e.graph(g.Name, []end{{g.Input, typeFloat, g.InputShape}}, end{g.Output, typeFloat, e.shapes[g.Output]})
	return e.model(g.Metadata, nodes, ends), nil
}

// encodeNodes encodes the nodes of a graph. Parameters do not get the reserved names.
func encodeNodes(g *nn.Graph, reserved ...string) (*encoder, error) {
	shapes, err := g.Shapes()
	if err != nil {
		return nil, fmt.Errorf("onnx: %w", err)
	}
	e := &encoder{opset: opset, input: g.Input, shapes: shapes, names: map[string]bool{}, params: map[*nn.Param]string{}}
	for tensor := range shapes {
		e.names[tensor] = true
	}
	for _, name := range reserved {
		e.names[name] = true
	}
	for _, n := range g.Nodes {
		e.opset = max(e.opset, lowestOpset(n.Op))
	}
	seen := map[string]bool{}
	for _, n := range g.Nodes {
		if n.Name == "" || seen[n.Name] {
			return nil, fmt.Errorf("onnx: node %q: the name is empty or another node's", n.Name)
		}
		seen[n.Name] = true
		if err := attempt(func() { e.encode(n, n.InputShapes(shapes), shapes[n.Output]) }); err != nil {
			return nil, fmt.Errorf("onnx: node %q (%s): %w", n.Name, n.Op.Kind(), err)
		}
	}
	return e, nil
}

// An end is an input or output of a file.
type end struct {
	name    string
	element int64
	shape   []int // of one example
}

// graph returns the fields of the graph before and behind the weights.
func (e *encoder) graph(name string, inputs []end, output end) (nodes, ends []byte) {
	nodes = appendBytes(e.nodes, graphName, []byte(name))
	for _, in := range inputs {
		ends = appendBytes(ends, graphInput, in.encode())
	}
	return nodes, appendBytes(ends, graphOutput, output.encode())
}

// lowestOpset returns the opset that has an operator with its settings.
func lowestOpset(op nn.Op) int64 {
	switch op.Kind() {
	case "HardSwish":
		return 14
	case "LayerNormalization":
		return 17
	case "AveragePool":
		if dilated(op.(*nn.AveragePool).Dilation) != nil {
			return 19
		}
	case "Gelu":
		return 20
	}
	return opset
}

// encoder writes nodes, and collects the tensors that they refer to. Its methods panic
// with an error that [attempt] returns where something cannot be written.
type encoder struct {
	opset   int64  // of the file
	input   string // of the graph
	shapes  map[string][]int
	names   map[string]bool // of all tensors
	params  map[*nn.Param]string
	tensors []written
	nodes   []byte // as fields of the graph
}

// written is an encoded tensor without the raw data of floats, which come last.
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

// given is an attribute to be written: a float64, int, bool, text or list of integers.
type given struct {
	name  string
	value any
}

// encode writes a node of the graph as one ONNX node, or with others before it.
func (e *encoder) encode(n *nn.Node, in [][]int, out []int) {
	kind, inputs, with := n.Op.Kind(), slices.Clone(n.Inputs), []given(nil)
	switch op := n.Op.(type) {
	case *nn.Identity:
	case *nn.Dropout:
		inputs = append(inputs, e.number(op.P, n.Name+".ratio"))
	case *nn.ReLU:
		s := float32(op.Slope)
		unsupportedIf(s-s != 0, "slope %v is not a float32", op.Slope)
		if op.Slope != 0 {
			with = []given{{"alpha", op.Slope}}
		}
	case *nn.Softmax, *nn.Hardmax:
		with = []given{{"axis", -1}}
	case *nn.Constant: // repeated for each example, since not all that may follow broadcasts
		kind, inputs = "Expand", []string{e.param(op.Value, n.Name+".value"), e.batchShape(n.Name, op.Value.Shape)}
	case *nn.Transpose:
		with = []given{{"perm", withBatch(0, afterBatch(op.Perm))}}
	case *nn.Gather:
		inputs = append(inputs, e.integers(n.Name+".indices", op.Dims, op.Indices))
		with = []given{{"axis", op.Axis + 1}}
	case *nn.Concat:
		with = []given{{"axis", op.Axis + 1}}
	case *nn.Unary:
		e.unary(n, op)
		return
	case *nn.Binary, *nn.Where:
		e.broadcasting(n, in, out)
		return
	case *nn.Reshape:
		if kind == "Reshape" {
			e.reshape(n.Name, n.Inputs[0], n.Output, op.To)
			return
		}
		with = []given{{"axis", 1}}
	case *nn.Slice:
		if inputs = append(inputs, e.sliced(n, op, in[0])...); len(inputs) == 1 {
			kind = "Identity"
		}
	case *nn.Pad:
		pads := e.ints(n.Name+".pads", slices.Concat(withBatch(0, op.Before), withBatch(0, op.After))...)
		inputs = append(inputs, pads, e.mask(scalar(op.Value), n.Name+".value"))
		with = []given{{"mode", "constant"}}
	case *nn.Conv2D, *nn.ConvTranspose, *nn.MaxPool, *nn.AveragePool:
		e.images(n, in[0], out)
		return
	case *nn.Dense:
		e.dense(n, op, len(in[0]))
		return
	case *nn.MatMul:
		inputs = e.aligned(n, op, in)
	case *nn.Reduce:
		axes := op.Axes
		if axes == nil {
			axes = nn.Indices(len(in[0]))
		}
		unsupportedIf(len(axes) == 0, "a reduction over no dimension cannot be written") // an empty list means all in ONNX
		axes = afterBatch(axes)
		with = []given{{"keepdims", op.Keep}}
		if op.Function == "Sum" || e.opset >= reduceAxesInput {
			inputs = append(inputs, e.ints(n.Name+".axes", axes...))
		} else {
			with = append(with, given{"axes", axes})
		}
	case *nn.BatchNorm:
		inputs = append(inputs, e.normParams(n, 4, []*nn.Param{op.Scale, op.Shift, op.Mean, op.Variance}, nil)...)
		with = []given{epsilon(op.Epsilon, nn.DefaultBatchNormEpsilon), {"momentum", 1 - cmp.Or(op.Momentum, nn.DefaultBatchNormMomentum)}}
	case *nn.LayerNorm: // which has a scale in ONNX
		shape := in[0][len(in[0])-max(op.Axes, 1):]
		inputs = append(inputs, e.normParams(n, 1, []*nn.Param{op.Scale, op.Shift}, shape)...)
		with = []given{{"axis", -len(shape)}, epsilon(op.Epsilon, nn.DefaultLayerNormEpsilon)}
	default:
		panic(unsupportedf("cannot be written as ONNX"))
	}
	e.emit(kind, inputs, n.Output, n.Name, with...)
}

// emit writes one ONNX node.
func (e *encoder) emit(kind string, inputs []string, output, name string, with ...given) {
	var b []byte
	for _, in := range inputs {
		b = appendBytes(b, nodeInput, []byte(in))
	}
	b = appendBytes(b, nodeOutput, []byte(output))
	b = appendBytes(b, nodeName, []byte(name))
	b = appendBytes(b, nodeOp, []byte(kind))
	for _, g := range with {
		b = appendGiven(b, g.name, g.value)
	}
	e.nodes = appendBytes(e.nodes, graphNode, b)
}

// emitInner writes one ONNX node whose output is a new tensor, and returns that.
func (e *encoder) emitInner(kind string, inputs []string, stem string, with ...given) string {
	tensor := e.fresh(stem)
	e.emit(kind, inputs, tensor, tensor, with...)
	return tensor
}

// encode encodes a tensor with a dynamic batch.
func (x end) encode() []byte {
	dims := appendBytes(nil, shapeDim, appendBytes(nil, dimParam, []byte(batchName)))
	for _, d := range x.shape {
		dims = appendBytes(dims, shapeDim, appendInt(nil, dimValue, int64(d)))
	}
	tensor := appendInt(nil, typeElement, x.element)
	tensor = appendBytes(tensor, typeShape, dims)
	b := appendBytes(nil, valueName, []byte(x.name))
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

// appendGiven appends an attribute of one of the types of given.
func appendGiven(b []byte, name string, value any) []byte {
	switch v := value.(type) {
	case float64:
		f := protowire.AppendTag(nil, attributeFloat, protowire.Fixed32Type)
		return appendAttribute(b, name, kindFloat, protowire.AppendFixed32(f, math.Float32bits(float32(v))))
	case int:
		return appendAttribute(b, name, kindInt, appendInt(nil, attributeInt, int64(v)))
	case bool:
		flag := 0
		if v {
			flag = 1
		}
		return appendGiven(b, name, flag)
	case string:
		return appendAttribute(b, name, kindString, appendBytes(nil, attributeString, []byte(v)))
	}
	var list []byte
	for _, x := range value.([]int) {
		list = appendInt(list, attributeInts, int64(x))
	}
	return appendAttribute(b, name, kindInts, list)
}

// fresh returns the stem as a new tensor's name, with a number if a tensor has it.
func (e *encoder) fresh(stem string) string { return unused(stem, 1, e.names) }

// param adds a tensor once, under its own name or else the one proposed.
func (e *encoder) param(p *nn.Param, proposed string) string { return e.tensor(p, proposed, false) }

// mask is param of a tensor that may hold ±Inf.
func (e *encoder) mask(p *nn.Param, proposed string) string { return e.tensor(p, proposed, true) }

func (e *encoder) tensor(p *nn.Param, proposed string, infinite bool) string {
	for i, v := range p.Data {
		if v-v != 0 && !(infinite && v == v) {
			panic(unsupportedf("tensor %q holds %v at element %d", cmp.Or(p.Name, proposed), v, i))
		}
	}
	if name, ok := e.params[p]; ok {
		return name
	}
	name := e.fresh(cmp.Or(p.Name, proposed))
	unsupportedIf(len(p.Data) != nn.Size(p.Shape), "tensor %q has %d values for shape %v", name, len(p.Data), p.Shape)
	e.params[p] = name
	head := protowire.AppendTag(tensorHead(name, typeFloat, p.Shape), tensorRaw, protowire.BytesType)
	head = protowire.AppendVarint(head, uint64(4*len(p.Data)))
	e.tensors = append(e.tensors, written{head, p.Data})
	return name
}

func tensorHead(name string, element int64, shape []int) (head []byte) {
	for _, d := range shape {
		head = appendInt(head, tensorDims, int64(d))
	}
	return appendBytes(appendInt(head, tensorType, element), tensorName, []byte(name))
}

// number adds a tensor of one float and no dimensions.
func (e *encoder) number(v float64, proposed string) string {
	return e.param(scalar(v), proposed)
}

// integers adds an int64 tensor of that shape.
func (e *encoder) integers(proposed string, shape, v []int) string {
	name := e.fresh(proposed)
	raw := make([]byte, 0, 8*len(v))
	for _, x := range v {
		raw = binary.LittleEndian.AppendUint64(raw, uint64(x))
	}
	e.tensors = append(e.tensors, written{head: appendBytes(tensorHead(name, typeInt64, shape), tensorRaw, raw)})
	return name
}

// ints adds a one-dimensional int64 tensor.
func (e *encoder) ints(proposed string, v ...int) string {
	return e.integers(proposed, []int{len(v)}, v)
}

// withBatch returns the sizes of an example's dimensions after that of the batch.
func withBatch(batch int, x []int) []int { return append([]int{batch}, x...) }

// afterBatch numbers the axes of an example as those of a batch.
func afterBatch(axes []int) []int { return shifted(axes, -1) }
