package onnx

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"tattle/internal/must"
)

func reluOf(input []byte) *modelFile {
	f := newFile().node("Relu", "y", in("x"))
	f.input = input
	return f
}

func TestInputShapes(t *testing.T) {
	open := declaredAs("x", typeFloat, "N", 3, "height", "width")
	noShape := appendBytes(appendBytes(nil, valueName, []byte("x")), valueType, appendBytes(nil, typeTensor, appendInt(nil, typeElement, typeFloat)))
	sequence := appendBytes(appendBytes(nil, valueName, []byte("x")), valueType, appendBytes(nil, typeSequence, nil))
	for _, c := range []struct {
		input []byte
		given []int
		want  []int
		err   string
	}{
		{open, []int{3, 8, 9}, []int{3, 8, 9}, ""},
		{open, nil, nil, `input "x" float32 [N, 3, height, width]: not all dimensions are fixed; give the sizes of one example (--input-shape 3x224x224)`},
		{open, []int{1, 8, 9}, nil, "the file fixes dimension 1 to 3, --input-shape 1x8x9 says 1"},
		{open, []int{3, 8}, nil, "--input-shape 3x8 gives 2 sizes for 3 dimensions after the batch"},
		{open, []int{3, 8, 0}, nil, "--input-shape 3x8x0: sizes must be at least 1"},
		{open, []int{3, 1 << 40, 1 << 40}, nil, "absurd shape"},
		{declaredAs("x", typeFloat, 1, 5), nil, []int{5}, ""},
		{declaredAs("x", typeFloat, 1, 5), []int{5}, []int{5}, ""},
		{declaredAs("x", typeFloat, -1, 5), nil, []int{5}, ""},
		{declaredAs("x", typeFloat, 4, 5), nil, nil, "has a batch fixed to 4; export it with a dynamic batch or a batch of 1"},
		{declaredAs("x", typeFloat16, "N", 5), nil, []int{5}, ""},
		{declaredAs("x", typeDouble, "N", 5), nil, []int{5}, ""},
		{declaredAs("x", typeInt64, "N", 5), nil, nil, `input "x" int64 [N, 5]: only float inputs are supported`},
		{declaredAs("x", typeFloat, 5), nil, nil, "has 1 dimensions; needed are a batch and at least one more"},
		{noShape, nil, nil, "of any shape: give the sizes of one example (--input-shape"},
		{noShape, []int{4}, []int{4}, ""},
		{sequence, nil, nil, `input "x" a sequence`},
	} {
		g, err := decodeWith(reluOf(c.input).bytes(), ReadOptions{Shape: c.given})
		switch {
		case c.err != "" && (err == nil || !strings.Contains(err.Error(), c.err) || strings.Contains(err.Error(), "\n")):
			t.Errorf("%v: %v, want %q", c.given, err, c.err)
		case c.err == "" && err != nil:
			t.Errorf("%v: %v", c.given, err)
		case c.err == "" && !slices.Equal(g.InputShape, c.want):
			t.Errorf("%v: shape %v, want %v", c.given, g.InputShape, c.want)
		}
	}
}

func TestSeveralInputs(t *testing.T) {
	two := func() *modelFile {
		f := newFile(2).node("Add", "y", in("x", "z"))
		f.inputs = appendBytes(nil, graphInput, declaredAs("z", typeInt64, "N", "length"))
		return f
	}
	_, err := two().decode()
	if p := unsupportedParts(t, err); len(p) != 1 || p[0].Detail != `2 inputs: "x" float32 [1, 2], "z" int64 [N, length]` {
		t.Errorf("%q", p)
	}
	// One that the output does not depend on is as good as not there.
	f := two().node("Relu", "r", in("x"))
	f.output = "r"
	if g, err := f.decode(); err != nil || g.Input != "x" {
		t.Errorf("%v, %v", g, err)
	}
}

func TestSeveralOutputs(t *testing.T) {
	f := newFile(2).node("Relu", "y", in("x")).node("Relu", "z", in("y")).node("Unheard", "w", in("x"))
	f.extra = slices.Concat(appendBytes(nil, graphOutput, activation("z", []int{2})), appendBytes(nil, graphOutput, activation("w", nil)))
	must.Fail(t, must.Err(f.decode()), `3 outputs at once: choose one of "z", "w", "y" (--model-output)`)
	g, err := decodeWith(f.bytes(), ReadOptions{Output: "z"})
	if err != nil || g.Output != "z" || len(g.Nodes) != 2 {
		t.Errorf("%v, %v", g, err)
	}
	_, err = decodeWith(f.bytes(), ReadOptions{Output: "v"})
	var format *FormatError
	if !errors.As(err, &format) || !strings.Contains(err.Error(), `has no output "v": its outputs are "z", "w", "y"`) {
		t.Errorf("%v", err)
	}
}

