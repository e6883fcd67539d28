package nn

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"tattle/internal/must"
)

var matmulCases = []struct {
	op   MatMul
	a, b []int
	want []int
}{
	{MatMul{}, []int{5, 7}, []int{7, 3}, []int{5, 3}},
	{MatMul{TransB: true}, []int{5, 7}, []int{3, 7}, []int{5, 3}},
	{MatMul{TransA: true}, []int{7, 5}, []int{7, 3}, []int{5, 3}},
	{MatMul{TransA: true, TransB: true}, []int{2, 7, 5}, []int{2, 3, 7}, []int{2, 5, 3}},
	{MatMul{}, []int{2, 3, 4, 5}, []int{5, 6}, []int{2, 3, 4, 6}}, // rows joined
	{MatMul{TransB: true}, []int{2, 3, 4, 5}, []int{1, 1, 6, 5}, []int{2, 3, 4, 6}},
	{MatMul{TransA: true}, []int{2, 5, 4}, []int{5, 6}, []int{2, 4, 6}},
	{MatMul{}, []int{4, 5}, []int{3, 5, 2}, []int{3, 4, 2}},
	{MatMul{}, []int{3, 1, 4, 5}, []int{2, 5, 2}, []int{3, 2, 4, 2}},
	{MatMul{TransA: true}, []int{2, 1, 1, 4}, []int{1, 3, 1, 2}, []int{2, 3, 4, 2}},
}

func TestMatMul(t *testing.T) {
	for _, c := range matmulCases {
		t.Run(fmt.Sprint(c.op, c.a, c.b), func(t *testing.T) {
			shape, err := c.op.Shape(c.a, c.b)
			if err != nil || !slices.Equal(shape, c.want) {
				t.Fatalf("shape is %v (%v), want %v", shape, err, c.want)
			}
			testOperator(t, &c.op, c.a, c.b)
			testExact(t, &c.op, 100, itself, c.a, c.b)
		})
	}
}

// TestMatMulEmpty holds that sums of no products are 0 and that nothing is touched
// where there is nothing.
func TestMatMulEmpty(t *testing.T) {
	for _, c := range []struct{ a, b []int }{
		{[]int{2, 0}, []int{0, 3}}, {[]int{0, 2}, []int{2, 3}}, {[]int{2, 3}, []int{3, 0}}, {[]int{0, 2, 3}, []int{3, 4}},
		{[]int{2, 3}, []int{0, 3, 4}},
	} {
		op := &MatMul{}
		shape := must.Get(op.Shape(c.a, c.b))(t)
		k := op.kernel32(c.a, c.b)
		r := rand.New(rand.NewPCG(1, 1))
		oc := opCase{op, [][]int{c.a, c.b}, Size(shape)}
		f := forwardFrame(k, oc, inputs[float32](oc, r, 1, 1), false)
		closeTo(t, "empty product", f.y, make([]float32, len(f.y)), 0)
		dx := inputs[float32](oc, r, 1, 1)
		k.vjp(f, dx, f.y, 1)
		for _, d := range dx {
			closeTo(t, "cotangent of an empty product", d, make([]float32, len(d)), 0)
		}
	}
}

func TestDenseRows(t *testing.T) {
	for _, lead := range [][]int{{1}, {4}, {2, 3}} {
		in := append(slices.Clone(lead), 9)
		op := testDense(9, 5, true)
		testOperator(t, op, in)
		// Each row as a Dense of its own.
		kern, one := op.kernel64(in), op.kernel64([]int{9})
		n := testBatch * Size(lead)
		r := rand.New(rand.NewPCG(5, 5))
		x := [][]float64{randomSlice[float64](r, n*9, 1)}
		f := forwardFrame(kern, opCase{op, [][]int{in}, Size(lead) * 5}, x, false)
		g := &frame[float64]{batch: n, x: x, y: make([]float64, n*5)}
		one.forward(g)
		closeTo(t, "rows", f.y, g.y, 1e-15)
		e, ex := make([]float64, n*5), [][]float64{randomSlice[float64](r, n*9, 0)}
		e1 := slices.Clone(e)
		kern.(rounder).roundoff(f, e, ex)
		one.(rounder).roundoff(g, e1, ex)
		closeTo(t, "bounds of rows", e, e1, 1e-12)
	}
	if s, err := testDense(9, 5, false).Shape([]int{0, 9}); err != nil || !slices.Equal(s, []int{0, 5}) {
		t.Errorf("no rows: %v, %v", s, err)
	}
}
