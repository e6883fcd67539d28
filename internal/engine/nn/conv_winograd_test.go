package nn

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"tattle/internal/math/simd"
)

// winogradCases have enough channels for transformed tiles, sides that are no
// multiples of theirs, all paddings, and several blocks.
var winogradCases = []convCase{
	{in: 17, out: 20, kernel: [2]int{3, 3}, pad: [4]int{1, 1, 1, 1}, height: 7, width: 9},
	{in: 16, out: 19, kernel: [2]int{3, 3}, pad: [4]int{0, 2, 3, 1}, height: 8, width: 6, noBias: true},
	{in: 40, out: 16, kernel: [2]int{3, 3}, height: 10, width: 14},
	{in: 16, out: 31, kernel: [2]int{3, 3}, pad: [4]int{2, 1, 0, 4}, height: 21, width: 23},
	{in: 400, out: 18, kernel: [2]int{3, 3}, pad: [4]int{1, 1, 1, 1}, height: 4, width: 4},  // summed in two parts
	{in: 130, out: 250, kernel: [2]int{3, 3}, pad: [4]int{1, 1, 1, 1}, height: 5, width: 8}, // cores share tiles
	{in: 130, out: 250, kernel: [2]int{3, 3}, pad: [4]int{1, 1, 1, 1}, height: 7, width: 7}, // one image has few tiles
}

// winogradKernel returns a case's kernel, which is by transformed tiles.
func winogradKernel(t *testing.T, c convCase) *conv[float32] {
	t.Helper()
	k := c.op().kernel32(c.shape()).(*conv[float32])
	if !simd.HasWinograd() {
		t.Skip("no AVX2: no transformed tiles")
	}
	if k.quick == nil {
		t.Fatal("the convolution does not go by transformed tiles")
	}
	return k
}

// TestWinogradConv compares with the direct sums in float64: the error stays below
// 10⁻⁵ of the largest output, forward and back.
func TestWinogradConv(t *testing.T) {
	for _, c := range winogradCases {
		t.Run(c.String(), func(t *testing.T) {
			const n = 3
			k, direct := winogradKernel(t, c), c.op().kernel64(c.shape())
			r := rand.New(rand.NewPCG(1, 1))
			x := randomSlice[float32](r, n*Size(c.shape()), 1)
			f := &frame[float32]{batch: n, x: [][]float32{x}, y: make([]float32, n*k.op.OutChannels*k.outHW)}
			g := &frame[float64]{batch: n, x: [][]float64{wide(x)}, y: make([]float64, len(f.y))}
			k.forward(f)
			direct.forward(g)
			closeTo(t, "forward", wide(f.y), g.y, 1e-5)
			u := randomSlice[float32](r, len(f.y), 1)
			dx, want := make([]float32, len(x)), make([]float64, len(x))
			k.vjp(f, [][]float32{dx}, u, 1)
			direct.vjp(g, [][]float64{want}, wide(u), 1)
			closeTo(t, "adjoint", wide(dx), want, 1e-5)
			testAdjoint(t, opCase{op: k.op, in: [][]int{c.shape()}, out: len(f.y) / n}, kernel[float32](k), 2e-6)
		})
	}
}

// fusedCases have each way of computing.
var fusedCases = []convCase{
	{in: 16, out: 18, kernel: [2]int{3, 3}, pad: [4]int{1, 1, 1, 1}, height: 6, width: 5},
	{in: 3, out: 4, kernel: [2]int{3, 3}, stride: [2]int{2, 2}, height: 7, width: 9},
	{in: 4, out: 4, groups: 2, kernel: [2]int{3, 3}, pad: [4]int{1, 1, 1, 1}, height: 4, width: 5, noBias: true},
	{in: 6, out: 6, groups: 6, kernel: [2]int{3, 3}, pad: [4]int{1, 1, 1, 1}, height: 19, width: 17},
}

// TestFusedConv compares a convolution that adds and rectifies with the operators one
// after the other: outputs, products of several vectors, shifts and which outputs are
// active.
func TestFusedConv(t *testing.T) {
	for _, c := range fusedCases {
		for _, sum := range []bool{false, true} {
			for _, then := range []*rectifier[float32]{nil, newRectifier[float32](0), newRectifier[float32](.1)} {
				t.Run(fmt.Sprint(c, sum, then != nil), func(t *testing.T) { testFused(t, c, sum, then) })
			}
		}
	}
}

func testFused(t *testing.T, c convCase, sum bool, then *rectifier[float32]) {
	const n, k = 3, 2
	op := c.op()
	fused, plain := op.kernel32(c.shape()).(*conv[float32]), op.kernel32(c.shape())
	if sum && !fused.fuseAdd() || then != nil && !fused.fuse(then) {
		t.Fatal("does not fuse")
	}
	r := rand.New(rand.NewPCG(3, 3))
	outs := op.OutChannels * fused.outHW
	draw := func(rows int, scale float64) [][]float32 {
		return [][]float32{randomSlice[float32](r, rows*Size(c.shape()), scale), randomSlice[float32](r, rows*outs, scale)}
	}
	inputs := func(x [][]float32) [][]float32 {
		if sum {
			return x
		}
		return x[:1]
	}
	add := func(y []float32, x [][]float32) {
		for i := range y {
			if sum {
				y[i] += x[1][i]
			}
		}
	}
	x := draw(n, 1)
	f := &frame[float32]{batch: n, x: inputs(x), y: make([]float32, n*outs)}
	g := &frame[float32]{batch: n, x: x[:1], y: make([]float32, n*outs)}
	fused.forward(f)
	plain.forward(g)
	add(g.y, x)
	end := &frame[float32]{batch: n, x: [][]float32{g.y}, y: slices.Clone(g.y)}
	if then != nil {
		then.forward(end)
	}
	closeTo(t, "forward", f.y, end.y, 0)
	v, jv, tangents := draw(n*k, 1), make([]float32, n*k*outs), make([]float32, n*k*outs)
	fused.jvp(f, jv, inputs(v), k)
	plain.jvp(g, tangents, v[:1], k)
	add(tangents, v)
	if then != nil {
		then.jvp(end, tangents, [][]float32{tangents}, k)
	}
	closeTo(t, "jvp", jv, tangents, 0)
	u, want := randomSlice[float32](r, n*k*outs, 1), draw(n*k, 1)
	got := draw(n*k, 1)
	copy(want[1], u)
	if then != nil {
		then.vjp(end, want[1:], u, k)
	}
	plain.vjp(g, want[:1], want[1], k)
	fused.vjp(f, inputs(got), u, k)
	sameArrays(t, "vjp", inputs(got), inputs(want))
	if sum {
		clear(got[0])
		fused.vjp(f, [][]float32{got[0], nil}, u, k)
		sameArrays(t, "vjp of one input", got[:1], want[:1])
	}
	active, wanted := make([]bool, n*outs), make([]bool, n*outs)
	fused.active(f, active)
	for i := range wanted {
		wanted[i] = true
	}
	if then != nil {
		then.active(end, wanted)
	}
	if !slices.Equal(active, wanted) {
		t.Error("other outputs are active")
	}
}
