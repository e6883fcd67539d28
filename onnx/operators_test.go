package onnx

import (
	"encoding/binary"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"tattle/nn"
)

func in(names ...string) []string { return names }

func float(name string, v float64) []byte   { return appendFloat(nil, name, v) }
func number(name string, v int64) []byte    { return appendNumber(nil, name, v) }
func numbers(name string, v ...int) []byte  { return appendNumbers(nil, name, v) }
func iota32(n int, first float32) []float32 { return ramp(n, first, 1) }

func ramp(n int, first, step float32) []float32 {
	x := make([]float32, n)
	for i := range x {
		x[i] = first + float32(i)*step
	}
	return x
}

// Small models with results worked out by hand.
func TestOperators(t *testing.T) {
	image := iota32(16, 1) // [1, 4, 4]: 1 … 16
	cases := []struct {
		name string
		file *modelFile
		x    []float32
		want []float32
	}{
		{"Gemm [in, out]", newFile(2).floats("w", []int{2, 3}, 1, 2, 3, 4, 5, 6).floats("b", []int{3}, 1, 0, -1).
			node("Gemm", "y", in("x", "w", "b")), []float32{1, 10}, []float32{42, 52, 62}},
		{"Gemm transB", newFile(2).floats("w", []int{3, 2}, 1, 4, 2, 5, 3, 6).floats("b", []int{1, 3}, 1, 0, -1).
			node("Gemm", "y", in("x", "w", "b"), number("transB", 1)), []float32{1, 10}, []float32{42, 52, 62}},
		{"Gemm alpha, beta", newFile(2).floats("w", []int{2, 1}, 1, 4).floats("b", nil, 3).
			node("Gemm", "y", in("x", "w", "b"), float("alpha", 2), float("beta", -1)), []float32{1, 10, 0, 1}, []float32{79, 5}},
		{"Gemm without C", newFile(2).floats("w", []int{2, 1}, 1, 4).node("Gemm", "y", in("x", "w", "")), []float32{1, 1}, []float32{5}},
		{"MatMul", newFile(2).floats("w", []int{2, 2}, 1, 2, 3, 4).node("MatMul", "y", in("x", "w")), []float32{1, 1}, []float32{4, 6}},
		{"MatMul, Add", newFile(2).floats("w", []int{2, 2}, 1, 2, 3, 4).floats("b", []int{2}, 10, 20).
			node("MatMul", "m", in("x", "w")).node("Add", "y", in("b", "m")), []float32{1, 1}, []float32{14, 26}},
		{"Add", newFile(2).node("Relu", "r", in("x")).node("Add", "y", in("x", "r")), []float32{-1, 2}, []float32{-1, 4}},
		{"LeakyRelu", newFile(2).node("LeakyRelu", "y", in("x"), float("alpha", 0.5)), []float32{-1, 2}, []float32{-0.5, 2}},
		{"Softmax", newFile(2).node("Softmax", "y", in("x"), number("axis", 1)), []float32{0, float32(math.Log(3))}, []float32{0.25, 0.75}},
		{"Hardmax", newFile(3).node("Hardmax", "y", in("x")), []float32{1, 3, 3, 2, 0, 1}, []float32{0, 1, 0, 1, 0, 0}},
		{"Log, Mul", newFile(2).node("Log", "l", in("x")).node("Mul", "y", in("x", "l")), []float32{1, math.E}, []float32{0, math.E}},
		{"Identity, Dropout", newFile(2).node("Identity", "i", in("x")).node("Dropout", "y", in("i")), []float32{-1, 2}, []float32{-1, 2}},
		{"Constant", newFile(2).node("Constant", "w", nil, attributeOf("value", doubles("", []int{2, 1}, 0.5, 0.25))).
			node("Identity", "v", in("w")).node("MatMul", "y", in("x", "v")), []float32{2, 4}, []float32{2}},
		{"Flatten, ReduceMean", newFile(1, 4, 4).node("ReduceMean", "y", in("x"), numbers("axes", -1, 2), number("keepdims", 0)), image, []float32{8.5}},
		{"ReduceMean keepdims", newFile(2, 1, 2).node("ReduceMean", "m", in("x"), numbers("axes", 2, 3)).node("Flatten", "y", in("m"), number("axis", -3)),
			[]float32{1, 2, 3, 4}, []float32{1.5, 3.5}},
		{"GlobalAveragePool", newFile(2, 1, 2).node("GlobalAveragePool", "y", in("x")), []float32{1, 2, 3, 4}, []float32{1.5, 3.5}},
		{"Conv", newFile(1, 4, 4).floats("w", []int{1, 1, 2, 2}, 1, 0, 0, 1).floats("b", []int{1}, 100).
			node("Conv", "y", in("x", "w", "b"), numbers("strides", 2, 2)), image, []float32{107, 111, 123, 127}},
		{"Conv of groups", newFile(2, 1, 1).floats("w", []int{2, 1, 1, 1}, 3, 5).
			node("Conv", "y", in("x", "w"), number("group", 2)), []float32{1, 10}, []float32{3, 50}},
		{"Conv SAME_UPPER", newFile(1, 1, 3).floats("w", []int{1, 1, 1, 2}, 1, 10).
			node("Conv", "y", in("x", "w"), attributeText("auto_pad", "SAME_UPPER")), []float32{1, 2, 3}, []float32{21, 32, 3}},
		{"Conv SAME_LOWER", newFile(1, 1, 3).floats("w", []int{1, 1, 1, 2}, 1, 10).
			node("Conv", "y", in("x", "w"), attributeText("auto_pad", "SAME_LOWER")), []float32{1, 2, 3}, []float32{10, 21, 32}},
		{"Conv dilated, VALID", newFile(1, 1, 3).floats("w", []int{1, 1, 1, 2}, 1, 10).
			node("Conv", "y", in("x", "w"), attributeText("auto_pad", "VALID"), numbers("dilations", 1, 2)), []float32{1, 2, 3}, []float32{31}},
		{"MaxPool padded", newFile(1, 4, 4).node("MaxPool", "y", in("x"), numbers("kernel_shape", 3, 3), numbers("strides", 2, 2), numbers("pads", 1, 1, 0, 0)),
			image, []float32{6, 8, 14, 16}},
		{"MaxPool ceil", newFile(1, 4, 4).node("MaxPool", "y", in("x"), numbers("kernel_shape", 2, 2), numbers("strides", 2, 2), number("ceil_mode", 1)),
			image, []float32{6, 8, 14, 16}},
		{"AveragePool", newFile(1, 1, 2).node("AveragePool", "y", in("x"), numbers("kernel_shape", 1, 2), numbers("pads", 0, 1, 0, 0)),
			[]float32{2, 4}, []float32{2, 3}},
		{"AveragePool with padding", newFile(1, 1, 2).
			node("AveragePool", "y", in("x"), numbers("kernel_shape", 1, 2), numbers("pads", 0, 1, 0, 0), number("count_include_pad", 1)),
			[]float32{2, 4}, []float32{1, 3}},
		{"BatchNormalization", newFile(2).floats("s", []int{2}, 1, 2).floats("b", []int{2}, 0, 1).floats("m", []int{2}, 1, 1).floats("v", []int{2}, 3, 8).
			node("BatchNormalization", "y", in("x", "s", "b", "m", "v"), float("epsilon", 1)), []float32{3, 4}, []float32{1, 3}},
	}
	for _, c := range cases {
		y := c.file.run(t, c.x...)
		if len(y) != len(c.want) {
			t.Errorf("%s: %v, want %v", c.name, y, c.want)
			continue
		}
		for i := range y {
			if math.Abs(float64(y[i]-c.want[i])) > 1e-6*math.Abs(float64(c.want[i])) {
				t.Errorf("%s: %v, want %v", c.name, y, c.want)
				break
			}
		}
	}
}

