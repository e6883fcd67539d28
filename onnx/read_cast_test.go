package onnx

import (
	"math"
	"testing"

	"tattle/internal/must"
)

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
