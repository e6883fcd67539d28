package nn

import (
	"math/rand/v2"
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
