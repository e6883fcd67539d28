package nn

import (
	"math/rand/v2"
	"testing"

	"tattle/internal/must"
)

func testDense(in, out int, bias bool) *Dense {
	r := rand.New(rand.NewPCG(uint64(in), uint64(out)))
	d := &Dense{In: in, Out: out, Weight: testParam(r, "weight", out, in)}
	if bias {
		d.Bias = testParam(r, "bias", out)
	}
	return d
}

func TestOperators(t *testing.T) {
	for name, c := range map[string]struct {
		op Op
		in [][]int
	}{
		"dense":        {testDense(7, 5, true), [][]int{{7}}},
		"dense wide":   {testDense(130, 67, true), [][]int{{130}}},
		"dense nobias": {testDense(4, 9, false), [][]int{{4}}},
		"relu":         {&ReLU{}, [][]int{{3, 5, 5}}},
		"relu long":    {&ReLU{}, [][]int{{20011}}},
		"leaky":        {&LeakyReLU{Slope: .01}, [][]int{{37}}},
		"leaky < 0":    {&LeakyReLU{Slope: -.5}, [][]int{{37}}},
		"softmax":      {&Softmax{}, [][]int{{10}}},
		"softmax rows": {&Softmax{}, [][]int{{4, 3}}},
		"add":          {&Binary{Operator: "Add"}, [][]int{{2, 3}, {2, 3}}},
		"flatten":      {&Flatten{}, [][]int{{2, 3, 4}}},
		"identity":     {&Identity{}, [][]int{{2, 3, 4}}},
		"dropout":      {&Dropout{P: .3}, [][]int{{50}}},
	} {
		t.Run(name, func(t *testing.T) { testOperator(t, c.op, c.in...) })
	}
}

// TestShift32 holds float32 shifts of all sizes to the float64 ones, of which they keep
// all but the last digits.
func TestShift32(t *testing.T) {
	const k = 2
	r := rand.New(rand.NewPCG(31, 32))
	scale, shift := normParams(r, 19)
	gains, moves := normParams(r, 6)
	for _, op := range []Op{
		&LayerNorm{Scale: scale, Shift: shift}, &Softmax{}, &LogSoftmax{}, &Reduce{Function: "LogSumExp", Axes: []int{1}},
		&GroupNorm{Groups: 3, Scale: gains, Shift: moves}, &Reduce{Function: "L2", Axes: []int{0}},
	} {
		in := []int{6, 19}
		shape := must.Get(op.Shape(in))(t)
		c := opCase{op, [][]int{in}, Size(shape)}
		x := inputs[float32](c, r, 1, 1)
		narrowKernel, wideKernel := op.kernel32(in), op.kernel64(in)
		f := forwardFrame(narrowKernel, c, x, false)
		g := forwardFrame(wideKernel, c, [][]float64{wide(x[0])}, false)
		for _, size := range []float64{1e-12, 1e-6, 1e-2, 1, 30} {
			d := inputs[float32](c, r, k, size)
			got, want := make([]float32, testBatch*k*c.out), make([]float64, testBatch*k*c.out)
			narrowKernel.shift(f, got, d, k)
			wideKernel.shift(g, want, [][]float64{wide(d[0])}, k)
			closeTo(t, op.Kind(), wide(got), want, 2e-6)
		}
	}
}
