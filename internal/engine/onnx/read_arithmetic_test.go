package onnx

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"tattle/internal/shared"
)

func truth(b bool) float64 {
	if b {
		return 1
	}
	return 0
}

// Operators of two inputs, with the constant on either side and with two
// activations, over shapes that broadcast: with and without a batch in front.
func TestReadPairwise(t *testing.T) {
	shared.Long(t, "reads operators of two inputs of every shape")
	pow := func(a, b float64) float64 { return math.Pow(a, b) }
	functions := map[string]func(a, b float64) float64{
		"Add":            func(a, b float64) float64 { return a + b },
		"Sub":            func(a, b float64) float64 { return a - b },
		"Mul":            func(a, b float64) float64 { return a * b },
		"Div":            func(a, b float64) float64 { return a / b },
		"Pow":            pow,
		"Max":            math.Max,
		"Min":            math.Min,
		"Greater":        func(a, b float64) float64 { return truth(a > b) },
		"GreaterOrEqual": func(a, b float64) float64 { return truth(a >= b) },
		"Less":           func(a, b float64) float64 { return truth(a < b) },
		"LessOrEqual":    func(a, b float64) float64 { return truth(a <= b) },
		"Equal":          func(a, b float64) float64 { return truth(a == b) },
	}
	shapes := [][2][]int{
		{{1, 3, 5}, {1, 3, 5}}, {{1, 3, 5}, {5}}, {{1, 3, 5}, {3, 1}}, {{1, 3, 1}, {2, 1, 4}}, {{1, 3}, {1, 1, 1, 3}},
		{{4, 3}, {3}}, {{4, 1}, {1, 3}}, {{1, 5}, {4, 5}}, {{}, {2}}, {{1}, {1, 1}}, {{3}, {}}, {{1, 1, 2}, {1, 3, 1}}, {{4, 3}, {1, 4, 3}},
	}
	var cases []readCase
	for op, f := range functions {
		for i, s := range shapes {
			a, b := random(uint64(i), s[0]...), random(uint64(i)+100, s[1]...)
			if op == "Pow" {
				a, b = positive(a), positive(b)
			}
			if op == "Equal" {
				a, b = a.each(math.Floor), b.each(math.Floor)
			}
			shape := broadcast(s[0], s[1])
			first := fill(shape, func(at []int) float64 { return f(a.at(at...), b.at(at...)) })
			second := fill(shape, func(at []int) float64 { return f(b.at(at...), a.at(at...)) })
			name := fmt.Sprint(op, s)
			with := map[string]array{"c": b}
			cases = append(cases,
				readCase{name + " constant behind", 0, a, with, nil, between(op, in("x", "c")), first},
				readCase{name + " constant in front", 0, a, with, nil, between(op, in("c", "x")), second},
				// The second activation is x times something, which leaves its shape.
				readCase{name + " activations", 0, a, with, nil, func(m *modelFile) {
					m.nought().node("Add", "b", in("c", "nought")).node(op, "y", in("x", "b"))
				}, first})
		}
	}
	holdReads(t, cases)
}

// Truth values, cast from and to floats.
func TestReadLogic(t *testing.T) {
	x := random(1, 2, 3, 4).each(func(v float64) float64 { return truth(v > 0) })
	c := array{[]int{4}, []float64{1, 0, 0, 1}}
	bools := appendInt(tensorOf("c", typeBool, 4), tensorInt32s, 1)
	for _, v := range []int64{0, 0, 1} {
		bools = appendInt(bools, tensorInt32s, v)
	}
	var cases []readCase
	for op, f := range map[string]func(a, b bool) bool{
		"And": func(a, b bool) bool { return a && b }, "Or": func(a, b bool) bool { return a || b }, "Xor": func(a, b bool) bool { return a != b },
		"Equal": func(a, b bool) bool { return a == b },
	} {
		cases = append(cases, readCase{op, 0, x, nil, nil, func(m *modelFile) {
			m.tensor(bools).node("Cast", "b", in("x"), number("to", typeBool)).node(op, "r", in("c", "b")).node("Cast", "y", in("r"), number("to", typeFloat))
		}, fill(x.shape, func(at []int) float64 { return truth(f(x.at(at...) != 0, c.at(at...) != 0)) })})
	}
	cases = append(cases, readCase{"Not", 0, x, nil, nil, func(m *modelFile) {
		m.node("Cast", "b", in("x"), number("to", typeBool)).node("Not", "r", in("b")).node("Cast", "y", in("r"), number("to", typeFloat))
	}, x.each(func(v float64) float64 { return 1 - v })})
	holdReads(t, cases)
}

