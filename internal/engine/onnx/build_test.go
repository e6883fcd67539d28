package onnx

import (
	"encoding/binary"
	"errors"
	"math"
	"slices"
	"testing"

	"google.golang.org/protobuf/encoding/protowire"

	"tattle/internal/engine/nn"
	"tattle/internal/must"
)

// modelFile is an ONNX model in the making, for tests: what Encode would never write.
type modelFile struct {
	opset, classical int64 // 0 for no operators of classical machine learning
	nodes            []byte
	consts           []byte
	inputs, outputs  []byte // as well as these two:
	input            []byte
	output           string
	extra            []byte // fields of the graph
}

func newFile(shape ...int) *modelFile {
	return &modelFile{opset: 13, input: fixedTo1("x", shape), output: "y"}
}

// openBatch is newFile with a batch that is open.
func openBatch(shape ...int) *modelFile {
	f := newFile(shape...)
	f.input = activation("x", shape)
	return f
}

// newTable is a model of classical machine learning, whose columns and results are declared later.
func newTable() *modelFile { return &modelFile{opset: 15, classical: 3} }

// column declares an input of rows of that width, whose batch is open.
func (f *modelFile) column(name string, element int64, width int) *modelFile {
	f.inputs = appendBytes(f.inputs, graphInput, declaredAs(name, element, "N", width))
	return f
}

// result declares an output of rows of that width, 0 for one label each.
func (f *modelFile) result(name string, element int64, width int) *modelFile {
	dims := []any{"N", width}
	if width == 0 {
		dims = dims[:1]
	}
	f.outputs = appendBytes(f.outputs, graphOutput, declaredAs(name, element, dims...))
	return f
}

// maps declares an output that is a list of maps, as ZipMap's.
func (f *modelFile) maps(name string, key int64) *modelFile {
	value := appendBytes(nil, 2, appendBytes(nil, typeTensor, appendInt(nil, typeElement, typeFloat)))
	list := appendBytes(nil, 1, appendBytes(nil, typeMap, append(appendInt(nil, 1, key), value...)))
	b := appendBytes(appendBytes(nil, valueName, []byte(name)), valueType, appendBytes(nil, typeSequence, list))
	f.outputs = appendBytes(f.outputs, graphOutput, b)
	return f
}

// declaredAs encodes an input: a name is an open dimension, a number a fixed one.
func declaredAs(name string, element int64, dims ...any) []byte {
	var shape []byte
	for _, d := range dims {
		switch d := d.(type) {
		case string:
			shape = appendBytes(shape, shapeDim, appendBytes(nil, dimParam, []byte(d)))
		case int:
			shape = appendBytes(shape, shapeDim, appendInt(nil, dimValue, int64(d)))
		}
	}
	tensor := appendBytes(appendInt(nil, typeElement, element), typeShape, shape)
	return appendBytes(appendBytes(nil, valueName, []byte(name)), valueType, appendBytes(nil, typeTensor, tensor))
}

// fixedTo1 declares an input of a batch of 1, fixedBatch one of fixed dimensions.
func fixedTo1(name string, shape []int) []byte {
	return fixedBatch(name, append([]int{1}, shape...)...)
}

func fixedBatch(name string, shape ...int) []byte {
	var dims []any
	for _, d := range shape {
		dims = append(dims, d)
	}
	return declaredAs(name, typeFloat, dims...)
}

// activation encodes a float tensor with a dynamic batch.
func activation(name string, shape []int) []byte { return end{name, typeFloat, shape}.encode() }

// node adds a node of inputs to one output, several one to several outputs; op adds one of a named
// output to a table, and ml one of ai.onnx.ml. Attributes are encoded.
func (f *modelFile) node(op, output string, inputs []string, attributes ...[]byte) *modelFile {
	return f.add("", op, op+" of "+output, inputs, in(output), attributes)
}

func (f *modelFile) several(op string, outputs, inputs []string, attributes ...[]byte) *modelFile {
	return f.add("", op, "", inputs, outputs, attributes)
}

func (f *modelFile) op(op string, inputs, outputs []string, attributes ...[]byte) *modelFile {
	return f.add("", op, op+" of "+outputs[0], inputs, outputs, attributes)
}

func (f *modelFile) ml(op string, inputs, outputs []string, attributes ...[]byte) *modelFile {
	return f.add(classicalDomain, op, op+" of "+outputs[0], inputs, outputs, attributes)
}

func (f *modelFile) add(domain, op, name string, inputs, outputs []string, attributes [][]byte) *modelFile {
	f.nodes = append(f.nodes, nodeField(domain, op, name, inputs, outputs, attributes...)...)
	return f
}

