package nn

import (
	"fmt"
	"math"
	"testing"
)

func TestLogSoftmax(t *testing.T) {
	for _, in := range [][]int{{2}, {7}, {3, 5}, {2, 2, 4}} {
		t.Run(fmt.Sprint(in), func(t *testing.T) {
			op := &LogSoftmax{}
			testOperator(t, op, in)
			testExact(t, op, 1000, itself, in)
			testExact(t, op, math.Inf(1), func(v float64) float64 { return 100 * v }, in)
		})
	}
}

// TestLastDimensionEmpty holds operators over a last dimension without entries.
func TestLastDimensionEmpty(t *testing.T) {
	for _, op := range []Op{&LogSoftmax{}, &Softmax{}, &Hardmax{}, &LayerNorm{}} {
		in := []int{3, 0}
		k := op.kernel64(in)
		f := &frame[float64]{batch: 2, x: [][]float64{nil}}
		k.forward(f)
		k.jvp(f, nil, [][]float64{nil}, 1)
		k.vjp(f, [][]float64{{}}, nil, 1)
		k.shift(f, nil, [][]float64{nil}, 1)
		boundRounding(k, f, nil, [][]float64{nil})
	}
}
