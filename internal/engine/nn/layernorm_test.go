package nn

import (
	"math/rand/v2"
	"testing"
)

func normParams(r *rand.Rand, shape ...int) (scale, shift *Param) {
	scale, shift = testParam(r, "scale", shape...), testParam(r, "shift", shape...)
	for i := range scale.Data {
		scale.Data[i] += 1
	}
	return scale, shift
}

// TestLayerNormOffset holds float32 rows far from 0 to their float64 values: the
// statistics are summed in float64.
func TestLayerNormOffset(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	op := &LayerNorm{}
	c := opCase{op: op, in: [][]int{{4, 96}}, out: 4 * 96}
	x := inputs[float32](c, r, 1, 1)
	for i := range x[0] {
		x[0][i] += 1000
	}
	got := forwardFrame(op.kernel32(c.in...), c, x, false).y
	want := forwardFrame(op.kernel64(c.in...), c, [][]float64{wide(x[0])}, false).y
	closeTo(t, "offset of 1000", wide(got), want, 3e-5)
}
