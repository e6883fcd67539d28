package onnx

import (
	"fmt"
	"math"
	"testing"

	"tattle/internal/engine/nn"
	"tattle/internal/must"
)

// product is NumPy's matmul.
func product(a, b array) array {
	x, y := a, b
	if len(a.shape) == 1 {
		x = a.as(1, a.shape[0])
	}
	if len(b.shape) == 1 {
		y = b.as(b.shape[0], 1)
	}
	i, j := len(x.shape)-2, len(y.shape)-2
	lead := broadcast(x.shape[:i], y.shape[:j])
	k := len(lead)
	out := fill(append(lead, x.shape[i], y.shape[j+1]), func(at []int) (sum float64) {
		for m := range x.shape[i+1] {
			sum += x.at(append(append([]int{}, at[:k]...), at[k], m)...) * y.at(append(append([]int{}, at[:k]...), m, at[k+1])...)
		}
		return sum
	})
	shape := lead
	if len(a.shape) > 1 {
		shape = append(shape, x.shape[i])
	}
	if len(b.shape) > 1 {
		shape = append(shape, y.shape[j+1])
	}
	return out.as(shape...)
}

func plusAll(a, b array) array {
	shape := broadcast(a.shape, b.shape)
	return fill(shape, func(at []int) float64 { return a.at(at...) + b.at(at...) })
}

func TestReadMatMul(t *testing.T) {
	var cases []readCase
	for i, s := range [][2][]int{
		{{1, 3}, {3, 4}}, {{1, 2, 3}, {3, 4}}, {{5, 3}, {3, 4}}, {{3}, {3, 4}}, {{1}, {1, 4}}, {{1, 1}, {1, 1}}, {{3}, {3}}, {{2, 3}, {3}}, {{1, 3}, {3}},
		{{1, 2, 3, 4}, {1, 2, 4, 2}}, {{1, 2, 3}, {5, 3, 2}}, {{2, 1, 3, 4}, {5, 4, 2}}, {{1, 5, 3}, {1, 3, 2}}, {{3}, {2, 3, 4}}, {{1, 4}, {2, 4, 3}}, {{2, 2, 3}, {1, 1, 3, 4}},
	} {
		a, b := random(uint64(i), s[0]...), random(uint64(i)+50, s[1]...)
		want := product(a, b)
		name := fmt.Sprint("MatMul", s)
		cases = append(cases,
			readCase{name + " constant right", 0, a, map[string]array{"c": b}, nil, between("MatMul", in("x", "c")), want},
			readCase{name + " constant left", 0, b, map[string]array{"c": a}, nil, between("MatMul", in("c", "x")), want},
			readCase{name + " activations", 0, a, map[string]array{"c": b}, nil, func(m *modelFile) {
				m.nought().node("Add", "b", in("c", "nought")).node("MatMul", "y", in("x", "b"))
			}, want})
	}
	holdReads(t, cases)
}

// A bias after a product is the layer's own where that is one number a column and
// nothing else reads the product.
func TestReadBias(t *testing.T) {
	x, w := random(1, 1, 2, 3), random(2, 3, 4)
	y := product(x, w)
	for _, c := range []struct {
		bias  array
		nodes int // Reshape, Dense, …, Reshape
	}{
		{random(3, 4), 3}, {random(3, 1, 4), 3}, {random(3, 1), 3}, {random(3), 3}, {random(3, 1, 1, 4), 3},
		{random(3, 2, 1), 4}, {random(3, 2, 4), 4}, {random(3, 5, 1, 4), 4},
	} {
		for _, inputs := range [][]string{in("m", "b"), in("b", "m")} {
			f := readCase{fmt.Sprint("bias", c.bias.shape), 0, x, map[string]array{"w": w, "b": c.bias}, nil, func(m *modelFile) {
				m.node("MatMul", "m", in("x", "w")).node("Add", "y", inputs)
			}, plusAll(y, c.bias)}
			holdReads(t, []readCase{f})
		}
		g, err := newFile(2, 3).floats("w", w.shape, w.floats()...).floats("b", c.bias.shape, c.bias.floats()...).
			node("MatMul", "m", in("x", "w")).node("Add", "y", in("m", "b")).decode()
		if err != nil || len(g.Nodes)+2 != c.nodes {
			t.Errorf("bias %v: %d nodes (%v), want %d", c.bias.shape, len(g.Nodes)+2, err, c.nodes)
		}
	}
	twice := readCase{"product read twice", 0, x, map[string]array{"w": w, "b": random(3, 4)}, nil, func(m *modelFile) {
		m.node("MatMul", "m", in("x", "w")).node("Add", "s", in("m", "b")).node("Sub", "y", in("s", "m"))
	}, plusAll(y.each(func(float64) float64 { return 0 }), random(3, 4))}
	holdReads(t, []readCase{twice})
}

