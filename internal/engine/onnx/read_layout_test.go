package onnx

import (
	"fmt"
	"slices"
	"testing"
)

// as3 are shapes of twelve entries with the batch in front, without one and with
// dimensions of 1.
var as3 = [][]int{{1, 3, 4}, {3, 1, 4}, {2, 2, 3}, {1, 1, 12}}

func TestReadShapes(t *testing.T) {
	var cases []readCase
	for i, s := range as3 {
		x := random(uint64(i), s...)
		name := func(op string) string { return fmt.Sprint(op, s) }
		cases = append(cases,
			readCase{name("Reshape"), 0, x, nil, map[string][]int64{"s": {0, -1, 2}}, between("Reshape", in("x", "s")), x.as(s[0], 6/s[0], 2)},
			readCase{name("Reshape to a vector"), 0, x, nil, map[string][]int64{"s": {-1}}, between("Reshape", in("x", "s")), x.as(12)},
			readCase{name("Unsqueeze-11"), 11, x, nil, nil, apply("Unsqueeze", numbers("axes", 0, -1)), x.as(1, s[0], s[1], s[2], 1)},
			readCase{name("Unsqueeze-13"), 13, x, nil, map[string][]int64{"a": {2, 0}}, between("Unsqueeze", in("x", "a")), x.as(1, s[0], 1, s[1], s[2])},
			readCase{name("Squeeze"), 13, x, nil, nil, apply("Squeeze"), x},
			readCase{name("Transpose"), 13, x, nil, nil, apply("Transpose"), x.transposed(2, 1, 0)},
			readCase{name("Transpose 0 2 1"), 13, x, nil, nil, apply("Transpose", numbers("perm", 0, 2, 1)), x.transposed(0, 2, 1)},
			readCase{name("Transpose 1 2 0"), 13, x, nil, nil, apply("Transpose", numbers("perm", 1, 2, 0)), x.transposed(1, 2, 0)},
			readCase{name("Transpose 0 1 2"), 13, x, nil, nil, apply("Transpose", numbers("perm", 0, 1, 2)), x})
		for axis := -3; axis <= 3; axis++ {
			cases = append(cases, readCase{name(fmt.Sprint("Flatten ", axis)), 11, x, nil, nil, apply("Flatten", number("axis", int64(axis))), x})
		}
		for _, repeats := range [][]int64{{1, 1, 1}, {1, 2, 1}, {3, 1, 2}} {
			to := []int{s[0] * int(repeats[0]), s[1] * int(repeats[1]), s[2] * int(repeats[2])}
			cases = append(cases, readCase{name(fmt.Sprint("Tile ", repeats)), 13, x, nil, map[string][]int64{"r": repeats}, between("Tile", in("x", "r")),
				fill(to, func(at []int) float64 { return x.at(at[0]%s[0], at[1]%s[1], at[2]%s[2]) })})
		}
		for _, to := range [][]int{{1}, {2, 1, 1, 1}, {4, s[0], s[1], s[2]}} {
			shape := broadcast(s, to)
			cases = append(cases, readCase{name(fmt.Sprint("Expand ", to)), 13, x, nil, map[string][]int64{"s": sizes64(to)}, between("Expand", in("x", "s")),
				fill(shape, func(at []int) float64 { return x.at(at...) })})
		}
	}
	wide := random(9, 1, 3, 1)
	cases = append(cases, readCase{"Expand of dimensions", 13, wide, nil, map[string][]int64{"s": {5, 1, 4}}, between("Expand", in("x", "s")),
		fill([]int{5, 3, 4}, func(at []int) float64 { return wide.at(at...) })},
		readCase{"Squeeze-11", 11, wide, nil, nil, apply("Squeeze", numbers("axes", 0, -1)), wide.as(3)},
		readCase{"Squeeze-13", 13, wide, nil, map[string][]int64{"a": {-1}}, between("Squeeze", in("x", "a")), wide.as(1, 3)})
	holdReads(t, cases)
}

