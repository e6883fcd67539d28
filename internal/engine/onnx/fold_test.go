package onnx

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"tattle/internal/must"
)

func i64(shape []int, x ...int64) *value {
	return &value{kind: isInt, element: typeInt64, shape: shape, ints: x}
}
func i32(shape []int, x ...int64) *value {
	return &value{kind: isInt, element: typeInt32, shape: shape, ints: x}
}
func flags(shape []int, x ...int64) *value {
	return &value{kind: isBool, element: typeBool, shape: shape, ints: x}
}
func f32(shape []int, x ...float32) *value {
	return &value{element: typeFloat, shape: shape, floats: x}
}

// list is a one-dimensional int64.
func list(x ...int64) *value { return i64([]int{len(x)}, x...) }

// folded computes one node of constants.
func folded(op string, outputs int, attributes []byte, in ...*value) ([]*value, error) {
	d := newDecoder(model{opset: 21, graph: &graph{}}, ReadOptions{})
	d.foldable = 1 << 16
	var body []byte
	for i, v := range in {
		name := ""
		if v != nil {
			name = fmt.Sprint("c", i)
			v.name, d.values[name] = name, v
		}
		body = appendBytes(body, nodeInput, []byte(name))
	}
	for i := range outputs {
		body = appendBytes(body, nodeOutput, fmt.Append(nil, "y", i))
	}
	w := &wire{}
	n := w.node(append(appendBytes(body, nodeOp, []byte(op)), attributes...))
	for _, name := range n.outputs {
		d.usage.readers[name] = 1
	}
	if details := operators()[op].unknown(&n); w.err != nil || len(details) > 0 {
		return nil, fmt.Errorf("%v %q", w.err, details)
	}
	if err := attempt(func() { (&nodeReader{d, &n}).fold(operators()[op]) }); err != nil {
		return nil, err
	}
	var out []*value
	for _, name := range n.outputs {
		out = append(out, d.values[name])
	}
	return out, nil
}

// same holds a constant to another: kind, type, shape and elements, NaN like NaN.
func same(a, b *value) bool {
	alike := func(x, y float32) bool { return x == y || x != x && y != y }
	return a.kind == b.kind && a.element == b.element && slices.Equal(a.shape, b.shape) &&
		slices.Equal(a.ints, b.ints) && slices.EqualFunc(a.floats, b.floats, alike)
}

func (v *value) String() string {
	if v.kind == isFloat {
		return fmt.Sprintf("%s%v%v", typeName(v.element), v.shape, v.floats)
	}
	return fmt.Sprintf("%s%v%v", typeName(v.element), v.shape, v.ints)
}

type foldCase struct {
	of         string // operator, opset and section of ONNX's Operators.md; what is tried
	op         string
	attributes []byte
	in         []*value
	want       []*value
}

func holdFolds(t *testing.T, cases []foldCase) {
	t.Helper()
	for _, c := range cases {
		out, err := folded(c.op, len(c.want), c.attributes, c.in...)
		if err != nil {
			t.Errorf("%s: %v", c.of, err)
			continue
		}
		for i, want := range c.want {
			if !same(out[i], want) {
				t.Errorf("%s: output %d is %v, want %v", c.of, i, out[i], want)
			}
		}
	}
}

func values(v ...*value) []*value { return v }
func dim1(n int) []int            { return []int{n} }

var nan32, inf32 = float32(math.NaN()), float32(math.Inf(1))