func TestReadGemm(t *testing.T) {
	var cases []readCase
	for _, m := range []int{1, 3} {
		for _, k := range []int{1, 4} {
			for trans := range 4 {
				a, b := random(1, m, k), random(2, k, 5)
				want := product(a, b).each(func(v float64) float64 { return .5 * v })
				if trans&1 != 0 {
					a = a.transposed(1, 0)
				}
				if trans&2 != 0 {
					b = b.transposed(1, 0)
				}
				settings := [][]byte{float("alpha", .5), float("beta", 3), number("transA", int64(trans&1)), number("transB", int64(trans>>1))}
				for i, shape := range [][]int{nil, {}, {5}, {1, 5}, {m, 1}, {m, 5}} {
					inputs, with, sum := in("x", "w"), map[string]array{"w": b, "c": random(3, shape...)}, want
					if i > 0 {
						inputs = in("x", "w", "c")
						sum = plusAll(want, with["c"].each(func(v float64) float64 { return 3 * v }))
					}
					name := fmt.Sprint("Gemm", m, k, trans, shape)
					cases = append(cases, readCase{name, 0, a, with, nil, between("Gemm", inputs, settings...), sum},
						readCase{name + " activations", 0, a, with, nil, func(f *modelFile) {
							f.nought().node("Add", "v", in("w", "nought")).node("Add", "d", in("c", "nought"))
							f.node("Gemm", "y", append(in("x", "v"), []string{"d"}[:min(i, 1)]...), settings...)
						}, sum})
				}
			}
		}
	}
	holdReads(t, cases)
}

func TestReadEinsum(t *testing.T) {
	var cases []readCase
	for i, c := range []struct {
		equation string
		a, b     []int
		f        func(a, b array) array
	}{
		{"bij->bji", []int{1, 2, 3}, nil, func(a, _ array) array { return a.transposed(0, 2, 1) }},
		{"ij", []int{4, 3}, nil, func(a, _ array) array { return a }},
		{"ba", []int{4, 3}, nil, func(a, _ array) array { return a.transposed(1, 0) }},
		{"bij->", []int{1, 2, 3}, nil, func(a, _ array) array { return total(a, 0, 1, 2).as() }},
		{"b i j -> b j", []int{2, 2, 3}, nil, func(a, _ array) array { return total(a, 1).as(2, 3) }},
		{"...i->...", []int{2, 2, 3}, nil, func(a, _ array) array { return total(a, 2).as(2, 2) }},
		{"i...->...i", []int{1, 2, 3}, nil, func(a, _ array) array { return a.transposed(1, 2, 0) }},
		{"bij,bjk->bik", []int{1, 2, 3}, []int{1, 3, 4}, product},
		{"bij,jk->bik", []int{1, 2, 3}, []int{3, 4}, product},
		{"ij,jk", []int{2, 3}, []int{3, 4}, product},
		{"...ij,...jk->...ik", []int{2, 1, 2, 3}, []int{5, 3, 4}, product},
		{"bhid,bhjd->bhij", []int{1, 2, 3, 4}, []int{1, 2, 5, 4}, func(a, b array) array { return product(a, b.transposed(0, 1, 3, 2)) }},
		{"bhij,bhjd->bihd", []int{1, 2, 3, 4}, []int{1, 2, 4, 5}, func(a, b array) array { return product(a, b).transposed(0, 2, 1, 3) }},
		{"i,j->ij", []int{3}, []int{4}, func(a, b array) array { return product(a.as(3, 1), b.as(1, 4)) }},
		{"i,i->", []int{3}, []int{3}, func(a, b array) array { return product(a, b) }},
		{"ij,ij->ji", []int{3, 2}, []int{3, 2}, func(a, b array) array {
			return fill([]int{2, 3}, func(at []int) float64 { return a.at(at[1], at[0]) * b.at(at[1], at[0]) })
		}},
		{"ijk,jl->kl", []int{2, 3, 4}, []int{3, 5}, func(a, b array) array { return product(total(a, 0).as(3, 4).transposed(1, 0), b) }},
		{"ij,kl->", []int{2, 3}, []int{2, 2}, func(a, b array) array { return array{nil, []float64{total(a, 0, 1).data[0] * total(b, 0, 1).data[0]}} }},
		{"...i,...i->...", []int{2, 3, 4}, []int{3, 4}, func(a, b array) array {
			return total(fill(a.shape, func(at []int) float64 { return a.at(at...) * b.at(at...) }), 2).as(2, 3)
		}},
		{"...,...->", []int{2, 3}, []int{3}, func(a, b array) array {
			return total(fill(a.shape, func(at []int) float64 { return a.at(at...) * b.at(at...) }), 0, 1).as()
		}},
	} {
		a := random(uint64(i), c.a...)
		equation := attributeText("equation", c.equation)
		if c.b == nil {
			cases = append(cases, readCase{c.equation, 0, a, nil, nil, apply("Einsum", equation), c.f(a, array{})})
			continue
		}
		b := random(uint64(i)+60, c.b...)
		want := c.f(a, b)
		cases = append(cases,
			readCase{c.equation + " constant right", 0, a, map[string]array{"c": b}, nil, between("Einsum", in("x", "c"), equation), want},
			readCase{c.equation + " constant left", 0, b, map[string]array{"c": a}, nil, between("Einsum", in("c", "x"), equation), want})
	}
	holdReads(t, cases)
}

// total sums over axes and keeps them.
func total(a array, axes ...int) array {
	return reduced(a, axes, reductions["Sum"])
}

// A weight that two products read is one parameter.
func TestReadSharedWeight(t *testing.T) {
	g := must.Get(newFile(3, 2).floats("w", []int{2, 2}, 1, 2, 3, 4).node("MatMul", "a", in("x", "w")).node("MatMul", "y", in("a", "w")).decode())(t)
	if a, b := g.Nodes[0].Op.(*nn.Dense), g.Nodes[1].Op.(*nn.Dense); a.Weight != b.Weight {
		t.Error("there are two")
	}
}

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