// Slices are counted out as Python does.
func TestReadSlice(t *testing.T) {
	var cases []readCase
	for i, s := range [][]int{{1, 5, 4}, {3, 5, 4}} {
		x := random(uint64(i), s...)
		for _, c := range []struct {
			axis, start, end, step int64
			take                   []int
		}{
			{1, 1, 4, 1, []int{1, 2, 3}}, {1, -3, 1000, 2, []int{2, 4}}, {-2, 4, -1000, -2, []int{4, 2, 0}}, {1, -1, 0, -3, []int{4, 1}},
			{1, 0, -1, 1, []int{0, 1, 2, 3}}, {2, 1000, -1 << 62, -1, []int{3, 2, 1, 0}}, {0, 0, 1, 1, []int{0}}, {0, -1, -1 << 62, -1, nil},
			{1, 0, 1 << 62, 1, []int{0, 1, 2, 3, 4}}, {2, 2, 3, 1 << 62, []int{2}},
		} {
			axis := int(c.axis+3) % 3
			if c.take == nil {
				for k := s[0] - 1; k >= 0; k-- {
					c.take = append(c.take, k)
				}
			}
			to := slices.Clone(s)
			to[axis] = len(c.take)
			want := fill(to, func(at []int) float64 {
				from := slices.Clone(at)
				from[axis] = c.take[at[axis]]
				return x.at(from...)
			})
			name := fmt.Sprint("Slice", s, c)
			ints := map[string][]int64{"s": {c.start}, "e": {c.end}, "a": {c.axis}, "k": {c.step}}
			cases = append(cases, readCase{name, 13, x, nil, ints, between("Slice", in("x", "s", "e", "a", "k")), want})
			if c.step == 1 {
				cases = append(cases, readCase{name + " before opset 10", 9, x, nil, nil,
					apply("Slice", numbers("starts", int(c.start)), numbers("ends", int(c.end)), numbers("axes", axis)), want})
			}
		}
		cases = append(cases, readCase{fmt.Sprint("Slice without axes", s), 10, x, nil, map[string][]int64{"s": {0, 1}, "e": {9, 3}}, between("Slice", in("x", "s", "e")),
			fill([]int{s[0], 2, 4}, func(at []int) float64 { return x.at(at[0], at[1]+1, at[2]) })})
	}
	holdReads(t, cases)
}

func TestReadSplitAndConcat(t *testing.T) {
	var cases []readCase
	for i, s := range [][]int{{1, 5, 4}, {3, 5, 4}} {
		x := random(uint64(i), s...)
		turned := fill(s, func(at []int) float64 { return x.at(at[0], (at[1]+2)%5, at[2]) })
		split := func(inputs []string, attributes ...[]byte) func(*modelFile) {
			return func(m *modelFile) {
				m.several("Split", []string{"a", "b"}, inputs, attributes...).node("Concat", "y", in("b", "a"), number("axis", -2))
			}
		}
		thirds := fill(s, func(at []int) float64 { return x.at(at[0], (at[1]+3)%5, at[2]) })
		cases = append(cases,
			readCase{fmt.Sprint("Split-11", s), 11, x, nil, nil, split(in("x"), number("axis", 1), numbers("split", 2, 3)), turned},
			readCase{fmt.Sprint("Split-13", s), 13, x, nil, map[string][]int64{"s": {2, 3}}, split(in("x", "s"), number("axis", -2)), turned},
			readCase{fmt.Sprint("Split-18", s), 18, x, nil, nil, split(in("x"), number("axis", 1), number("num_outputs", 2)), thirds},
			readCase{fmt.Sprint("half of a Split", s), 13, x, nil, nil, func(m *modelFile) {
				m.several("Split", []string{"a", "y"}, in("x"), number("axis", 2))
			}, fill([]int{s[0], 5, 2}, func(at []int) float64 { return x.at(at[0], at[1], at[2]+2) })})
		for axis := range 3 {
			c := slices.Clone(s)
			c[axis] = 2
			k := random(77, c...)
			to := slices.Clone(s)
			to[axis] += 2
			want := fill(to, func(at []int) float64 {
				from := slices.Clone(at)
				if from[axis] -= 2; from[axis] < 0 {
					return k.at(at...)
				}
				return x.at(from...)
			})
			cases = append(cases, readCase{fmt.Sprint("Concat", s, axis), 13, x, map[string]array{"c": k}, nil, between("Concat", in("c", "x"), number("axis", int64(axis))), want})
		}
		cases = append(cases, readCase{fmt.Sprint("Concat of one", s), 13, x, nil, nil, apply("Concat", number("axis", 0)), x})
	}
	holdReads(t, cases)
}

