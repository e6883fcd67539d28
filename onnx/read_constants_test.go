package onnx

import (
	"math"
	"testing"
)

// A node of constants alone is computed too, whether it folds or becomes nodes of
// constants: what it gives is added to x.
func TestReadOfConstants(t *testing.T) {
	x, c := random(1, 1, 2, 3), random(2, 1, 2, 3)
	w := random(3, 2, 2, 1)
	rows := random(4, 3, 3)
	with := map[string]array{"c": c, "w": w, "rows": rows, "one": {[]int{2}, []float64{1, 1}}}
	plus := func(op string, inputs []string, attributes ...[]byte) func(*modelFile) {
		return func(m *modelFile) { m.node(op, "k", inputs, attributes...).node("Add", "y", in("k", "x")) }
	}
	_, entries := c.over(1)
	mixed := convolved(c.as(1, 2, 1, 3), w.as(2, 2, 1, 1), geometry{kernel: [2]int{1, 1}, stride: [2]int{1, 1}, dilation: [2]int{1, 1}, groups: 1}).row()
	holdReads(t, []readCase{
		{"Relu", 0, x, with, nil, plus("Relu", in("c")), plusAll(x, c.each(func(v float64) float64 { return math.Max(v, 0) }))},
		{"Softmax", 0, x, with, nil, plus("Softmax", in("c"), number("axis", 1)), plusAll(x, fill(c.shape, func(at []int) float64 { return softmaxOf(entries(at), at[1]) }))},
		{"MatMul", 0, x, with, nil, plus("MatMul", in("c", "rows")), plusAll(x, product(c, rows))},
		{"Conv", 0, x, with, nil, plus("Conv", in("c", "w")), plusAll(x, mixed)},
		{"BatchNormalization", 0, x, with, nil, plus("BatchNormalization", in("c", "one", "one", "one", "one"), float("epsilon", 3)),
			plusAll(x, c.each(func(v float64) float64 { return (v-1)/2 + 1 }))},
		{"Einsum", 0, x, with, nil, plus("Einsum", in("c", "rows"), attributeText("equation", "bij,jk->bik")), plusAll(x, product(c, rows))},
		{"Sum", 0, x, with, nil, plus("Sum", in("c", "c")), plusAll(x, c.each(func(v float64) float64 { return 2 * v }))},
	})
}
