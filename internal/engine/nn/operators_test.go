package nn

import (
	"cmp"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

func testDense(in, out int, bias bool) *Dense {
	r := rand.New(rand.NewPCG(uint64(in), uint64(out)))
	d := &Dense{In: in, Out: out, Weight: testParam(r, "weight", out, in)}
	if bias {
		d.Bias = testParam(r, "bias", out)
	}
	return d
}

// operatorCases are operators of every kind with the shapes of their inputs: several where kernels
// have several ways to compute.
func operatorCases() (cases []opCase) {
	r := rand.New(rand.NewPCG(3, 9))
	add := func(op Op, in ...[]int) { cases = append(cases, opCase{op: op, in: in}) }
	add(testDense(7, 5, true), []int{7})
	add(testDense(130, 67, true), []int{130})
	add(testDense(4, 9, false), []int{4})
	for _, rows := range [][]int{{1, 9}, {4, 9}, {2, 3, 9}} {
		add(testDense(9, 5, true), rows)
	}
	add(&ReLU{}, []int{3, 5, 5})
	add(&ReLU{}, []int{20011})
	add(&ReLU{Slope: .01}, []int{37})
	add(&ReLU{Slope: -.5}, []int{37})
	for _, in := range [][]int{{10}, {4, 3}} {
		add(&Softmax{}, in)
	}
	add(&Binary{Operator: "Add"}, []int{2, 3}, []int{2, 3})
	add(&Binary{Operator: "Mul"}, []int{9001}, []int{9001})
	add(Flatten(), []int{2, 3, 4})
	add(&Identity{}, []int{2, 3, 4})
	for _, in := range [][]int{{5}, {3, 4, 5}, {2, 1, 1}, {3, 4, 4}, {40, 33, 33}} {
		add(testBatchNorm(in[0]), in)
	}
	norm := func(in []int, axes int, scaled, shifted bool) {
		op := &LayerNorm{Axes: axes}
		scale, shift := normParams(r, in[len(in)-op.axes():]...)
		if scaled {
			op.Scale = scale
		}
		if shifted {
			op.Shift = shift
		}
		add(op, in)
	}
	norm([]int{7}, 0, true, true)
	norm([]int{5, 19}, 1, true, true)
	norm([]int{3, 2, 8}, 1, true, false)
	norm([]int{3, 4, 5}, 2, false, true)
	norm([]int{33}, 1, false, false)
	for _, c := range matmulCases {
		add(&c.op, c.a, c.b)
	}
	for _, name := range reduceFunctions {
		for i, c := range reduceCases {
			if i%3 == 0 || name == "Mean" || name == "Max" { // the others share their kernel
				add(&Reduce{Function: name, Axes: c.axes, Keep: c.keep}, c.in)
			}
		}
	}
	for _, c := range poolCases {
		add(&MaxPool{c.kernel, c.stride, c.pad, c.dilation}, c.in)
		add(&AveragePool{c.kernel, c.stride, c.pad, false, c.dilation}, c.in)
		add(&AveragePool{c.kernel, c.stride, c.pad, true, c.dilation}, c.in)
	}
	for _, c := range convCases {
		add(c.op(), c.shape())
	}
	for _, c := range transposedCases {
		add(c.transposed(c.outputPad), c.shape())
	}
	return cases
}

func (c opCase) String() string { return fmt.Sprintf("%s %+v of %v", c.op.Kind(), c.op, c.in) }

// TestOperators holds operators to what every kernel promises.
func TestOperators(t *testing.T) {
	for _, c := range operatorCases() {
		if testing.Short() && Size(c.in[0]) > 60000 {
			continue
		}
		t.Run(c.op.Kind(), func(t *testing.T) { testOperator(t, c.op, c.in...) })
	}
	t.Run("Winograd", func(t *testing.T) { testOperator(t, winogradCases[1].op(), winogradCases[1].shape()) })
}

// roundoffSlack is how many times the errors the bounds may be on average; 1e4 for other operators.
var roundoffSlack = map[string]float64{
	"BatchNormalization": 100, "LayerNormalization": 200, "MatMul": 100,
	"Conv": 400, "ConvTranspose": 100, "MaxPool": 300, "AveragePool": 300,
}

// TestOperatorRoundoff holds operators to their definitions, and the bounds on their rounding errors.
func TestOperatorRoundoff(t *testing.T) {
	for _, c := range operatorCases() {
		slack := cmp.Or(roundoffSlack[c.op.Kind()], 1e4)
		if _, ok := c.op.(*Reduce); ok {
			slack = 1000
		}
		if !testing.Short() || Size(c.in[0]) < 60000 {
			t.Run(c.op.Kind(), func(t *testing.T) { testExact(t, c.op, slack, itself, c.in...) })
		}
	}
}

// TestShapes holds the shapes of outputs to the operators' definitions.
func TestShapes(t *testing.T) {
	hold := func(want []int, op Op, in ...[]int) {
		t.Helper()
		if got, err := op.Shape(in...); err != nil || !slices.Equal(got, want) {
			t.Errorf("%s %+v of %v: shape %v, %v, want %v", op.Kind(), op, in, got, err, want)
		}
	}
	for _, c := range matmulCases {
		hold(c.want, &c.op, c.a, c.b)
	}
	for _, c := range reduceCases {
		hold(c.want, &Reduce{Function: "Mean", Axes: c.axes, Keep: c.keep}, c.in)
	}
	for _, c := range rearrangeCases() {
		hold(c.want, c.op, c.in)
	}
	hold([]int{2, 9, 4}, &Concat{1}, []int{2, 3, 4}, []int{2, 1, 4}, []int{2, 0, 4}, []int{2, 5, 4})
}

// TestRefusedShapes holds that operators refuse settings and inputs that they cannot compute.
func TestRefusedShapes(t *testing.T) {
	value, short := &Param{Shape: []int{2}, Data: []float32{1, 2}}, &Param{Shape: []int{2}, Data: []float32{1}}
	four := &Param{Name: "scale", Shape: []int{4}, Data: make([]float32, 4)}
	for _, c := range []struct {
		op Op
		in [][]int
	}{
		{&Reshape{[]int{2, -1}}, [][]int{{2, 3}}},
		{&Reshape{[]int{7}}, [][]int{{2, 3}}},
		{&Transpose{[]int{0, 0}}, [][]int{{2, 3}}},
		{&Transpose{[]int{0, 2}}, [][]int{{2, 3}}},
		{&Transpose{[]int{0}}, [][]int{{2, 3}}},
		{&Slice{[]int{0}, nil, []int{4}}, [][]int{{3}}},
		{&Slice{[]int{2}, []int{-1}, []int{4}}, [][]int{{3}}},
		{&Slice{[]int{0}, []int{math.MaxInt}, []int{3}}, [][]int{{3}}},
		{&Slice{[]int{2}, []int{math.MinInt}, []int{2}}, [][]int{{3}}},
		{&Slice{[]int{0}, []int{0}, []int{2}}, [][]int{{3}}},
		{&Slice{[]int{0}, nil, []int{-1}}, [][]int{{3}}},
		{&Gather{0, []int{3}, []int{1}}, [][]int{{3}}},
		{&Gather{0, []int{-1}, []int{1}}, [][]int{{3}}},
		{&Gather{1, []int{0}, []int{1}}, [][]int{{3}}},
		{&Gather{0, []int{0}, []int{2}}, [][]int{{3}}},
		{&Gather{0, []int{0, 0}, []int{-1, -2}}, [][]int{{3}}},
		{&Pad{Before: []int{-2}, After: []int{-2}}, [][]int{{3}}},
		{&Pad{Before: []int{math.MinInt}, After: []int{0}}, [][]int{{3}}},
		{&Concat{0}, nil},
		{&Concat{1}, [][]int{{3}}},
		{&Concat{0}, [][]int{{3, 2}, {3, 3}}},
		{&Concat{0}, [][]int{{3, 2}, {3}}},
		{&Transpose{[]int{0}}, [][]int{{3}, {3}}},
		{&MatMul{}, [][]int{{2, 3}}},
		{&MatMul{}, [][]int{{3}, {3, 2}}},
		{&MatMul{}, [][]int{{2, 3}, {3}}},
		{&MatMul{}, [][]int{{2, 3}, {2, 3}}},
		{&MatMul{}, [][]int{{2, 2, 3}, {3, 3, 2}}},
		{&LayerNorm{}, [][]int{nil}},
		{&LayerNorm{Axes: 2}, [][]int{{3}}},
		{&LayerNorm{Axes: -1}, [][]int{{3}}},
		{&LayerNorm{Scale: four}, [][]int{{3}}},
		{&LayerNorm{Shift: four, Axes: 2}, [][]int{{2, 2}}},
		{&LayerNorm{Epsilon: -1}, [][]int{{4}}},
		{&LayerNorm{Epsilon: math.NaN()}, [][]int{{4}}},
		{&Reduce{}, [][]int{{2, 3}}},
		{&Reduce{Function: "Median"}, [][]int{{2, 3}}},
		{&Reduce{Function: "Sum", Axes: []int{2}}, [][]int{{2, 3}}},
		{&Reduce{Function: "Sum", Axes: []int{-1}}, [][]int{{2, 3}}},
		{&Reduce{Function: "Sum", Axes: []int{1, 1}}, [][]int{{2, 3}}},
		{&Reduce{Function: "Mean", Axes: []int{0}}, [][]int{{0, 2}}},
		{&Reduce{Function: "Max", Axes: []int{0}}, [][]int{{0, 2}}},
		{&Reduce{Function: "Min", Axes: []int{0}}, [][]int{{0, 2}}},
		{&Unary{Function: "Gamma"}, [][]int{{3}}},
		{&Unary{Function: "Celu"}, [][]int{{3}}},
		{&Unary{Function: "Clip", Alpha: math.NaN()}, [][]int{{3}}},
		{&Unary{Function: "Exp"}, [][]int{{3}, {3}}},
		{&MaxPool{Kernel: [2]int{2, 2}, Pad: [4]int{2, 0, 0, 0}}, [][]int{{1, 4, 4}}},
		{&MaxPool{Kernel: [2]int{2, 9}}, [][]int{{1, 4, 4}}},
		{&MaxPool{}, [][]int{{1, 4, 4}}},
		{&MaxPool{Kernel: [2]int{1 << 30, 1}, Pad: [4]int{1 << 29, 0, 1 << 29, 0}}, [][]int{{1, 4, 4}}},
		{&AveragePool{Kernel: [2]int{2, 2}, Pad: [4]int{0, 0, 0, 2}}, [][]int{{1, 4, 4}}},
		{&Binary{Operator: "Mod"}, [][]int{{2}, {2}}},
		{&Binary{Operator: "Add"}, [][]int{{2}, {3}}},
		{&Binary{Operator: "Add"}, [][]int{{2}}},
		{&Binary{Operator: "Add", Constant: value}, [][]int{{2}, {2}}},
		{&Binary{Operator: "Add", Constant: short}, [][]int{{2}}},
		{&Binary{Operator: "Less"}, [][]int{{2, 2}, {3, 2}}},
		{&Where{Condition: value}, [][]int{{4, 1}}},
		{&Where{Condition: value}, [][]int{{4, 1}, {1}, {1}}},
		{&Where{Condition: value}, [][]int{{3}, {2}}},
		{&Constant{Value: value}, [][]int{{2}}},
		{&Constant{}, nil},
	} {
		if s, err := c.op.Shape(c.in...); err == nil {
			t.Errorf("%s %+v of %v: shape %v, want an error", c.op.Kind(), c.op, c.in, s)
		}
	}
}

var matmulCases = []struct {
	op   MatMul
	a, b []int
	want []int
}{
	{MatMul{}, []int{5, 7}, []int{7, 3}, []int{5, 3}},
	{MatMul{TransB: true}, []int{5, 7}, []int{3, 7}, []int{5, 3}},
	{MatMul{TransB: true}, []int{2, 5, 7}, []int{2, 3, 7}, []int{2, 5, 3}},
	{MatMul{}, []int{2, 3, 4, 5}, []int{5, 6}, []int{2, 3, 4, 6}}, // rows joined
	{MatMul{TransB: true}, []int{2, 3, 4, 5}, []int{1, 1, 6, 5}, []int{2, 3, 4, 6}},
	{MatMul{}, []int{4, 5}, []int{3, 5, 2}, []int{3, 4, 2}},
	{MatMul{}, []int{3, 1, 4, 5}, []int{2, 5, 2}, []int{3, 2, 4, 2}},
	{MatMul{}, []int{2, 1, 4, 1}, []int{1, 3, 1, 2}, []int{2, 3, 4, 2}},
}
