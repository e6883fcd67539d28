package nn

import (
	"fmt"
	"testing"
	"time"

	"tattle/internal/simd"
)

// copied measures f, on n elements, and copies of as many between its iterations, and
// reports the elements a second and the time as a multiple of the copy's.
func copied(b *testing.B, n int, f func()) {
	from, to := make([]float32, n), make([]float32, n)
	plain := func(lo, hi int) { copy(to[lo:hi], from[lo:hi]) }
	f()
	simd.Parallel(n, grain, plain)
	var spent, yard time.Duration
	rounds := 0
	for b.Loop() {
		start := time.Now()
		f()
		middle := time.Now()
		simd.Parallel(n, grain, plain)
		spent += middle.Sub(start)
		yard += time.Since(middle)
		rounds++
	}
	b.ReportMetric(float64(n*rounds)/spent.Seconds()/1e9, "Gelements/s")
	b.ReportMetric(spent.Seconds()/yard.Seconds(), "x-copy")
}

// benchmarkOperator measures one input's forward pass and products of an operator.
func benchmarkOperator(b *testing.B, name string, op Op, batch int, in []int) {
	n := batch * Size(in)
	x, y, d := make([]float32, n), make([]float32, n), make([]float32, n)
	for i := range x {
		x[i], d[i] = float32(i%17)/4-2, 1
	}
	k := op.kernel32(in)
	f := &frame[float32]{batch: batch, x: [][]float32{x}, y: y}
	dx := [][]float32{d}
	out := make([]float32, n)
	b.Run(name+"/forward", func(b *testing.B) { copied(b, n, func() { k.forward(f) }) })
	b.Run(name+"/jvp", func(b *testing.B) { copied(b, n, func() { k.jvp(f, out, dx, 1) }) })
	b.Run(name+"/vjp", func(b *testing.B) { copied(b, n, func() { k.vjp(f, [][]float32{out}, d, 1) }) })
}

func BenchmarkUnary(b *testing.B) {
	for _, op := range unaryCases() {
		if !isStep(op) {
			benchmarkOperator(b, op.Function, op, 8, []int{96, 56 * 56})
		}
	}
}

func BenchmarkArithmetic(b *testing.B) {
	in := []int{96, 56, 56}
	for _, shape := range [][]int{{}, {96, 1, 1}, {56}, in} {
		c := &Param{Shape: shape, Data: make([]float32, Size(shape))}
		for i := range c.Data {
			c.Data[i] = 2
		}
		for _, o := range []string{"Add", "Sub", "Mul", "Div", "Pow"} {
			benchmarkOperator(b, fmt.Sprint(o, shape), &Binary{Operator: o, Constant: c}, 8, in)
		}
	}
}