func doubles(name string, shape []int, x ...float64) []byte {
	var b []byte
	for _, v := range x {
		b = binary.LittleEndian.AppendUint64(b, math.Float64bits(v))
	}
	return appendBytes(tensorOf(name, typeDouble, shape...), tensorDoubles, b)
}

// Every way a file can keep the weights 1, -2, 0.5.
func TestTensors(t *testing.T) {
	want := []float32{1, -2, 0.5}
	packed := appendBytes(tensorOf("w", typeFloat, 3, 1), tensorFloats, []byte{0, 0, 128, 63, 0, 0, 0, 192, 0, 0, 0, 63})
	single := tensorOf("w", typeFloat, 3, 1)
	for i := range 3 {
		single = append(single, 4<<3|5) // field 4, fixed32
		single = append(single, []byte{0, 0, 128, 63, 0, 0, 0, 192, 0, 0, 0, 63}[4*i:4*i+4]...)
	}
	for name, body := range map[string][]byte{
		"packed floats":   packed,
		"single floats":   single,
		"doubles":         doubles("w", []int{3, 1}, 1, -2, 0.5),
		"halves, raw":     appendBytes(tensorOf("w", typeFloat16, 3, 1), tensorRaw, []byte{0, 0x3c, 0, 0xc0, 0, 0x38}),
		"halves, integer": appendInt(appendInt(appendInt(tensorOf("w", typeFloat16, 3, 1), tensorInt32s, 0x3c00), tensorInt32s, 0xc000), tensorInt32s, 0x3800),
	} {
		g, err := newFile(3).tensor(body).node("MatMul", "y", in("x", "w")).decode()
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if w := g.Params()[0]; !slices.Equal(w.Data, want) || w.Name != "w" {
			t.Errorf("%s: %v, want %v", name, w.Data, want)
		}
	}
}

