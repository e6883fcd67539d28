package onnx

import (
	"math"
	"slices"
	"strings"
	"testing"

	"tattle/internal/math/float16"
	"tattle/internal/must"
)

// typed declares the type of the input, of a batch of 1.
func (f *modelFile) typed(element int64, size int) *modelFile {
	f.input = declaredAs("x", element, 1, size)
	return f
}

// Casts to 16 bits round, wherever they stand: there and back, to one format and then
// the other, by an example, of an input and of constants.
func TestReadCastsToSixteenBits(t *testing.T) {
	x := []float32{1 + 0x1p-11, 1 + 0x1p-10 + 0x1p-11, -.1, 3e-8, 65519, 1e-41, 300.7, -65504}
	half := func(v float64) float64 { return float16.Half.Round(v) }
	brain := func(v float64) float64 { return float16.Brain.Round(v) }
	both := func(v float64) float64 { return brain(half(v)) }
	plainly := func(v float64) float64 { return v }
	constant := func(v float64) float64 { return float64(float32(v) * float32(half(.1))) }
	for name, c := range map[string]struct {
		f    *modelFile
		want func(float64) float64
	}{
		"float16 and back":  {newFile(8).node("Cast", "h", in("x"), number("to", typeFloat16)).node("Cast", "y", in("h"), number("to", typeFloat)), half},
		"bfloat16 and back": {newFile(8).node("Cast", "h", in("x"), number("to", typeBfloat16)).node("Cast", "y", in("h"), number("to", typeFloat)), brain},
		"and to float64":    {newFile(8).node("Cast", "h", in("x"), number("to", typeFloat16)).node("Cast", "y", in("h"), number("to", typeDouble)), half},
		"released so":       {newFile(8).node("Cast", "y", in("x"), number("to", typeFloat16)), half},
		"both":              {newFile(8).node("Cast", "h", in("x"), number("to", typeFloat16)).node("Cast", "y", in("h"), number("to", typeBfloat16)), both},
		"like a weight": {newFile(8).tensor(appendBytes(tensorOf("w", typeFloat16, 1), tensorRaw, []byte{0, 0x3c})).
			node("CastLike", "h", in("x", "w")).node("Cast", "y", in("h"), number("to", typeFloat)), half},
		"like an activation": {newFile(8).node("Cast", "h", in("x"), number("to", typeBfloat16)).node("CastLike", "y", in("x", "h")), brain},
		"float32 like x":     {newFile(8).node("Cast", "h", in("x"), number("to", typeBfloat16)).node("CastLike", "y", in("h", "x")), brain},
		"moved between": {newFile(8).node("Cast", "h", in("x"), number("to", typeFloat16)).node("Neg", "n", in("h")).node("Relu", "r", in("n")).
			node("Cast", "y", in("r"), number("to", typeFloat)), func(v float64) float64 { return max(-half(v), 0) }},
		"float16 input":     {newFile(8).node("Cast", "y", in("x"), number("to", typeFloat)).typed(typeFloat16, 8), half},
		"bfloat16 input":    {newFile(8).node("Identity", "y", in("x")).typed(typeBfloat16, 8), brain},
		"float64 input":     {newFile(8).node("Cast", "y", in("x"), number("to", typeFloat)).typed(typeDouble, 8), plainly},
		"a folded constant": {newFile(8).floats("k", nil, .1).node("Cast", "h", in("k"), number("to", typeFloat16)).node("Cast", "w", in("h"), number("to", typeFloat)).node("Mul", "y", in("x", "w")), constant},
	} {
		y := c.f.run(t, x...)
		for i, v := range x {
			if want := float32(c.want(float64(v))); y[i] != want {
				t.Errorf("%s: %v becomes %v, want %v", name, v, y[i], want)
			}
		}
		again(t, name, c.f, x, y)
	}
}

// again writes what was read and reads it once more: the same outputs, and no more nodes.
func again(t *testing.T, name string, f *modelFile, x, y []float32) {
	t.Helper()
	g := must.Get(f.decode())(t)
	for range 2 {
		b := must.Get(Encode(g))(t, name)
		back := must.Get(Decode("again.onnx", b))(t, name)
		z := make([]float32, len(y))
		if net(t, back).Forward(z, x); !slices.Equal(y, z) || len(back.Nodes) != len(g.Nodes) {
			t.Errorf("%s: %v becomes %v, %d nodes %d, when written and read", name, y, z, len(g.Nodes), len(back.Nodes))
		}
		g = back
	}
}

