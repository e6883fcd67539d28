package nn

import (
	"math"
	"math/rand/v2"
	"testing"
)

// broadcastCases are the shapes of two operands: alike, an entry for all, for each
// channel, for each of the last dimension, and repeated on both sides.
var broadcastCases = [][2][]int{
	{{5, 7}, {5, 7}}, {{3, 4, 5}, {}}, {{3, 4, 5}, {1}}, {{3, 4, 5}, {3, 1, 1}}, {{4, 6}, {6}}, {{2, 1, 5}, {3, 1}},
	{{4}, {3, 2, 1}}, {{1, 3, 1, 2}, {2, 1, 4, 1}}, {{2, 3000}, {2, 1}}, {{}, {}}, {{1, 1}, {1}},
}

func arithmeticOf(operator string, r *rand.Rand, constant []int, first bool) *Binary {
	op := &Binary{Operator: operator, ConstantFirst: first}
	if constant != nil {
		op.Constant = &Param{Name: "c", Shape: constant, Data: randomSlice[float32](r, Size(constant), 1)}
	}
	return op
}

// TestBroadcastRoundoff holds operators of two numbers on broadcast operands, either of which may be
// a constant, to their definitions: at small whole numbers, among which are ties and zeros, and
// around them, and at others.
func TestBroadcastRoundoff(t *testing.T) {
	r := rand.New(rand.NewPCG(9, 2))
	for _, name := range BinaryOperators() {
		slack, other, draw := 1e3, itself, func(v float64) float64 { return math.Round(2 * v) }
		switch {
		case Compares(name):
			slack = math.Inf(1)
		case name == "Pow":
			draw, other = awayFrom0, awayFrom0
		case name == "Div":
			draw = func(v float64) float64 { return 1 + math.Abs(math.Round(2*v)) }
			other = func(v float64) float64 { return v + math.Copysign(.5, v) }
		}
		testExact(t, &Binary{Operator: name}, slack, other, []int{5, 8}, []int{8})
		constant := func(shape []int, first bool) *Binary {
			op := arithmeticOf(name, r, shape, first)
			for i, v := range op.Constant.Data {
				op.Constant.Data[i] = float32(draw(float64(v)))
			}
			return op
		}
		for _, c := range broadcastCases {
			if Size(c[0]) < 100 || !testing.Short() && name == "Mul" { // it takes time
				testExact(t, &Binary{Operator: name}, slack, draw, c[0], c[1])
				testExact(t, constant(c[1], false), slack, draw, c[0])
				testExact(t, constant(c[0], true), slack, draw, c[1])
			}
		}
	}
}

// TestArithmetic holds the products of the operators that are smooth everywhere, or
// nearly, to what every kernel promises, on all shapes.
func TestArithmetic(t *testing.T) {
	r := rand.New(rand.NewPCG(9, 3))
	for _, name := range []string{"Add", "Sub", "Mul", "Min", "Max"} {
		for _, c := range broadcastCases {
			if Size(c[0]) == 1 && (name == "Min" || name == "Max") || Size(c[0]) > 100 && name != "Mul" {
				continue // it may all be constant; it takes time
			}
			testOperator(t, &Binary{Operator: name}, c[0], c[1])
			testOperator(t, arithmeticOf(name, r, c[1], false), c[0])
		}
		testOperator(t, arithmeticOf(name, r, []int{4, 1, 3}, true), []int{2, 1})
	}
	for _, c := range broadcastCases {
		op := arithmeticOf("Div", r, c[1], false)
		for i, v := range op.Constant.Data {
			op.Constant.Data[i] = 2 + v*v
		}
		testOperator(t, op, c[0])
	}
	for _, exponent := range []float32{0, 1, 2, 3} {
		op := &Binary{Operator: "Pow", Constant: &Param{Name: "c", Shape: []int{}, Data: []float32{exponent}}}
		if exponent > 0 {
			testOperator(t, op, []int{3, 5})
		}
	}
}

// TestArithmeticPositive shows quotients and powers positive operands, of which both
// move.
func TestArithmeticPositive(t *testing.T) {
	for _, name := range []string{"Div", "Pow"} {
		for _, c := range broadcastCases {
			testOperatorAt(t, &Binary{Operator: name}, positiveDraw, c[0], c[1])
		}
	}
}

// TestPowerSlopes holds the derivatives that limits decide to PyTorch's.
func TestPowerSlopes(t *testing.T) {
	l := binaryPow[float64]()
	a := []float64{0, 0, 0, -2, 0, -1}
	b := []float64{0, 1, 2, 3, 3, 0}
	y, d := make([]float64, 6), make([]float64, 6)
	l.value(y, a, b)
	closeTo(t, "0^0, 0^1, 0^2, (−2)^3, 0^3, (−1)^0", y, []float64{1, 0, 0, -8, 0, 1}, 0)
	one := []float64{1, 1, 1, 1, 1, 1}
	l.left(d, one, a, b, y)
	closeTo(t, "left", d, []float64{0, 1, 0, 12, 0, 0}, 0)
	l.right(d[:3], one[:3], a[:3], b[:3], y[:3])
	closeTo(t, "right", d[:3], []float64{0, 0, 0}, 0)
}

// TestTies holds that Min and Max share the derivative where they tie.
func TestTies(t *testing.T) {
	for _, name := range []string{"Min", "Max"} {
		k := (&Binary{Operator: name}).kernel64([]int{1}, []int{1})
		f := &frame[float64]{batch: 1, x: [][]float64{{2}, {2}}, y: make([]float64, 1)}
		k.forward(f)
		dx := [][]float64{{0}, {0}}
		k.vjp(f, dx, []float64{1}, 1)
		if dx[0][0] != .5 || dx[1][0] != .5 {
			t.Errorf("%s: %v", name, dx)
		}
	}
}

func TestCompare(t *testing.T) {
	for name := range comparisons {
		c := opCase{op: &Binary{Operator: name}, in: [][]int{{4}, {3, 1}}, out: 12}
		testAbsent(t, c)
		testDifference(t, c)
	}
}

func TestWhere(t *testing.T) {
	mask := &Param{Name: "mask", Shape: []int{4, 1}, Data: []float32{0, 1, 1, 0}}
	value := &Param{Name: "value", Shape: []int{}, Data: []float32{-3}}
	for _, c := range []struct {
		op *Where
		in [][]int
	}{
		{&Where{Condition: mask}, [][]int{{4, 5}, {4, 5}}},
		{&Where{Condition: mask}, [][]int{{5}, {2, 1, 1}}},
		{&Where{Condition: mask, Else: value}, [][]int{{2, 4, 3}}},
		{&Where{Condition: mask, Then: value}, [][]int{{5}}},
		{&Where{}, [][]int{{4, 1}, {3}, {2, 1, 1}}},
		{&Where{}, [][]int{{6}, {6}, {6}}},
	} {
		testOperator(t, c.op, c.in...)
	}
	k := (&Where{}).kernel64([]int{3}, []int{1}, []int{3})
	f := &frame[float64]{batch: 1, x: [][]float64{{0, 2, -1}, {7}, {1, 2, 3}}, y: make([]float64, 3)}
	k.forward(f)
	closeTo(t, "where", f.y, []float64{1, 7, 7}, 0)
}