func TestFoldArithmetic(t *testing.T) {
	const big = math.MaxInt64
	holdFolds(t, []foldCase{
		{"Add-14, broadcasting", "Add", nil, values(i64([]int{2, 1}, 10, 20), list(1, 2, 3)), values(i64([]int{2, 3}, 11, 12, 13, 21, 22, 23))},
		{"Add-14, empty", "Add", nil, values(list(), i64(nil, 1)), values(list())},
		{"Add-14, wraps", "Add", nil, values(i32(nil, math.MaxInt32), i32(nil, 1)), values(i32(nil, math.MinInt32))},
		{"Sub-14", "Sub", nil, values(f32(dim1(2), 1, 2), f32(nil, .5)), values(f32(dim1(2), .5, 1.5))},
		{"Mul-14, rounds to float32", "Mul", nil, values(f32(nil, 1+1e-7), f32(nil, 3)), values(f32(nil, float32(1+1e-7)*3))},
		{"Div-14, integers truncate", "Div", nil, values(list(7, -7, 7, -7), list(2, 2, -2, -2)), values(list(3, -3, -3, 3))},
		{"Div-14, floats", "Div", nil, values(f32(dim1(3), 1, -1, 0), f32(nil, 0)), values(f32(dim1(3), inf32, -inf32, nan32))},
		{"Mod-13, sign of the divisor", "Mod", nil, values(list(-4, 7, 5, 4, -7, 8), list(2, -3, 8, -2, 3, 5)), values(list(0, -2, 5, 0, 2, 3))},
		{"Mod-13, fmod", "Mod", number("fmod", 1), values(list(-4, 7, 5, 4, -7, 8), list(2, -3, 8, -2, 3, 5)), values(list(0, 1, 5, 0, -1, 3))},
		{"Mod-13, fmod of floats", "Mod", number("fmod", 1), values(f32(dim1(2), -4.5, 7.5), f32(dim1(2), 2, -3)), values(f32(dim1(2), -.5, 1.5))},
		{"Pow-15, integers", "Pow", nil, values(list(2, -3, 2, -1), list(10, 3, -1, -3)), values(list(1024, -27, 0, -1))},
		{"Pow-15, type of the base", "Pow", nil, values(i32(nil, 9), f32(nil, .5)), values(i32(nil, 3))},
		{"Pow-15, floats", "Pow", nil, values(f32(nil, 2), i64(nil, -1)), values(f32(nil, .5))},
		{"Min-13, of three", "Min", nil, values(list(3, 1), list(2, 2), i64(nil, 2)), values(list(2, 1))},
		{"Max-13, of NaN", "Max", nil, values(f32(dim1(2), 1, nan32), f32(nil, 2)), values(f32(dim1(2), 2, nan32))},
		{"Max-13, of one", "Max", nil, values(list(1)), values(list(1))},
		{"Sum-13", "Sum", nil, values(f32(nil, 1), f32(nil, 2), f32(nil, 3)), values(f32(nil, 6))},
		{"And-7", "And", nil, values(flags(dim1(4), 0, 0, 1, 1), flags(dim1(4), 0, 1, 0, 1)), values(flags(dim1(4), 0, 0, 0, 1))},
		{"Or-7", "Or", nil, values(flags(dim1(4), 0, 0, 1, 1), flags(dim1(4), 0, 1, 0, 1)), values(flags(dim1(4), 0, 1, 1, 1))},
		{"Xor-7", "Xor", nil, values(flags(dim1(4), 0, 0, 1, 1), flags(dim1(4), 0, 1, 0, 1)), values(flags(dim1(4), 0, 1, 1, 0))},
		{"Not-1", "Not", nil, values(flags(dim1(2), 0, 1)), values(flags(dim1(2), 1, 0))},
		{"Equal-19, NaN", "Equal", nil, values(f32(nil, nan32), f32(nil, nan32)), values(flags(nil, 0))},
		{"Greater-13", "Greater", nil, values(list(1, 2, 3), i64(nil, 2)), values(flags(dim1(3), 0, 0, 1))},
		{"GreaterOrEqual-16", "GreaterOrEqual", nil, values(list(1, 2, 3), i64(nil, 2)), values(flags(dim1(3), 0, 1, 1))},
		{"Less-13", "Less", nil, values(f32(dim1(2), 1, nan32), f32(nil, 2)), values(flags(dim1(2), 1, 0))},
		{"LessOrEqual-16", "LessOrEqual", nil, values(list(1, 2, 3), i64(nil, 2)), values(flags(dim1(3), 1, 1, 0))},
		{"Where-16, broadcasting", "Where", nil, values(flags([]int{2, 1}, 1, 0), list(1, 2), i64(nil, 9)), values(i64([]int{2, 2}, 1, 2, 9, 9))},
		{"Where-16, empty", "Where", nil, values(flags(dim1(1), 1), f32([]int{0}), f32(dim1(1), 9)), values(f32([]int{0}))},
		{"Abs-13", "Abs", nil, values(list(-2, 3)), values(list(2, 3))},
		{"Neg-13", "Neg", nil, values(i32(dim1(2), math.MinInt32, 3)), values(i32(dim1(2), math.MinInt32, -3))},
		{"Floor-13", "Floor", nil, values(f32(dim1(2), -1.5, 1.5)), values(f32(dim1(2), -2, 1))},
		{"Ceil-13", "Ceil", nil, values(f32(dim1(2), -1.5, 1.5)), values(f32(dim1(2), -1, 2))},
		{"Round-11, halves to even", "Round", nil, values(f32(dim1(3), .5, 1.5, -2.5)), values(f32(dim1(3), 0, 2, -2))},
		{"Sqrt-13, Exp-13", "Sqrt", nil, values(f32(dim1(2), 4, 2)), values(f32(dim1(2), 2, float32(math.Sqrt2)))},
		{"Exp-13", "Exp", nil, values(f32(nil, 1)), values(f32(nil, math.E))},
		{"Log-13", "Log", nil, values(f32(dim1(2), 1, 0)), values(f32(dim1(2), 0, -inf32))},
		{"Sign-13", "Sign", nil, values(list(-5, 0, 5)), values(list(-1, 0, 1))},
		{"Clip-13", "Clip", nil, values(list(1, 5, 9), i64(nil, 2), i64(nil, 7)), values(list(2, 5, 7))},
		{"Clip-6, attributes", "Clip", float("max", 2), values(f32(dim1(2), 1, 5)), values(f32(dim1(2), 1, 2))},
		{"Cast-13, floats are cut", "Cast", number("to", typeInt64), values(f32(dim1(4), 1.9, -1.9, nan32, inf32)), values(list(1, -1, 0, big))},
		{"Cast-13, out of range", "Cast", number("to", typeInt32), values(f32(dim1(2), 1e10, -1e10)), values(i32(dim1(2), math.MaxInt32, math.MinInt32))},
		{"Cast-13, integers wrap", "Cast", number("to", typeInt32), values(list(1<<40+5, 1<<31)), values(i32(dim1(2), 5, math.MinInt32))},
		{"Cast-13, to bool", "Cast", number("to", typeBool), values(f32(dim1(3), 0, .25, nan32)), values(flags(dim1(3), 0, 1, 1))},
		{"Cast-13, integers to bool", "Cast", number("to", typeBool), values(list(0, 256)), values(flags(dim1(2), 0, 1))},
		{"Cast-13, to float", "Cast", number("to", typeFloat), values(list(1<<24 + 1)), values(f32(dim1(1), 1<<24))},
		{"CastLike-15", "CastLike", nil, values(f32(nil, 3.5), list()), values(i64(nil, 3))},
	})
}