func TestReshape(t *testing.T) {
	for _, c := range []struct {
		to   []int64
		want string // operator, or empty for unsupported
	}{
		{[]int64{0, -1}, "Flatten"}, {[]int64{-1, 12}, "Flatten"}, {[]int64{0, 12}, "Flatten"},
		{[]int64{0, 0, 0, 0}, "Identity"}, {[]int64{-1, 3, 2, 2}, "Identity"}, {[]int64{0, 3, -1, 2}, "Identity"},
		{[]int64{-1, 3}, ""}, {[]int64{0, 0}, ""}, {[]int64{0, 6, 2}, ""}, {[]int64{1, 12}, "Flatten"}, {[]int64{-1}, ""},
		{[]int64{-1, 4, 3, 1}, ""}, {[]int64{-1, -1}, ""}, {[]int64{0, -1, -1, 2}, ""},
	} {
		g, err := newFile(3, 2, 2).ints("s", c.to...).node("Reshape", "y", in("x", "s")).decode()
		if c.want == "" {
			if p := unsupportedParts(t, err); len(p) != 1 || p[0].Op != "Reshape" {
				t.Errorf("%v: %v", c.to, err)
			}
		} else if err != nil || g.Nodes[0].Op.Kind() != c.want {
			t.Errorf("%v: %v, %v; want %s", c.to, g, err, c.want)
		}
	}
	one := newFile(3, 2, 2).ints("s", 1, -1).node("Reshape", "y", in("x", "s"))
	one.input = fixedBatch("x", 1, 3, 2, 2)
	if g, err := one.decode(); err != nil || g.Nodes[0].Op.Kind() != "Flatten" {
		t.Errorf("batch fixed to 1: %v", err)
	}
}

