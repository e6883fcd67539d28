package onnx

import (
	"encoding/binary"
	"errors"
	"math"
	"slices"
	"testing"

	"google.golang.org/protobuf/encoding/protowire"

	"tattle/internal/must"
	"tattle/nn"
)

// modelFile is an ONNX model in the making, for tests: what Encode would never write.
type modelFile struct {
	opset  int64
	nodes  []byte
	consts []byte
	inputs []byte // as well as x
	extra  []byte // fields of the graph
	output string
	input  []byte
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

// fixedTo1 declares an input of a batch of 1.
func fixedTo1(name string, shape []int) []byte {
	var dims []byte
	for _, d := range append([]int{1}, shape...) {
		dims = appendBytes(dims, shapeDim, appendInt(nil, dimValue, int64(d)))
	}
	tensor := appendBytes(appendInt(nil, typeElement, typeFloat), typeShape, dims)
	return appendBytes(appendBytes(nil, valueName, []byte(name)), valueType, appendBytes(nil, typeTensor, tensor))
}

// node adds a node of inputs to one output; attributes are appended encoded.
func (f *modelFile) node(op, output string, inputs []string, attributes ...[]byte) *modelFile {
	var b []byte
	for _, in := range inputs {
		b = appendBytes(b, nodeInput, []byte(in))
	}
	b = appendBytes(b, nodeOutput, []byte(output))
	b = appendBytes(b, nodeName, []byte(op+" of "+output))
	b = appendBytes(b, nodeOp, []byte(op))
	b = append(b, slices.Concat(attributes...)...)
	f.nodes = appendBytes(f.nodes, graphNode, b)
	return f
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

// floats adds a float32 tensor by raw data.
func (f *modelFile) floats(name string, shape []int, x ...float32) *modelFile {
	var raw []byte
	for _, v := range x {
		raw = binary.LittleEndian.AppendUint32(raw, math.Float32bits(v))
	}
	return f.tensor(appendBytes(tensorOf(name, typeFloat, shape...), tensorRaw, raw))
}

func (f *modelFile) ints(name string, x ...int64) *modelFile {
	return f.tensor(intTensor(name, x...))
}

func intTensor(name string, x ...int64) []byte {
	var packed []byte
	for _, v := range x {
		packed = protowire.AppendVarint(packed, uint64(v))
	}
	return appendBytes(tensorOf(name, typeInt64, len(x)), tensorInt64s, packed)
}

func (f *modelFile) bytes() []byte {
	g := slices.Concat(f.nodes, f.consts, appendBytes(nil, graphInput, f.input), f.inputs, f.extra)
	g = appendBytes(g, graphOutput, activation(f.output, []int{1}))
	b := appendInt(nil, modelIRVersion, 8)
	b = appendBytes(b, modelGraph, g)
	return appendBytes(b, modelOpset, appendInt(nil, opsetVersion, f.opset))
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
	return appendAttribute(nil, name, kindString, appendBytes(nil, attributeString, []byte(v)))
}

func attributeOf(name string, t []byte) []byte {
	return appendAttribute(nil, name, kindTensor, appendBytes(nil, attributeTensor, t))
}

func decodeWith(data []byte, o ReadOptions) (*nn.Graph, error) {
	return decode("test.onnx", data, o, nil, maxFolded)
}

// activation encodes a float tensor with a dynamic batch.
func activation(name string, shape []int) []byte { return end{name, typeFloat, shape}.encode() }