func TestFoldLayout(t *testing.T) {
	const most, least = math.MaxInt64, math.MinInt64
	grid := i64([]int{2, 3}, 0, 1, 2, 3, 4, 5)
	holdFolds(t, []foldCase{
		{"Reshape-21, 0 and -1", "Reshape", nil, values(grid, list(0, -1, 1)), values(i64([]int{2, 3, 1}, 0, 1, 2, 3, 4, 5))},
		{"Reshape-21, to a scalar", "Reshape", nil, values(list(7), list()), values(i64([]int{}, 7))},
		{"Reshape-21, allowzero", "Reshape", number("allowzero", 1), values(i64([]int{0, 3}), list(3, 0)), values(i64([]int{3, 0}))},
		{"Reshape-21, -1 of empty", "Reshape", nil, values(i64([]int{0, 3}), list(-1, 3)), values(i64([]int{0, 3}))},
		{"Flatten-13", "Flatten", number("axis", 0), values(grid), values(i64([]int{1, 6}, 0, 1, 2, 3, 4, 5))},
		{"Squeeze-13, all", "Squeeze", nil, values(i64([]int{1, 2, 1}, 5, 6)), values(list(5, 6))},
		{"Squeeze-13, axes", "Squeeze", nil, values(i64([]int{1, 2, 1}, 5, 6), list(-1)), values(i64([]int{1, 2}, 5, 6))},
		{"Squeeze-11, attribute", "Squeeze", numbers("axes", 0), values(i64([]int{1}, 5)), values(i64(nil, 5))},
		{"Unsqueeze-13", "Unsqueeze", nil, values(list(5, 6), list(-1, 0)), values(i64([]int{1, 2, 1}, 5, 6))},
		{"Unsqueeze-11, of a scalar", "Unsqueeze", numbers("axes", 0), values(i64(nil, 5)), values(list(5))},
		{"Transpose-13, reverses", "Transpose", nil, values(grid), values(i64([]int{3, 2}, 0, 3, 1, 4, 2, 5))},
		{"Transpose-13, perm", "Transpose", numbers("perm", 1, 2, 0), values(i64([]int{2, 1, 2}, 1, 2, 3, 4)), values(i64([]int{1, 2, 2}, 1, 3, 2, 4))},
		{"Expand-13, both ways", "Expand", nil, values(i64([]int{2, 1}, 1, 2), list(3, 1, 2)), values(i64([]int{3, 2, 2}, 1, 1, 2, 2, 1, 1, 2, 2, 1, 1, 2, 2))},
		{"Expand-13, smaller shape", "Expand", nil, values(list(1, 2), list(1)), values(list(1, 2))},
		{"Tile-13", "Tile", nil, values(i64([]int{1, 2}, 1, 2), list(2, 2)), values(i64([]int{2, 4}, 1, 2, 1, 2, 1, 2, 1, 2))},
		{"Tile-13, none", "Tile", nil, values(list(1, 2), list(0)), values(list())},
		{"Concat-13", "Concat", number("axis", -1), values(grid, i64([]int{2, 0}), i64([]int{2, 1}, 8, 9)), values(i64([]int{2, 4}, 0, 1, 2, 8, 3, 4, 5, 9))},
		{"Split-18, num_outputs", "Split", number("num_outputs", 2), values(list(1, 2, 3)), values(list(1, 2), list(3))},
		{"Split-13, sizes", "Split", number("axis", 1), values(grid, list(2, 0, 1)), values(i64([]int{2, 2}, 0, 1, 3, 4), i64([]int{2, 0}), i64([]int{2, 1}, 2, 5))},
		{"Slice-13, to the end", "Slice", nil, values(grid, list(1), list(most), list(1)), values(i64([]int{2, 2}, 1, 2, 4, 5))},
		{"Slice-13, negative ends", "Slice", nil, values(list(0, 1, 2, 3, 4), list(-4), list(-1)), values(list(1, 2, 3))},
		{"Slice-13, backwards", "Slice", nil, values(list(0, 1, 2, 3, 4), list(most), list(least), list(0), list(-1)), values(list(4, 3, 2, 1, 0))},
		{"Slice-13, backwards by two", "Slice", nil, values(list(0, 1, 2, 3, 4), list(3), list(0), list(0), list(-2)), values(list(3, 1))},
		{"Slice-13, a step beyond", "Slice", nil, values(list(0, 1, 2), list(1), list(9), list(0), list(most)), values(list(1))},
		{"Slice-13, nothing", "Slice", nil, values(list(0, 1, 2), list(2), list(1)), values(list())},
		{"Slice-13, a step of the least", "Slice", nil, values(list(0, 1, 2), list(2), list(least), list(0), list(least)), values(list(2))},
		{"Slice-1, attributes", "Slice", slices.Concat(numbers("starts", 1), numbers("ends", 9), numbers("axes", 1)), values(grid), values(i64([]int{2, 2}, 1, 2, 4, 5))},
		{"Pad-21, constant", "Pad", nil, values(list(1, 2), list(1, 2), i64(nil, 7)), values(list(7, 1, 2, 7, 7))},
		{"Pad-21, crops", "Pad", nil, values(list(1, 2, 3), list(-1, 1)), values(list(2, 3, 0))},
		{"Pad-21, reflect", "Pad", attributeText("mode", "reflect"), values(list(1, 2, 3), list(2, 1)), values(list(3, 2, 1, 2, 3, 2))},
		{"Pad-21, edge, axes", "Pad", attributeText("mode", "edge"), values(i64([]int{1, 2}, 1, 2), list(1, 0), nil, list(1)), values(i64([]int{1, 3}, 1, 1, 2))},
		{"Pad-21, wrap", "Pad", attributeText("mode", "wrap"), values(list(1, 2, 3), list(1, 2)), values(list(3, 1, 2, 3, 1, 2))},
		{"Pad-2, attributes", "Pad", slices.Concat(numbers("pads", 0, 1), float("value", 2)), values(f32(dim1(1), 1)), values(f32(dim1(2), 1, 2))},
	})
}