// Arithmetic in 16 bits is refused: what it gives depends on the runtime. So are the
// operators of quantised nets.
func TestNarrowArithmeticIsRefused(t *testing.T) {
	narrow := func() *modelFile {
		return newFile(4).node("Cast", "h", in("x"), number("to", typeFloat16)).
			tensor(appendBytes(tensorOf("w", typeFloat16, 4, 1), tensorRaw, []byte{0, 0x3c, 0, 0x3c, 0, 0x3c, 0, 0x3c})).
			tensor(appendBytes(tensorOf("k", typeFloat16, 1), tensorRaw, []byte{0, 0x3c}))
	}
	for op, f := range map[string]*modelFile{
		"MatMul":             narrow().node("MatMul", "y", in("h", "w")),
		"Gemm":               narrow().node("Gemm", "y", in("h", "w")),
		"Add":                narrow().node("Add", "y", in("h", "k")),
		"Mul":                narrow().node("Mul", "y", in("h", "h")),
		"Sigmoid":            narrow().node("Sigmoid", "y", in("h")),
		"Softmax":            narrow().node("Softmax", "y", in("h")),
		"ReduceMean":         narrow().node("ReduceMean", "y", in("h"), numbers("axes", 1)),
		"LayerNormalization": at(17, narrow()).node("LayerNormalization", "y", in("h", "k")),
		"Tanh":               newFile(4).node("Relu", "r", in("x")).node("Tanh", "y", in("r")).typed(typeBfloat16, 4),
	} {
		_, err := f.decode()
		if p := unsupportedParts(t, err); len(p) != 1 || p[0].Op != op || !strings.Contains(p[0].Detail, "float16, where results depend") {
			t.Errorf("%s: %q", op, p)
		}
	}
	for op, f := range map[string]*modelFile{
		"QuantizeLinear":        newFile(4).floats("s", nil, .1).node("QuantizeLinear", "y", in("x", "s")),
		"DequantizeLinear":      newFile(4).floats("s", nil, .1).node("DequantizeLinear", "y", in("x", "s")),
		"DynamicQuantizeLinear": newFile(4).node("DynamicQuantizeLinear", "y", in("x")),
		"Cast":                  newFile(4).node("Cast", "y", in("x"), number("to", typeInt8)),
	} {
		_, err := f.decode()
		if p := unsupportedParts(t, err); len(p) != 1 || p[0].Op != op {
			t.Errorf("%s: %q", op, p)
		}
	}
}

// The batch of what is cast is followed, and a cast is a jump.
func TestCastsAreJumps(t *testing.T) {
	g := must.Get(openBatch(3, 4).node("Cast", "h", in("x"), number("to", typeFloat16)).node("Cast", "y", in("h"), number("to", typeFloat)).decode())(t)
	if n := g.Jump(); n == nil || n.Name != "Cast of h" {
		t.Errorf("%+v", n)
	}
	if len(g.Nodes) != 1 {
		t.Errorf("%d nodes", len(g.Nodes))
	}
}

// A cast to integers drops the fraction, towards 0, and has no derivative.
func TestReadCastToIntegers(t *testing.T) {
	x := random(1, 1, 3, 5).each(func(v float64) float64 { return 3 * v })
	two := map[string][]int64{"two": {2}}
	trunc := x.each(math.Trunc)
	holdReads(t, []readCase{
		{"int32", 0, x, nil, nil, apply("Cast", number("to", typeInt32)), trunc},
		{"int64", 9, x, nil, nil, apply("Cast", number("to", typeInt64)), trunc},
		{"like", 0, x, nil, two, between("CastLike", in("x", "two")), trunc},
		{"like a cast", 0, x, nil, nil, func(f *modelFile) {
			f.node("Cast", "i", in("x"), number("to", typeInt32)).node("CastLike", "y", in("x", "i"))
		}, trunc},
		{"and back", 0, x, nil, two, func(f *modelFile) {
			f.node("Cast", "i", in("x"), number("to", typeInt64)).node("Mul", "j", in("i", "two")).node("Cast", "k", in("j"), number("to", typeInt32)).
				node("Cast", "f", in("k"), number("to", typeFloat)).node("Div", "y", in("f", "x"))
		}, x.each(func(v float64) float64 { return 2 * math.Trunc(v) / v })},
		{"compared", 0, x, nil, two, func(f *modelFile) {
			f.node("Cast", "i", in("x"), number("to", typeInt64)).node("Less", "l", in("i", "two")).node("Cast", "y", in("l"), number("to", typeFloat))
		}, trunc.each(func(v float64) float64 { return truth(v < 2) })},
	})
	g := must.Get(newFile(2).node("Cast", "i", in("x"), number("to", typeInt32)).node("Cast", "y", in("i"), number("to", typeFloat)).decode())(t)
	lin, d := net(t, g).Linearize([]float32{1.5, -2.5}), make([]float32, 2)
	if lin.JVP(d, []float32{1, 1}); d[0] != 0 || d[1] != 0 || lin.Features()[1] != -2 {
		t.Errorf("%v, derivative %v", lin.Features(), d)
	}
}
