package onnx

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"tattle/internal/engine/nn"
	"tattle/internal/must"
)

func in(names ...string) []string { return names }

func float(name string, v float64) []byte  { return appendGiven(nil, name, v) }
func number(name string, v int64) []byte   { return appendGiven(nil, name, int(v)) }
func numbers(name string, v ...int) []byte { return appendGiven(nil, name, v) }

func ramp(n int, first, step float32) []float32 {
	x := make([]float32, n)
	for i := range x {
		x[i] = first + float32(i)*step
	}
	return x
}

// Small models with results worked out by hand, of what the definitions of TestRead… do not have.
func TestOperators(t *testing.T) {
	cases := []struct {
		name string
		file *modelFile
		x    []float32
		want []float32
	}{
		{"Constant", newFile(2).node("Constant", "w", nil, attributeOf("value", doubles("", []int{2, 1}, 0.5, 0.25))).
			node("Identity", "v", in("w")).node("MatMul", "y", in("x", "v")), []float32{2, 4}, []float32{2}},
		{"Conv SAME_UPPER", newFile(1, 1, 3).floats("w", []int{1, 1, 1, 2}, 1, 10).
			node("Conv", "y", in("x", "w"), attributeText("auto_pad", "SAME_UPPER")), []float32{1, 2, 3}, []float32{21, 32, 3}},
		{"Conv SAME_LOWER", newFile(1, 1, 3).floats("w", []int{1, 1, 1, 2}, 1, 10).
			node("Conv", "y", in("x", "w"), attributeText("auto_pad", "SAME_LOWER")), []float32{1, 2, 3}, []float32{10, 21, 32}},
		{"Conv dilated, VALID", newFile(1, 1, 3).floats("w", []int{1, 1, 1, 2}, 1, 10).
			node("Conv", "y", in("x", "w"), attributeText("auto_pad", "VALID"), numbers("dilations", 1, 2)), []float32{1, 2, 3}, []float32{31}},
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

// Targets at batch 1 of an example [3, 2, 2], and the shape of what comes out in
// package nn.
func TestReshape(t *testing.T) {
	for _, c := range []struct {
		to   []int64
		want []int // nil for refused
	}{
		{[]int64{0, -1}, []int{12}}, {[]int64{-1, 12}, []int{12}}, {[]int64{1, 12}, []int{12}}, {[]int64{-1}, []int{12}},
		{[]int64{0, 0, 0, 0}, []int{3, 2, 2}}, {[]int64{-1, 3, 2, 2}, []int{3, 2, 2}}, {[]int64{0, 3, -1, 2}, []int{3, 2, 2}},
		{[]int64{-1, 3}, []int{4, 3}}, {[]int64{0, 6, 2}, []int{6, 2}}, {[]int64{1, 1, 12}, []int{1, 12}},
		{[]int64{0, 0}, nil}, {[]int64{-1, -1}, nil}, {[]int64{0, -1, -1, 2}, nil}, {[]int64{-1, 5}, nil}, {[]int64{0, 0, 0, 0, 0}, nil},
		{[]int64{-2, 6}, nil}, {[]int64{1 << 40, 1 << 40}, nil},
	} {
		g, err := newFile(3, 2, 2).ints("s", c.to...).node("Reshape", "y", in("x", "s")).decode()
		var format *FormatError
		if c.want == nil {
			if !errors.As(err, &format) || format.Op != "Reshape" {
				t.Errorf("%v: %v", c.to, err)
			}
			continue
		}
		if err != nil {
			t.Errorf("%v: %v", c.to, err)
			continue
		}
		if shapes, err := g.Shapes(); err != nil || !slices.Equal(shapes["y"], c.want) {
			t.Errorf("%v: %v, %v; want %v", c.to, shapes["y"], err, c.want)
		}
	}
}

func TestAttributesAreDecimals(t *testing.T) {
	f := newFile(1).floats("s", []int{1}, 1).floats("b", []int{1}, 0).floats("v", []int{1}, 1).floats("p", nil, 0.2)
	f.node("BatchNormalization", "n", in("x", "s", "b", "b", "v"), float("epsilon", 1e-5), float("momentum", 0.9))
	g := must.Get(f.node("LeakyRelu", "l", in("n"), float("alpha", 0.3)).node("Dropout", "y", in("l", "p")).decode())(t)
	b := g.Nodes[0].Op.(*nn.BatchNorm)
	if b.Epsilon != 1e-5 || b.Momentum != 0.1 {
		t.Errorf("epsilon %v, momentum %v", b.Epsilon, b.Momentum)
	}
	if l := g.Nodes[1].Op.(*nn.ReLU); l.Slope != 0.3 {
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
	tensors := []string{"x", "1", "2", "3", "4", "y"}
	for i, name := range []string{"", "Relu_0", "a", "a", ""} {
		f.add("", "Relu", name, tensors[i:i+1], tensors[i+1:i+2], nil)
	}
	g := must.Get(f.decode())(t)
	var names []string
	for _, n := range g.Nodes {
		names = append(names, n.Name)
	}
	if want := []string{"Relu_1", "Relu_0", "a", "a_Relu_0", "Relu_2"}; !slices.Equal(names, want) {
		t.Errorf("names %q, want %q", names, want)
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
	w := func(f *modelFile) *modelFile { return f.floats("w", []int{2, 2}, 1, 2, 3, 4) }
	cases := []struct {
		name string
		file *modelFile
		want []Unsupported
	}{
		{"all in one", newFile(2).node("Tan", "a", in("x")).node("TopK", "b", in("a")).node("Relu", "c", in("b")).
			node("Tan", "d", in("x")).node("Softmax", "e", in("x"), number("axis", -1), number("beam", 3)).node("Sum", "y", in("c", "d", "e")),
			[]Unsupported{{"Tan of a", "Tan", ""}, {"TopK of b", "TopK", ""}, {"Tan of d", "Tan", ""}, {"Softmax of e", "Softmax", `attribute "beam"`}}},
		{"four dimensions", newFile(1, 2, 2, 2, 2).floats("w", []int{1, 1, 1, 1, 1, 1}, 1).node("Conv", "y", in("x", "w")),
			[]Unsupported{{"Conv of y", "Conv", "a weight of shape [1 1 1 1 1 1]: only one to three spatial dimensions are supported"}}},
		{"adjoint of volumes", newFile(1, 2, 2, 2).floats("w", []int{1, 1, 1, 1, 1}, 1).node("ConvTranspose", "y", in("x", "w")),
			[]Unsupported{{"ConvTranspose of y", "ConvTranspose", "transposed convolutions of volumes"}}},
		{"training", newFile(2).tensor(appendInt(tensorOf("t", typeBool), tensorInt32s, 1)).node("Dropout", "y", in("x", "", "t")),
			[]Unsupported{{"Dropout of y", "Dropout", "training mode: export the model for inference"}}},
		{"behind the unsupported", newFile(2).floats("c", []int{2}, 1, 2).node("Tan", "s", in("x")).node("Add", "y", in("s", "c")), []Unsupported{{"Tan of s", "Tan", ""}}},
		{"column of biases", w(newFile(2)).floats("b", []int{2, 1}, 1, 2).node("Gemm", "y", in("x", "w", "b")),
			[]Unsupported{{"Gemm of y", "Gemm", `bias "b" has shape [2 1] for 2 outputs`}}},
		{"text", newFile(2).node("Constant", "c", nil, attributeText("value_string", "a")).node("Add", "y", in("x", "c")),
			[]Unsupported{{"Constant of c", "Constant", `attribute "value_string"`}}},
		{"integers", newFile(2).node("Cast", "y", in("x"), number("to", typeUint8)), []Unsupported{{"Cast of y", "Cast", "a cast of activations to uint8"}}},
		{"a quotient of integers", newFile(2).ints("two", 2).node("Cast", "i", in("x"), number("to", typeInt64)).node("Neg", "j", in("i")).node("Div", "y", in("j", "two")),
			[]Unsupported{{"Div of y", "Div", "computes with integers that depend on the input"}}},
		{"indices", newFile(2).floats("c", []int{2}, 1, 2).node("Gather", "y", in("c", "x")), []Unsupported{{"Gather of y", "Gather", `input "x" is computed: it must be constant`}}},
		{"diagonals", newFile(2, 2).node("Einsum", "y", in("x"), attributeText("equation", "bii->bi")), []Unsupported{{"Einsum of y", "Einsum", `diagonals: 'i' occurs twice in "bii"`}}},
		{"three terms", newFile(2).node("Einsum", "y", in("x", "x", "x"), attributeText("equation", "bi,bi,bi->bi")),
			[]Unsupported{{"Einsum of y", "Einsum", "3 inputs: only one or two are supported"}}},
		{"crop and resize", newFile(1, 2, 2).floats("s", []int{4}, 1, 1, 2, 2).node("Resize", "y", in("x", "", "s"), attributeText("coordinate_transformation_mode", "tf_crop_and_resize")),
			[]Unsupported{{"Resize of y", "Resize", `coordinates "tf_crop_and_resize"`}}},
		{"smaller by the nearest", at(10, newFile(1, 2, 2).floats("s", []int{4}, 1, 1, .5, .5).node("Resize", "y", in("x", "s"))),
			[]Unsupported{{"Resize of y", "Resize", "mode \"nearest\" to a smaller size, whose meaning differs between versions of ONNX: export at opset 11 or later"}}},
		{"scattered sums", newFile(2).tensor(appendInt(tensorOf("k", typeInt64, 1, 1), tensorInt64s, 0)).floats("u", []int{1, 2}, 1, 2).
			node("ScatterND", "y", in("x", "k", "u"), attributeText("reduction", "add")), []Unsupported{{"ScatterND of y", "ScatterND", `reduction "add"`}}},
	}
	_, err := at(6, newFile(2).node("Relu", "y", in("x"))).decode()
	if p := unsupportedParts(t, err); len(p) != 1 {
		t.Errorf("%q", p)
	}
	must.Fail(t, err, "opset 6")
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