func TestFoldRefuses(t *testing.T) {
	for _, c := range []struct {
		op         string
		attributes []byte
		in         []*value
		want       string
	}{
		{"Div", nil, values(list(1), list(0)), "a division by zero"},
		{"Mod", nil, values(f32(nil, 1), f32(nil, 2)), "of type float32"},
		{"Add", nil, values(list(1), f32(nil, 1)), "int64 and float32"},
		{"Add", nil, values(list(1, 2), list(1, 2, 3)), "do not broadcast"},
		{"Pad", attributeText("mode", "edge"), values(list(1, 2, 3), list(1, -3)), "nothing is left"},
		{"Reshape", nil, values(list(1, 2), list(-1, -1)), "shape [2] cannot be reshaped to [-1 -1]"},
		{"Reshape", nil, values(list(1, 2), list(3)), "[2] cannot be reshaped to [3]"},
		{"Reshape", nil, values(list(1, 2), list(1, 2, 0)), "to [1 2 0]"},
		{"Reshape", nil, values(list(), list(1<<32, 1<<32)), "[0] cannot be"},
		{"Gather", nil, values(list(1, 2), list(2)), "index 2 is not in a dimension of 2"},
		{"Slice", nil, values(list(1), list(0), list(1), list(0), list(0)), "step of 0"},
		{"Slice", nil, values(i64([]int{1, 1}, 1), list(0, 0), list(1, 1), list(1, -1)), "twice"},
		{"Transpose", numbers("perm", 0, 0), values(i64([]int{1, 1}, 1)), "axis 0 is given twice in [0 0]"},
		{"Squeeze", nil, values(list(1, 2), list(0)), "not of size 1"},
		{"Concat", nil, values(list(1)), `attribute "axis" is missing`},
		{"Cast", number("to", typeString), values(list(1)), "to string"},
		{"Range", nil, values(i64(nil, 0), i64(nil, 1), i64(nil, 0)), "from 0 to 1 by 0"},
		{"Equal", nil, values(list(math.MaxInt64, math.MaxInt64-1), i64(nil, math.MaxInt64)), "integer 9223372036854775806"},
		{"Sub", nil, values(list(math.MaxInt64), list(1)), "up to 2⁵³"},
		{"Range", nil, values(f32(nil, 0), f32(nil, inf32), f32(nil, 1)), "from 0 to +Inf by 1"},
		{"ConstantOfShape", nil, values(list(-1)), "impossible sizes"},
		// Bombs.
		{"ConstantOfShape", nil, values(list(1<<20, 1<<20)), "more constants"},
		{"Range", nil, values(i64(nil, -1<<50), i64(nil, 1<<50), i64(nil, 1)), "more constants"},
		{"Expand", nil, values(list(1), list(1<<26)), "more constants"},
		{"Tile", nil, values(list(1, 2), list(1<<26)), "repeats [67108864]"},
		{"Pad", nil, values(list(1), list(1<<25, 0)), "more constants"},
		{"OneHot", nil, values(list(1), i64(nil, 1<<50), list(0, 1)), "more constants"},
	} {
		must.Fail(t, must.Err(folded(c.op, 1, c.attributes, c.in...)), c.want)
	}
}