// Padding is worked out on paper for a row 0 1 2 3.
func TestReadPad(t *testing.T) {
	var cases []readCase
	for i, s := range [][]int{{1, 2, 4}, {3, 2, 4}} {
		x := random(uint64(i), s...)
		for _, c := range []struct {
			mode          string
			before, after int
			take          []int // −1 for the constant
		}{
			{"constant", 2, 1, []int{-1, -1, 0, 1, 2, 3, -1}}, {"reflect", 2, 3, []int{2, 1, 0, 1, 2, 3, 2, 1, 0}}, {"reflect", 8, 5, []int{2, 1, 0, 1, 2, 3, 2, 1, 0, 1, 2, 3, 2, 1, 0, 1, 2}},
			{"wrap", 5, 6, []int{3, 0, 1, 2, 3, 0, 1, 2, 3, 0, 1, 2, 3, 0, 1}}, {"reflect", -1, 2, []int{1, 2, 3, 2, 1}}, {"edge", 1, 2, []int{0, 0, 1, 2, 3, 3, 3}},
			{"wrap", 2, 1, []int{2, 3, 0, 1, 2, 3, 0}}, {"constant", -1, 2, []int{1, 2, 3, -1, -1}}, {"constant", 0, -2, []int{0, 1}}, {"constant", 0, 0, []int{0, 1, 2, 3}},
		} {
			want := fill([]int{s[0], 2, len(c.take)}, func(at []int) float64 {
				if k := c.take[at[2]]; k >= 0 {
					return x.at(at[0], at[1], k)
				}
				return .5
			})
			name := fmt.Sprint("Pad", s, c)
			with := map[string]array{"v": {nil, []float64{.5}}}
			pads := []int64{0, 0, int64(c.before), 0, 0, int64(c.after)}
			mode := attributeText("mode", c.mode)
			some := map[string][]int64{"p": {int64(c.before), int64(c.after)}, "a": {-1}}
			cases = append(cases,
				readCase{name, 19, x, with, map[string][]int64{"p": pads}, between("Pad", in("x", "p", "v"), mode), want},
				readCase{name + " of axes", 19, x, with, some, between("Pad", in("x", "p", "v", "a"), mode), want},
				readCase{name + " before opset 11", 10, x, nil, nil, apply("Pad", mode, numbers("pads", 0, 0, c.before, 0, 0, c.after), float("value", .5)), want})
		}
		front := fill([]int{s[0] + 1, 2, 4}, func(at []int) float64 {
			if at[0] == 0 {
				return 0
			}
			return x.at(at[0]-1, at[1], at[2])
		})
		cases = append(cases, readCase{fmt.Sprint("Pad in front", s), 13, x, nil, map[string][]int64{"p": {1, 0, 0, 0, 0, 0}}, between("Pad", in("x", "p")), front})
	}
	holdReads(t, cases)
}