// nodeField encodes a node as a field of its graph.
func nodeField(domain, op, name string, inputs, outputs []string, attributes ...[]byte) []byte {
	var b []byte
	for _, s := range inputs {
		b = appendBytes(b, nodeInput, []byte(s))
	}
	for _, s := range outputs {
		b = appendBytes(b, nodeOutput, []byte(s))
	}
	if name != "" {
		b = appendBytes(b, nodeName, []byte(name))
	}
	b = appendBytes(appendBytes(b, nodeOp, []byte(op)), nodeDomain, []byte(domain))
	return appendBytes(nil, graphNode, append(b, slices.Concat(attributes...)...))
}

// nought adds the tensor "nought" of one 0 that is computed of x: what it is added to is computed, too.
func (f *modelFile) nought() *modelFile {
	return f.floats("zero", nil, 0).node("Mul", "none", in("x", "zero")).node("ReduceSum", "nought", in("none"), number("keepdims", 0))
}

func (f *modelFile) tensor(body []byte) *modelFile {
	f.consts = appendBytes(f.consts, graphInitializer, body)
	return f
}

func tensorOf(name string, kind int64, shape ...int) []byte {
	b := appendBytes(nil, tensorName, []byte(name))
	for _, d := range shape {
		b = appendInt(b, tensorDims, int64(d))
	}
	return appendInt(b, tensorType, kind)
}

// rawTensor keeps numbers as raw data of their type.
func rawTensor(name string, kind int64, shape []int, x ...float64) []byte {
	var raw []byte
	for _, v := range x {
		switch kind {
		case typeFloat:
			raw = binary.LittleEndian.AppendUint32(raw, math.Float32bits(float32(v)))
		case typeDouble:
			raw = binary.LittleEndian.AppendUint64(raw, math.Float64bits(v))
		case typeUint8:
			raw = append(raw, byte(v))
		}
	}
	return appendBytes(tensorOf(name, kind, shape...), tensorRaw, raw)
}

// numbersOf is an attribute that is a tensor of a list.
func numbersOf(name string, kind int64, x ...float64) []byte {
	return attributeOf(name, rawTensor(name, kind, dim1(len(x)), x...))
}

// floats adds a float32 tensor, ints a list of int64.
func (f *modelFile) floats(name string, shape []int, x ...float32) *modelFile {
	wide := make([]float64, len(x))
	for i, v := range x {
		wide[i] = float64(v)
	}
	return f.tensor(rawTensor(name, typeFloat, shape, wide...))
}

func (f *modelFile) ints(name string, x ...int64) *modelFile { return f.tensor(intTensor(name, x...)) }

func intTensor(name string, x ...int64) []byte {
	var packed []byte
	for _, v := range x {
		packed = protowire.AppendVarint(packed, uint64(v))
	}
	return appendBytes(tensorOf(name, typeInt64, len(x)), tensorInt64s, packed)
}

// shapedInts is an int64 tensor of a shape, number by number.
func shapedInts(name string, shape []int, x ...int64) []byte {
	b := tensorOf(name, typeInt64, shape...)
	for _, v := range x {
		b = appendInt(b, tensorInt64s, v)
	}
	return b
}

// shaped is an int64 tensor of one number, of that many dimensions.
func shaped(name string, dims int, v int64) []byte {
	return shapedInts(name, slices.Repeat([]int{1}, dims), v)
}

func (f *modelFile) bytes() []byte {
	g := slices.Concat(f.nodes, f.consts)
	if f.output != "" {
		g = appendBytes(g, graphInput, f.input)
	}
	g = slices.Concat(g, f.inputs, f.extra, f.outputs)
	if f.output != "" {
		g = appendBytes(g, graphOutput, activation(f.output, []int{1}))
	}
	return modelBytes(f.opset, f.classical, g)
}

// modelBytes encodes a model of a graph's fields.
func modelBytes(opset, classical int64, graph []byte) []byte {
	b := appendBytes(appendInt(nil, modelIRVersion, 8), modelGraph, graph)
	b = appendBytes(b, modelOpset, appendInt(nil, opsetVersion, opset))
	if classical > 0 {
		b = appendBytes(b, modelOpset, appendInt(appendBytes(nil, opsetDomain, []byte(classicalDomain)), opsetVersion, classical))
	}
	return b
}

func (f *modelFile) decode() (*nn.Graph, error) { return Decode("test.onnx", f.bytes()) }

// run decodes and computes.
func (f *modelFile) run(t *testing.T, x ...float32) []float32 {
	t.Helper()
	return outputs(t, must.Get(f.decode())(t), x)
}

func unsupportedParts(t *testing.T, err error) []Unsupported {
	t.Helper()
	var u *UnsupportedError
	if !errors.As(err, &u) {
		t.Fatalf("error %v, want an UnsupportedError", err)
	}
	return u.Parts
}

func attributeText(name, v string) []byte {
	return appendGiven(nil, name, v)
}

func attributeOf(name string, t []byte) []byte {
	return appendAttribute(nil, name, kindTensor, appendBytes(nil, attributeTensor, t))
}

func decodeWith(data []byte, o ReadOptions) (*nn.Graph, error) {
	return decode("test.onnx", data, o, nil, maxFolded)
}