func TestFoldIndices(t *testing.T) {
	grid := func() *value { return i64([]int{2, 3}, 0, 1, 2, 3, 4, 5) }
	holdFolds(t, []foldCase{
		{"Gather-13", "Gather", number("axis", 1), values(grid(), i64([]int{1, 2}, -1, 0)), values(i64([]int{2, 1, 2}, 2, 0, 5, 3))},
		{"Gather-13, by a scalar", "Gather", nil, values(list(4, 5, 6), i64(nil, -2)), values(i64(nil, 5))},
		{"Gather-13, nothing", "Gather", nil, values(grid(), list()), values(i64([]int{0, 3}))},
		{"GatherElements-13", "GatherElements", number("axis", 1), values(grid(), i64([]int{2, 2}, 2, 0, -3, 1)), values(i64([]int{2, 2}, 2, 0, 3, 4))},
		{"GatherND-13", "GatherND", nil, values(grid(), i64([]int{2, 2}, 0, 1, -1, -1)), values(list(1, 5))},
		{"GatherND-13, rows", "GatherND", nil, values(grid(), i64([]int{1, 1}, 1)), values(i64([]int{1, 3}, 3, 4, 5))},
		{"GatherND-13, batch", "GatherND", number("batch_dims", 1), values(grid(), i64([]int{2, 1}, 2, 0)), values(list(2, 3))},
		{"ScatterND-18", "ScatterND", nil, values(list(1, 2, 3), i64([]int{2, 1}, 2, -3), list(9, 8)), values(list(8, 2, 9))},
		{"ScatterND-18, rows", "ScatterND", nil, values(grid(), i64([]int{1, 1}, 1), i64([]int{1, 3}, 7, 8, 9)), values(i64([]int{2, 3}, 0, 1, 2, 7, 8, 9))},
		{"ScatterElements-18", "ScatterElements", number("axis", 1), values(i64([]int{1, 3}, 1, 2, 3), i64([]int{1, 2}, 0, -1), i64([]int{1, 2}, 7, 8)), values(i64([]int{1, 3}, 7, 2, 8))},
		{"NonZero-13, row-major", "NonZero", nil, values(i64([]int{2, 2}, 1, 0, 1, 1)), values(i64([]int{2, 3}, 0, 1, 1, 0, 0, 1))},
		{"NonZero-13, nothing", "NonZero", nil, values(f32(dim1(2), 0, 0)), values(i64([]int{1, 0}))},
		{"NonZero-13, of a scalar", "NonZero", nil, values(i64(nil, 3)), values(i64([]int{0, 1}))},
		{"OneHot-11", "OneHot", nil, values(list(1, -1, 5), i64(nil, 3), list(2, 9)), values(i64([]int{3, 3}, 2, 9, 2, 2, 2, 9, 2, 2, 2))},
		{"OneHot-11, axis 0", "OneHot", number("axis", 0), values(list(1, 0), i64(nil, 2), f32(dim1(2), 0, 1)), values(f32([]int{2, 2}, 0, 1, 1, 0))},
	})
}