func TestReadGather(t *testing.T) {
	var cases []readCase
	for i, s := range [][]int{{1, 3, 4}, {3, 2, 4}, {4, 1}} {
		x := random(uint64(i), s...)
		for axis, size := range s {
			last := int64(size - 1)
			for _, c := range []struct {
				shape   []int
				indices []int64
			}{{nil, []int64{last}}, {[]int{1}, []int64{-1}}, {[]int{2, 2}, []int64{0, last, -1, 0}}} {
				to := slices.Concat(s[:axis], c.shape, s[axis+1:])
				flat := array{c.shape, nil}
				for _, k := range c.indices {
					flat.data = append(flat.data, float64((k+int64(size))%int64(size)))
				}
				want := fill(to, func(at []int) float64 {
					k := int(flat.at(at[axis : axis+len(c.shape)]...))
					return x.at(slices.Concat(at[:axis], []int{k}, at[axis+len(c.shape):])...)
				})
				cases = append(cases, readCase{fmt.Sprint("Gather", s, axis, c), 13, x, nil, nil, func(m *modelFile) {
					m.tensor(shapedInts("i", c.shape, c.indices...)).node("Gather", "y", in("x", "i"), number("axis", int64(axis)))
				}, want})
			}
		}
	}
	x := random(5, 2, 3, 4)
	elements := []int64{0, 2, -1, 1, 1, 0}
	cases = append(cases,
		readCase{"GatherElements", 13, x, nil, nil, func(m *modelFile) {
			m.tensor(shapedInts("i", []int{1, 2, 3}, elements...)).node("GatherElements", "y", in("x", "i"), number("axis", 1))
		}, fill([]int{1, 2, 3}, func(at []int) float64 { return x.at(0, int(elements[at[1]*3+at[2]]+3)%3, at[2]) })},
		readCase{"GatherND", 13, x, nil, nil, func(m *modelFile) {
			m.tensor(shapedInts("i", []int{3, 2}, 1, 0, 0, -1, 1, 1)).node("GatherND", "y", in("x", "i"))
		}, fill([]int{3, 4}, func(at []int) float64 { return x.at([]int{1, 0, 1}[at[0]], []int{0, 2, 1}[at[0]], at[1]) })},
		readCase{"GatherND of a batch", 13, x, nil, nil, func(m *modelFile) {
			m.tensor(shapedInts("i", []int{2, 1}, 2, 0)).node("GatherND", "y", in("x", "i"), number("batch_dims", 1))
		}, fill([]int{2, 4}, func(at []int) float64 { return x.at(at[0], []int{2, 0}[at[0]], at[1]) })})
	u := random(6, 2, 4)
	cases = append(cases,
		readCase{"ScatterND", 16, x, map[string]array{"u": u}, nil, func(m *modelFile) {
			m.tensor(shapedInts("i", []int{2, 2}, 0, 1, 1, -1)).node("ScatterND", "y", in("x", "i", "u"))
		}, fill(x.shape, func(at []int) float64 {
			for k, to := range [][]int{{0, 1}, {1, 2}} {
				if at[0] == to[0] && at[1] == to[1] {
					return u.at(k, at[2])
				}
			}
			return x.at(at...)
		})},
		readCase{"ScatterElements", 16, x, map[string]array{"u": u.as(1, 2, 4)}, nil, func(m *modelFile) {
			m.tensor(shapedInts("i", []int{1, 2, 4}, 0, 1, 2, 0, 1, 0, -2, -1)).node("ScatterElements", "y", in("x", "i", "u"), number("axis", 1))
		}, fill(x.shape, func(at []int) float64 {
			for k, to := range []int{0, 1, 2, 0, 1, 0, 1, 2} {
				if at[0] == 0 && at[1] == to && at[2] == k%4 {
					return u.data[k]
				}
			}
			return x.at(at...)
		})})
	holdReads(t, cases)
}

// A tensor without entries on the way is of no harm.
func TestReadEmpty(t *testing.T) {
	x := random(1, 1, 3, 4)
	holdReads(t, []readCase{
		{"Concat with an empty slice", 13, x, nil, map[string][]int64{"s": {2}, "e": {2}, "a": {1}}, func(m *modelFile) {
			m.node("Slice", "none", in("x", "s", "e", "a")).node("Relu", "r", in("none")).node("Concat", "y", in("r", "x"), number("axis", 1))
		}, x},
		{"the sum of an empty slice", 13, x, nil, map[string][]int64{"s": {2}, "e": {2}, "a": {1}}, func(m *modelFile) {
			m.node("Slice", "none", in("x", "s", "e", "a")).node("ReduceSum", "r", in("none", "a")).node("Add", "y", in("r", "x"))
		}, x},
		{"a product over nothing", 13, x, nil, map[string][]int64{"s": {2}, "e": {2}, "a": {2}}, func(m *modelFile) {
			m.node("Slice", "none", in("x", "s", "e", "a")).node("Transpose", "t", in("none"), numbers("perm", 0, 2, 1)).node("MatMul", "p", in("none", "t"))
			m.node("ReduceSum", "r", in("p"), number("keepdims", 0)).node("Add", "y", in("r", "x"))
		}, x},
	})
}
