package nn

import (
	"fmt"
	"math"
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

func TestLayerNorm(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 9))
	for _, c := range []struct {
		in              []int
		axes            int
		scaled, shifted bool
	}{
		{[]int{7}, 0, true, true},
		{[]int{5, 19}, 1, true, true},
		{[]int{3, 2, 8}, 1, true, false},
		{[]int{3, 4, 5}, 2, false, true},
		{[]int{33}, 1, false, false},
	} {
		t.Run(fmt.Sprint(c), func(t *testing.T) {
			op := &LayerNorm{Axes: c.axes}
			last := c.in[len(c.in)-op.axes():]
			scale, shift := normParams(r, last...)
			if c.scaled {
				op.Scale = scale
			}
			if c.shifted {
				op.Shift = shift
			}
			testOperator(t, op, c.in)
			testExact(t, op, 200, itself, c.in)
		})
	}
}

func TestGroupNorm(t *testing.T) {
	r := rand.New(rand.NewPCG(4, 9))
	for _, c := range []struct {
		in     []int
		groups int
	}{
		{[]int{6, 3, 5}, 2}, {[]int{4, 9}, 4}, {[]int{4, 2, 3}, 0}, {[]int{8}, 2}, {[]int{6, 2, 2, 2}, 3},
	} {
		t.Run(fmt.Sprint(c), func(t *testing.T) {
			op := &GroupNorm{Groups: c.groups, Epsilon: .01}
			op.Scale, op.Shift = normParams(r, c.in[0])
			testOperator(t, op, c.in)
			testExact(t, op, 200, itself, c.in)
		})
	}
}

// TestLayerNormFlat holds rows whose variance is nothing beside ε, or within the reach
// of their errors: the bounds stay finite, and hold.
func TestLayerNormFlat(t *testing.T) {
	for _, size := range []float64{0, 1e-9, 1e-4} {
		draw := func(v float64) float64 { return 3 + size*v }
		testExact(t, &LayerNorm{}, 1e9, draw, []int{4, 6})
		testExact(t, &LayerNorm{Epsilon: 1e-12}, 1e9, draw, []int{4, 6})
	}
}

// TestLayerNormOffset holds float32 rows far from 0 to their float64 values: the
// statistics are summed in float64.
func TestLayerNormOffset(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	op := &LayerNorm{}
	c := opCase{op, [][]int{{4, 96}}, 4 * 96}
	x := inputs[float32](c, r, 1, 1)
	for i := range x[0] {
		x[0][i] += 1000
	}
	got := forwardFrame(op.kernel32(c.in...), c, x, false).y
	want := forwardFrame(op.kernel64(c.in...), c, [][]float64{wide(x[0])}, false).y
	closeTo(t, "offset of 1000", wide(got), want, 3e-5)
}

// TestNormPyTorch compares with torch.nn.functional (1.13.1) in float64.
func TestNormPyTorch(t *testing.T) {
	x := make([]float64, 12)
	for i := range x {
		x[i] = math.Sin(float64(i*i)) * float64(1+i%3)
	}
	scale := &Param{Name: "scale", Shape: []int{6}, Data: []float32{1, 2, -1, .5, 3, -.25}}
	shift := &Param{Name: "shift", Shape: []int{6}, Data: []float32{0, 1, -1, 2, .5, .125}}
	for _, c := range []struct {
		op   Op
		in   []int
		want []float64
	}{
		{&LayerNorm{Scale: scale, Shift: shift}, []int{2, 6}, []float64{0.1614818485715696, 4.1631915701240825, 0.7543520723144468, 2.254619529414033, -0.4732001238548541, 0.16839114471556957, -0.6181276567999289, -1.184217902679774, -2.323838766258056, 1.7845937794599516, -1.3869179898677169, -0.2365457365627739}},
		{&LayerNorm{Axes: 2, Epsilon: .5}, []int{3, 2, 2}, []float64{0.027520260529462708, 1.08405372284509, -1.3978179420218704, 0.2862439586473177, 0.42776510024143793, 0.6227109921919034, -0.025893350389074924, -1.0245827420442666, 0.8715932146261236, -0.8347293013412938, -1.027431558924161, 0.990567645639331}},
		{&GroupNorm{Groups: 3, Scale: scale, Shift: shift}, []int{6, 2}, []float64{0.03071212724224733, 1.2097849087513828, -2.1198805295401852, 1.638886457552925, -1.6719109469648632, -1.9781217126243715, 1.9796640427536087, 1.1953196274517741, 3.2979972894590492, -2.1796563848731267, 0.399855925594414, -0.1399941835455872}},
		{&GroupNorm{Groups: 6, Scale: scale, Shift: shift}, []int{6, 2}, []float64{-0.9999929386601574, 0.9999929386601573, -0.9999944413374503, 2.99999444133745, -0.0006253507082097573, -1.9993746492917897, 2.4999880751494765, 1.500011924850523, 3.4999947789313466, -2.4999947789313466, 0.37499968892956054, -0.12499968892956051}},
		{&LogSoftmax{}, []int{3, 4}, []float64{-2.078772311159318, -0.3958303415435253, -4.349179797083103, -1.6666538259175618, -1.1376568353926446, -0.9589054523558332, -1.5536290555056298, -2.469355507581458, -0.8430045148679974, -4.2329706237328235, -4.615813911677887, -0.606636955287631}},
	} {
		f := &frame[float64]{batch: 1, x: [][]float64{x}, y: make([]float64, 12)}
		c.op.kernel64(c.in).forward(f)
		closeTo(t, c.op.Kind(), f.y, c.want, 1e-12)
	}
}
