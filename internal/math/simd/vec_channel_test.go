package simd

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"tattle/internal/must"
)

// testChannels are every kind of chain, with and without a mask.
func testChannels(n int) []Channel {
	var all []Channel
	for _, slope := range []float32{1, .1, 0} {
		mask := make([]uint64, MaskWords(n))
		DropoutMask(mask, 3, 5, .7)
		all = append(all, Channel{A: .75, B: -.5, Slope: slope}, Channel{A: -1.5, B: .25, Slope: slope, Scale: 1.25, Mask: mask})
	}
	return all
}

// apart is a channel by the other kernels, one pass each: the same to the bit.
type apart struct {
	Channel
	factors []float32 // of dropout
}

func newApart(c Channel, at, n int) apart {
	a := apart{c, make([]float32, n)}
	for i := range a.factors {
		a.factors[i] = c.factor(at + i)
	}
	return a
}

func (a apart) forward(x []float32) []float32 {
	y := make([]float32, len(x))
	ScaleShift(y, x, a.A, a.B)
	Rectify(y, y, y, a.Slope)
	Mul(y, y, a.factors)
	return y
}

func (a apart) pull(d, x []float32) []float32 {
	y, g := make([]float32, len(x)), make([]float32, len(x))
	ScaleShift(y, x, a.A, a.B)
	Mul(g, d, a.factors)
	Rectify(g, g, y, a.Slope)
	return g
}

// TestChannel wants what the kernels one by one give, at every length, alignment and
// place in the mask, with numbers that are none.
func TestChannel(t *testing.T) {
	r := rand.New(rand.NewPCG(31, 32))
	for _, n := range lengths() {
		for i, c := range testChannels(n + 70) {
			at, shift, stream := r.IntN(70), r.IntN(9), r.IntN(2) == 0
			name := fmt.Sprintf("%d elements from %d, channel %d", n, at, i)
			x, d, out := awkward[float32](r, n, true), awkward[float32](r, n, true), make([]float32, n+10)
			for i := range out {
				out[i] = 7
			}
			dst, one := out[shift:][:n], newApart(c, at, n)
			c.Forward(dst, x, at, stream)
			assertSame(t, name+": forward", dst, one.forward(x))
			g := one.pull(d, x)
			c.Combine(dst, d, x, 2, -.5, 3, at, stream)
			want := make([]float32, n)
			Combine(want, g, x, 2, -.5, 3)
			assertSame(t, name+": combine", dst, want)
			c.Combine(d, d, x, 2, -.5, 3, at, stream)
			assertSame(t, name+": combine in place", d, want)
			for i, v := range out {
				if (i < shift || i >= shift+n) && v != 7 {
					t.Fatalf("%s: wrote outside", name)
				}
			}
			x, d = awkward[float32](r, n, false), awkward[float32](r, n, false)
			sum, dot := c.Sums(d, x, at)
			wantSum, wantDot := DotAndSum(one.pull(d, x), x)
			if sum != wantSum || dot != wantDot {
				t.Fatalf("%s: sums %v and %v, want %v and %v", name, sum, dot, wantSum, wantDot)
			}
		}
	}
}

func TestChannelShapes(t *testing.T) {
	x := make([]float32, 64)
	short := Channel{A: 1, Mask: make([]uint64, MaskWords(64))}
	for i, f := range []func(){
		func() { short.Forward(x, x, 1, false) },
		func() { short.Forward(x, x, -1, false) },
		func() { short.Sums(x, x, math.MaxInt-64) },
		func() { short.Forward(x, x[1:], 0, false) },
		func() { short.Combine(x, x[1:], x, 1, 1, 1, 0, false) },
	} {
		must.Panic(t, f, i)
	}
}