// fixedBatch encodes an input all of whose dimensions are fixed.
func fixedBatch(name string, shape ...int) []byte {
	var dims []byte
	for _, d := range shape {
		dims = appendBytes(dims, shapeDim, appendInt(nil, dimValue, int64(d)))
	}
	tensor := appendBytes(appendInt(nil, typeElement, typeFloat), typeShape, dims)
	return appendBytes(appendBytes(nil, valueName, []byte(name)), valueType, appendBytes(nil, typeTensor, tensor))
}

func TestAttributesAreDecimals(t *testing.T) {
	f := newFile(1).floats("s", []int{1}, 1).floats("b", []int{1}, 0).floats("v", []int{1}, 1).floats("p", nil, 0.2)
	f.node("BatchNormalization", "n", in("x", "s", "b", "b", "v"), float("epsilon", 1e-5), float("momentum", 0.9))
	g, err := f.node("LeakyRelu", "l", in("n"), float("alpha", 0.3)).node("Dropout", "y", in("l", "p")).decode()
	if err != nil {
		t.Fatal(err)
	}
	b := g.Nodes[0].Op.(*nn.BatchNorm)
	if b.Epsilon != 1e-5 || b.Momentum != 0.1 {
		t.Errorf("epsilon %v, momentum %v", b.Epsilon, b.Momentum)
	}
	if l := g.Nodes[1].Op.(*nn.LeakyReLU); l.Slope != 0.3 {
		t.Errorf("slope %v", l.Slope)
	}
	if d := g.Nodes[2].Op.(*nn.Dropout); d.P != 0.2 {
		t.Errorf("ratio %v", d.P)
	}
	if b.Shift == b.Mean {
		t.Error("a parameter moves with the running mean")
	}
}

func TestNames(t *testing.T) {
	f := newFile(1)
	var b []byte
	for i, name := range []string{"", "Relu_0", "a", "a", ""} {
		n := appendBytes(nil, nodeInput, []byte([]string{"x", "1", "2", "3", "4"}[i]))
		n = appendBytes(n, nodeOutput, []byte([]string{"1", "2", "3", "4", "y"}[i]))
		if name != "" {
			n = appendBytes(n, nodeName, []byte(name))
		}
		b = appendBytes(b, graphNode, appendBytes(n, nodeOp, []byte("Relu")))
	}
	f.nodes = b
	g, err := f.decode()
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, n := range g.Nodes {
		names = append(names, n.Name)
	}
	if want := []string{"Relu_1", "Relu_0", "a", "a_Relu_0", "Relu_2"}; !slices.Equal(names, want) {
		t.Errorf("names %q, want %q", names, want)
	}
}

// What the output does not depend on may be anything.
func TestDeadNodes(t *testing.T) {
	g, err := newFile(1).node("Shape", "s", in("x")).node("Relu", "y", in("x")).decode()
	if err != nil || len(g.Nodes) != 1 {
		t.Errorf("%v, %v", g, err)
	}
}

// An initializer may also be listed among the inputs.
func TestInitializerAsInput(t *testing.T) {
	f := newFile(2).floats("w", []int{2, 1}, 1, 4).node("MatMul", "y", in("x", "w"))
	f.inputs = appendBytes(nil, graphInput, fixedBatch("w", 2, 1))
	if y := f.run(t, 1, 1); y[0] != 5 {
		t.Errorf("%v", y)
	}
}