// A model that ends in what is not read is read up to there, by the tensor's name.
func TestInnerOutput(t *testing.T) {
	f := newFile(2).node("Tanh", "scores", in("x")).node("ArgMax", "y", in("scores"))
	_, err := f.decode()
	if p := unsupportedParts(t, err); len(p) != 1 || !strings.Contains(p[0].Detail, `--model-output "scores" reads`) {
		t.Errorf("%q", p)
	}
	g, err := decodeWith(f.bytes(), ReadOptions{Output: "scores"})
	if err != nil || g.Output != "scores" || len(g.Nodes) != 1 {
		t.Errorf("%v, %v", g, err)
	}
}

// What depends on no input is no net.
func TestConstantOutput(t *testing.T) {
	for _, f := range []*modelFile{
		newFile(2).node("Shape", "y", in("x")),
		newFile(2).floats("w", dim1(1), 1).node("Neg", "y", in("w")),
		newFile(2).floats("w", dim1(1), 1).node("Softmax", "y", in("w")),
	} {
		must.Fail(t, must.Err(f.decode()), `output "y" does not depend on the input`)
	}
}

// A node of which only the shape is asked for is left out.
func TestShapesOfDeadNodes(t *testing.T) {
	f := newFile(2, 3).node("Sigmoid", "s", in("x")).node("Shape", "n", in("s")).node("Reshape", "y", in("x", "n"))
	g, err := f.decode()
	if err != nil || len(g.Nodes) != 1 || g.Nodes[0].Inputs[0] != "x" {
		t.Errorf("%v, %v", g, err)
	}
}

// One line names every operator that is not read, and nothing that is behind one.
func TestCollected(t *testing.T) {
	f := newFile(4).node("If", "a", in("x")).node("QuantizeLinear", "b", in("a")).node("Add", "c", in("b", "x")).
		node("Reshape", "y", in("c", "a")).ints("axes", 1)
	f.add("com.microsoft", "FusedMatMul", "fused", in("y"), in("z"), nil)
	f.output = "z"
	_, err := f.decode()
	want := []Unsupported{{"If of a", "If", `input "x" is computed: it must be constant`}, {"QuantizeLinear of b", "QuantizeLinear", ""}, {"fused", "FusedMatMul", `domain "com.microsoft"`}}
	if p := unsupportedParts(t, err); !slices.Equal(p, want) {
		t.Errorf("%q, want %q", p, want)
	}
}

// The error about a shape that depends on the values of an activation names the node and the
// tensor.
func TestShapesThatCannotBeInferred(t *testing.T) {
	for _, c := range []struct {
		file *modelFile
		want string
	}{
		{newFile(4).node("NonZero", "n", in("x")).node("Shape", "s", in("n")).node("Cast", "y", in("s")),
			`NonZero: the shape of its output depends on the values of "x", which is computed (NonZero of n)`},
		{newFile(4).node("Reshape", "y", in("x", "x")), `Reshape: input "x" is computed: it must be constant (Reshape of y)`},
		{newFile(4).node("ConstantOfShape", "y", in("x")), `ConstantOfShape: input "x" is computed: it must be constant (ConstantOfShape of y)`},
		{newFile(4).ints("a", 1).node("Range", "y", in("a", "x", "a")), `Range: input "x" is computed`},
	} {
		must.Fail(t, must.Err(c.file.decode()), c.want)
	}
}

func TestCycles(t *testing.T) {
	f := newFile(2).node("Add", "a", in("x", "c")).node("Relu", "b", in("a")).node("Relu", "c", in("b")).node("Relu", "y", in("c"))
	_, err := f.decode()
	must.Fail(t, err, `node "Relu of c" comes after it; sort the nodes of the file, which must have no cycle`)
	// A cycle on which the output does not depend does no harm.
	f.node("Relu", "z", in("x"))
	f.output = "z"
	if g, err := f.decode(); err != nil || len(g.Nodes) != 1 {
		t.Error(err)
	}
}