// Any number of inputs, constants among them.
func TestReadSeveral(t *testing.T) {
	x, c, d := random(1, 1, 3, 4), random(2, 4), random(3, 2, 1, 1)
	with := map[string]array{"c": c, "d": d}
	shape := []int{2, 3, 4}
	both := func(f func(a, b, c float64) float64) array {
		return fill(shape, func(at []int) float64 { return f(c.at(at...), x.at(at...), d.at(at...)) })
	}
	same := fill([]int{1, 3, 4}, func(at []int) float64 { return 2 * x.at(at...) })
	holdReads(t, []readCase{
		{"Sum", 8, x, with, nil, between("Sum", in("c", "x", "d")), both(func(a, b, c float64) float64 { return a + b + c })},
		{"Mean", 8, x, with, nil, between("Mean", in("c", "x", "d")), both(func(a, b, c float64) float64 { return (a + b + c) / 3 })},
		{"Max", 8, x, with, nil, between("Max", in("c", "x", "d")), both(func(a, b, c float64) float64 { return max(a, b, c) })},
		{"Min", 12, x, with, nil, between("Min", in("c", "x", "d")), both(func(a, b, c float64) float64 { return min(a, b, c) })},
		{"Sum of one", 13, x, nil, nil, between("Sum", in("x")), x},
		{"Mean of one", 13, x, nil, nil, between("Mean", in("x")), x},
		{"Sum of two", 13, x, nil, nil, between("Sum", in("x", "x")), same},
		{"Max of one", 13, x, nil, nil, between("Max", in("x")), x},
	})
}

func TestReadPRelu(t *testing.T) {
	var cases []readCase
	for i, s := range [][2][]int{{{1, 3, 2, 2}, {3, 1, 1}}, {{2, 3, 2}, {3, 1}}, {{1, 3}, {1, 3}}, {{4, 3}, {1}}, {{1, 3}, {}}, {{2, 3}, {2, 3}}} {
		x, a := random(uint64(i), s[0]...), random(uint64(i)+9, s[1]...)
		want := fill(x.shape, func(at []int) float64 {
			if v := x.at(at...); v < 0 {
				return v * a.at(at...)
			}
			return x.at(at...)
		})
		with := map[string]array{"a": a}
		cases = append(cases, readCase{fmt.Sprint("PRelu", s), 0, x, with, nil, between("PRelu", in("x", "a")), want},
			readCase{fmt.Sprint("PRelu of activations", s), 0, x, with, nil, func(m *modelFile) {
				m.nought().node("Add", "slope", in("a", "nought")).node("PRelu", "y", in("x", "slope"))
			}, want})
	}
	holdReads(t, cases)
}

// Every choice of constants among condition, then and else.
func TestReadWhere(t *testing.T) {
	x := random(1, 1, 3, 4)
	flags := []int64{1, 0, 1}
	condition := appendInt(appendInt(appendInt(tensorOf("k", typeBool, 3, 1), tensorInt32s, 1), tensorInt32s, 0), tensorInt32s, 1)
	a, b := random(2, 4), random(3, 2, 1, 1)
	with := map[string]array{"a": a, "b": b}
	positive := func(m *modelFile) { m.floats("zero", nil, 0).node("Greater", "p", in("x", "zero")) }
	choose := func(shape []int, k func(at []int) bool, yes, no array) array {
		return fill(shape, func(at []int) float64 {
			if k(at) {
				return yes.at(at...)
			}
			return no.at(at...)
		})
	}
	constant := func(at []int) bool { return flags[at[len(at)-2]] != 0 }
	computed := func(at []int) bool { return x.at(at...) > 0 }
	cases := []readCase{
		{"condition", 0, x, with, nil, func(m *modelFile) { m.tensor(condition).node("Where", "y", in("k", "x", "a")) }, choose([]int{1, 3, 4}, constant, x, a)},
		{"condition, then", 0, x, with, nil, func(m *modelFile) { m.tensor(condition).node("Where", "y", in("k", "b", "x")) }, choose([]int{2, 3, 4}, constant, b, x)},
		{"then, else", 0, x, with, nil, func(m *modelFile) { positive(m); m.node("Where", "y", in("p", "a", "b")) }, choose([]int{2, 3, 4}, computed, a, b)},
		{"then", 0, x, with, nil, func(m *modelFile) { positive(m); m.node("Where", "y", in("p", "a", "x")) }, choose([]int{1, 3, 4}, computed, a, x)},
		{"none", 0, x, nil, nil, func(m *modelFile) { positive(m); m.node("Neg", "n", in("x")).node("Where", "y", in("p", "x", "n")) }, x.each(math.Abs)},
	}
	holdReads(t, cases)
}

func TestReadTrilu(t *testing.T) {
	var cases []readCase
	for _, s := range [][]int{{1, 4, 3}, {2, 3, 4}, {3, 3}, {1, 4}} {
		x := random(1, s...)
		for _, k := range []int64{-2, 0, 1, 9} {
			for _, upper := range []int64{0, 1} {
				want := fill(s, func(at []int) float64 {
					i, j := int64(at[len(at)-2]), int64(at[len(at)-1])
					if upper == 1 && j-i >= k || upper == 0 && j-i <= k {
						return x.at(at...)
					}
					return 0
				})
				if slices.Max(want.data) == 0 && slices.Min(want.data) == 0 {
					continue
				}
				node := func(m *modelFile) {
					m.tensor(shaped("k", 0, k)).node("Trilu", "y", in("x", "k"), number("upper", upper))
				}
				cases = append(cases, readCase{fmt.Sprint("Trilu", s, k, upper), 14, x, nil, nil, node, want})
			}
		}
		upper := fill(s, func(at []int) float64 {
			if at[len(at)-1] >= at[len(at)-2] {
				return x.at(at...)
			}
			return 0
		})
		cases = append(cases, readCase{fmt.Sprint("Trilu", s), 14, x, nil, nil, apply("Trilu"), upper})
	}
	holdReads(t, cases)
}