func TestUnsupported(t *testing.T) {
	old := func(f *modelFile) *modelFile { f.opset = 11; return f }
	w := func(f *modelFile) *modelFile { return f.floats("w", []int{2, 2}, 1, 2, 3, 4) }
	cases := []struct {
		name string
		file *modelFile
		want []Unsupported
	}{
		{"all in one", newFile(2).node("Slice", "a", in("x")).node("Pad", "b", in("a")).node("Relu", "c", in("b")).
			node("Slice", "d", in("c")).node("Softmax", "y", in("d"), number("axis", -1), number("beam", 3)),
			[]Unsupported{{"Slice of a", "Slice", ""}, {"Pad of b", "Pad", ""}, {"Slice of d", "Slice", ""}, {"Softmax of y", "Softmax", `attribute "beam"`}}},
		{"transA", w(newFile(2)).node("Gemm", "y", in("x", "w"), number("transA", 1)),
			[]Unsupported{{"Gemm of y", "Gemm", "transA: the batch would be the last dimension"}}},
		{"constant left operand", w(newFile(2)).node("MatMul", "y", in("w", "x")), []Unsupported{{"MatMul of y", "MatMul", `input "w" is constant`}}},
		{"two activations", newFile(2).node("MatMul", "y", in("x", "x")), []Unsupported{{"MatMul of y", "MatMul", `input "x" is computed, not constant`}}},
		{"constant added", newFile(2).floats("c", []int{2}, 1, 2).node("Add", "y", in("x", "c")),
			[]Unsupported{{"Add of y", "Add", "of a constant that is not the bias of an affine layer"}}},
		{"broadcast", newFile(1, 2, 2).node("GlobalAveragePool", "g", in("x")).node("Add", "y", in("x", "g")),
			[]Unsupported{{"Add of y", "Add", "of shapes [1 2 2] and [1 1 1], which differ"}}},
		{"ceil_mode", newFile(1, 3, 3).node("MaxPool", "y", in("x"), numbers("kernel_shape", 2, 2), numbers("strides", 2, 2), number("ceil_mode", 1)),
			[]Unsupported{{"MaxPool of y", "MaxPool", "ceil_mode where windows reach beyond the input"}}},
		{"one dimension", newFile(1, 3).floats("w", []int{1, 1, 2}, 1, 2).node("Conv", "y", in("x", "w")),
			[]Unsupported{{"Conv of y", "Conv", "weight of shape [1 1 2]: only images are convolved"}}},
		{"training", newFile(2).tensor(appendInt(tensorOf("t", typeBool), tensorInt32s, 1)).node("Dropout", "y", in("x", "", "t")),
			[]Unsupported{{"Dropout of y", "Dropout", "training mode: export the model for inference"}}},
		{"another file", newFile(2).tensor(appendInt(tensorOf("w", typeFloat, 2, 2), tensorLocation, 1)).node("MatMul", "y", in("x", "w")),
			[]Unsupported{{"MatMul of y", "MatMul", `tensor "w" keeps its data in another file`}}},
		{"behind the unsupported", newFile(2).floats("c", []int{2}, 1, 2).node("Sin", "s", in("x")).node("Add", "y", in("s", "c")), []Unsupported{{"Sin of s", "Sin", ""}}},
		{"column of biases", w(newFile(2)).floats("b", []int{2, 1}, 1, 2).node("Gemm", "y", in("x", "w", "b")),
			[]Unsupported{{"Gemm of y", "Gemm", `bias "b" has shape [2 1] for 2 outputs`}}},
		{"bias of three dimensions", w(newFile(2)).floats("b", []int{1, 1, 2}, 1, 2).node("MatMul", "m", in("x", "w")).node("Add", "y", in("m", "b")),
			[]Unsupported{{"Add of y", "Add", `bias "b" has shape [1 1 2] for 2 outputs`}}},
		{"text", newFile(2).node("Constant", "c", nil, attributeText("value_string", "a")).node("Add", "y", in("x", "c")),
			[]Unsupported{{"Constant of c", "Constant", `attribute "value_string"`}}},
		{"Softmax of all", old(newFile(2, 1, 2).node("Softmax", "y", in("x"))), []Unsupported{{"Softmax of y", "Softmax", "over all from axis 1 of 4 dimensions, not the last alone"}}},
		{"Hardmax of all", old(newFile(2, 1, 2).node("Hardmax", "y", in("x"))), []Unsupported{{"Hardmax of y", "Hardmax", "over all from axis 1 of 4 dimensions, not the last alone"}}},
		{"factor", newFile(2).floats("c", []int{2}, 1, 2).node("Mul", "y", in("x", "c")), []Unsupported{{"Mul of y", "Mul", `input "c" is constant`}}},
		{"factors", newFile(1, 2, 2).node("GlobalAveragePool", "g", in("x")).node("Mul", "y", in("x", "g")),
			[]Unsupported{{"Mul of y", "Mul", "of shapes [1 2 2] and [1 1 1], which differ"}}},
		{"Flatten 0", newFile(2, 2).node("Flatten", "y", in("x"), number("axis", 0)), []Unsupported{{"Flatten of y", "Flatten", "from axis 0, not 1"}}},
	}
	for _, c := range cases {
		_, err := c.file.decode()
		if p := unsupportedParts(t, err); !slices.Equal(p, c.want) {
			t.Errorf("%s: %q, want %q", c.name, p, c.want)
		}
		for _, p := range c.want {
			for _, s := range []string{p.Node, p.Op, p.Detail} {
				if !strings.Contains(err.Error(), s) {
					t.Errorf("%s: the message %q does not say %q", c.name, err, s)
				}
			}
		}
	}
}

