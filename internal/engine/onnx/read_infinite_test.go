package onnx

import (
	"math"
	"testing"

	"tattle/internal/must"
)

// Constants of ±Inf hide the entries that they are added to, compared with or chosen
// in place of: a row's softmax is that of the others.
func TestReadInfiniteMasks(t *testing.T) {
	inf := math.Inf(1)
	x := random(1, 1, 3, 3)
	causal := func(off float64) array {
		return fill([]int{3, 3}, func(at []int) float64 {
			if at[1] > at[0] {
				return off
			}
			return 0
		})
	}
	with := map[string]array{"mask": causal(-inf), "late": causal(1), "most": causal(inf), "one": {nil, []float64{-inf}}, "all": {[]int{1, 1, 3, 3}, causal(-inf).data}}
	want := fill(x.shape, func(at []int) float64 {
		sum := 0.0
		for j := range at[1] + 1 {
			sum += math.Exp(x.at(0, at[1], j))
		}
		if at[2] > at[1] {
			return 0
		}
		return math.Exp(x.at(at...)) / sum
	})
	soft := func(op string, inputs ...string) func(*modelFile) {
		return func(m *modelFile) { m.node(op, "s", inputs).node("Softmax", "y", in("s"), number("axis", 2)) }
	}
	where := func(inputs ...string) func(*modelFile) {
		return func(m *modelFile) {
			m.node("Cast", "late true", in("late"), number("to", typeBool)).node("Not", "early", in("late true"))
			soft("Where", inputs...)(m)
		}
	}
	none := fill(x.shape, func([]int) float64 { return 1 })
	holdReads(t, []readCase{
		{"added", 0, x, with, nil, soft("Add", "x", "mask"), want},
		{"added to", 0, x, with, nil, soft("Add", "mask", "x"), want},
		{"subtracted", 0, x, with, nil, soft("Sub", "x", "most"), want},
		{"several", 0, x, with, nil, soft("Sum", "mask", "x", "mask"), want},
		{"chosen", 0, x, with, nil, where("late true", "one", "x"), want},
		{"else", 0, x, with, nil, where("early", "x", "one"), want},
		{"one more dimension", 0, x.as(3, 3), with, nil, func(m *modelFile) {
			m.node("Add", "s", in("x", "all")).node("Softmax", "y", in("s"), number("axis", -1))
		}, want.as(1, 1, 3, 3)},
		{"most", 0, x, with, nil, between("Max", in("one", "x")), x},
		{"compared", 0, x, with, nil, func(m *modelFile) {
			m.node("Greater", "g", in("x", "one")).node("Cast", "y", in("g"), number("to", typeFloat))
		}, none},
		{"clipped", 0, x, with, nil, between("Clip", in("x", "one")), x},
		{"clipped by attributes", 7, x, nil, nil, apply("Clip", float("min", -inf), float("max", inf)), x},
		{"padded", 0, x, with, map[string][]int64{"pads": {0, 0, 0, 0, 0, 1}}, func(m *modelFile) {
			m.node("Pad", "p", in("x", "pads", "one")).node("ReduceMax", "y", in("p"), numbers("axes", 2))
		}, reduced(x, []int{2}, func(v []float64) float64 { return max(v[0], v[1], v[2]) })},
		{"padded by an attribute", 7, x, nil, nil, func(m *modelFile) {
			m.node("Pad", "p", in("x"), numbers("pads", 0, 0, 0, 0, 0, 1), float("value", -inf)).node("MaxPool", "y", in("p"), numbers("kernel_shape", 2))
		}, fill(x.shape, func(at []int) float64 { return max(x.at(at...), x.at(0, at[1], min(at[2]+1, 2))) })},
	})
}

func reduced(x array, axes []int, f func([]float64) float64) array {
	shape, entries := x.over(axes...)
	return fill(shape, func(at []int) float64 { return f(entries(at)) })
}

// NaN is nowhere of use, ±Inf not in weights.
func TestReadRefusesInfiniteWeights(t *testing.T) {
	nan, inf := float32(math.NaN()), float32(math.Inf(1))
	for name, f := range map[string]*modelFile{
		"NaN, added":  newFile(2).floats("w", []int{2}, 0, nan).node("Add", "y", in("x", "w")),
		"NaN, chosen": newFile(2).floats("w", []int{2}, 0, nan).floats("c", []int{2}, 0, 1).node("Greater", "b", in("x", "c")).node("Where", "y", in("b", "x", "w")),
		"Inf, times":  newFile(2).floats("w", []int{2}, 0, inf).node("Mul", "y", in("x", "w")),
		"Inf, by":     newFile(2).floats("w", []int{2}, 1, inf).node("Div", "y", in("x", "w")),
		"Inf, dense":  newFile(2).floats("w", []int{2, 1}, 1, inf).node("MatMul", "y", in("x", "w")),
		"both ways":   newFile(2).floats("w", []int{2}, 1, inf).node("Add", "z", in("x", "w")).node("Mul", "y", in("z", "w")),
	} {
		t.Run(name, func(t *testing.T) { must.Fail(t, must.Err(f.decode()), `"w"`) })
	}
	must.Fail(t, must.Err(newFile(2).node("Elu", "y", in("x"), float("alpha", math.Inf(1))).decode())) // an infinite setting
}