func TestFoldMakes(t *testing.T) {
	half := attributeOf("value", appendBytes(tensorOf("", typeFloat, 1), tensorFloats, []byte{0, 0, 0, 63}))
	holdFolds(t, []foldCase{
		{"Shape-15", "Shape", nil, values(f32([]int{2, 0, 3})), values(list(2, 0, 3))},
		{"Shape-15, start and end", "Shape", slices.Concat(number("start", -9), number("end", -1)), values(f32([]int{2, 0, 3})), values(list(2, 0))},
		{"Shape-15, of a scalar", "Shape", nil, values(f32(nil, 1)), values(list())},
		{"Size-13", "Size", nil, values(f32([]int{2, 0, 3})), values(i64(nil, 0))},
		{"ConstantOfShape-9", "ConstantOfShape", nil, values(list(2, 1)), values(f32([]int{2, 1}, 0, 0))},
		{"ConstantOfShape-9, a scalar", "ConstantOfShape", half, values(list()), values(f32(nil, .5))},
		{"ConstantOfShape-9, empty", "ConstantOfShape", half, values(list(0, 3)), values(f32([]int{0, 3}))},
		{"Range-11", "Range", nil, values(i64(nil, 3), i64(nil, 9), i64(nil, 3)), values(list(3, 6))},
		{"Range-11, down", "Range", nil, values(i32(nil, 10), i32(nil, 4), i32(nil, -2)), values(i32(dim1(3), 10, 8, 6))},
		{"Range-11, nothing", "Range", nil, values(i64(nil, 3), i64(nil, 3), i64(nil, 1)), values(list())},
		{"Range-11, floats", "Range", nil, values(f32(nil, 0), f32(nil, 1), f32(nil, .4)), values(f32(dim1(3), 0, float32(float64(float32(.4))), float32(2*float64(float32(.4)))))},
		{"EyeLike-9", "EyeLike", slices.Concat(number("k", 1), number("dtype", typeInt64)), values(f32([]int{2, 3}, 0, 0, 0, 0, 0, 0)), values(i64([]int{2, 3}, 0, 1, 0, 0, 0, 1))},
		{"Trilu-14, upper", "Trilu", nil, values(i64([]int{2, 3}, 1, 2, 3, 4, 5, 6)), values(i64([]int{2, 3}, 1, 2, 3, 0, 5, 6))},
		{"Trilu-14, lower, k", "Trilu", number("upper", 0), values(i64([]int{2, 3}, 1, 2, 3, 4, 5, 6), i64(nil, -1)), values(i64([]int{2, 3}, 0, 0, 0, 4, 0, 0))},
		{"CumSum-14", "CumSum", nil, values(i64([]int{2, 2}, 1, 2, 3, 4), i64(nil, 1)), values(i64([]int{2, 2}, 1, 3, 3, 7))},
		{"CumSum-14, exclusive, reverse", "CumSum", slices.Concat(number("exclusive", 1), number("reverse", 1)), values(f32(dim1(3), 1, 2, 3), i64(nil, 0)), values(f32(dim1(3), 5, 3, 0))},
		{"ReduceProd-18", "ReduceProd", number("keepdims", 0), values(list(2, 3, 4)), values(i64([]int{}, 24))},
		{"ReduceProd-18, of nothing", "ReduceProd", number("keepdims", 0), values(list()), values(i64([]int{}, 1))},
		{"ReduceSum-13", "ReduceSum", nil, values(i64([]int{2, 2}, 1, 2, 3, 4), list(-1)), values(i64([]int{2, 1}, 3, 7))},
		{"ReduceSum-13, of no axes", "ReduceSum", number("noop_with_empty_axes", 1), values(list(1, 2), list()), values(list(1, 2))},
		{"ReduceMean-13, attribute", "ReduceMean", numbers("axes", 0), values(f32([]int{2, 2}, 1, 2, 3, 4)), values(f32([]int{1, 2}, 2, 3))},
		{"ReduceMax-18", "ReduceMax", nil, values(list(1, 3, 2)), values(list(3))},
		{"ReduceMin-18", "ReduceMin", number("keepdims", 0), values(f32([]int{2, 2}, 1, 2, 3, 0), list(0)), values(f32(dim1(2), 1, 0))},
		{"ReduceL2-18", "ReduceL2", nil, values(f32(dim1(2), 3, 4)), values(f32(dim1(1), 5))},
		{"Identity-21", "Identity", nil, values(list(1)), values(list(1))},
	})
}