func TestUnsupportedModel(t *testing.T) {
	relu := func() *modelFile { return newFile(2).node("Relu", "y", in("x")) }
	old, wide, scalar, batch, two := relu(), relu(), relu(), relu(), relu()
	old.opset = 6
	wide.input = activation("x", nil)
	scalar.input = appendBytes(nil, valueName, []byte("x"))
	batch.input = fixedBatch("x", 8, 2)
	two.node("Add", "sum", in("y", "z")).output = "sum"
	two.inputs = appendBytes(nil, graphInput, activation("z", []int{2}))
	symbolic := relu()
	dims := appendBytes(appendBytes(nil, shapeDim, nil), shapeDim, nil)
	kind := appendBytes(appendInt(nil, typeElement, typeFloat), typeShape, dims)
	symbolic.input = appendBytes(appendBytes(nil, valueName, []byte("x")), valueType, appendBytes(nil, typeTensor, kind))
	for want, f := range map[string]*modelFile{
		"opset 6": old, "1 dimensions": wide, `"x" type 0 of any shape`: scalar,
		"a batch fixed to 8": batch, "2 inputs": two, `"x" float32 [?, ?]: not all dimensions are fixed; give the sizes of one example (--input-shape 16)`: symbolic,
	} {
		_, err := f.decode()
		if p := unsupportedParts(t, err); len(p) != 1 || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %q", err, want)
		}
	}
}

// However much is unsupported, the message is a line that can be read.
func TestUnsupportedMessageIsBounded(t *testing.T) {
	f := newFile(2)
	last := "x"
	for i := range 5000 {
		next := fmt.Sprint("t", i)
		f.node(fmt.Sprintf("Op%d\n", i%100), next, in(last))
		last = next
	}
	f.output = last
	_, err := f.decode()
	if p := unsupportedParts(t, err); len(p) != 5000 {
		t.Errorf("%d parts", len(p))
	}
	if m := err.Error(); len(m) > 20000 || strings.Contains(m, "\n") || !strings.Contains(m, "and 34 more") || !strings.Contains(m, "and 68 more") {
		t.Errorf("%d bytes: %.500q", len(m), m)
	}
}

// Before opset 13 a softmax is over all dimensions from axis on: from the last
// on it is the same as after.
func TestSoftmaxBeforeOpset13(t *testing.T) {
	for _, axis := range []int64{3, -1} {
		f := newFile(2, 1, 2).node("Softmax", "y", in("x"), number("axis", axis))
		f.opset = 11
		if y := f.run(t, 0, float32(math.Log(3)), 1, 1); math.Abs(float64(y[1])-.75) > 1e-6 || y[2] != .5 {
			t.Errorf("axis %d: %v", axis, y)
		}
	}
}
