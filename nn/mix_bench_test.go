package nn

import (
	"math"
	"math/rand/v2"
	"testing"
	"time"

	"tattle/internal/simd"
)

// BenchmarkMatMul reports the speed of small products in GFLOP/s, and as a fraction of the speed of
// a large product, which is timed in turn with them.
func BenchmarkMatMul(b *testing.B) {
	for name, c := range map[string]struct {
		op   MatMul
		a, b []int
		k    int // vectors of jvp and vjp; 0 for forward
	}{
		"swin-qk":     {MatMul{TransB: true}, []int{64, 3, 49, 32}, []int{64, 3, 49, 32}, 0},
		"swin-av":     {MatMul{}, []int{64, 3, 49, 49}, []int{64, 3, 49, 32}, 0},
		"swin-qk-vjp": {MatMul{TransB: true}, []int{64, 3, 49, 32}, []int{64, 3, 49, 32}, -1},
		"swin-qk-jvp": {MatMul{TransB: true}, []int{64, 3, 49, 32}, []int{64, 3, 49, 32}, 2},
		"vit-qk":      {MatMul{TransB: true}, []int{12, 197, 64}, []int{12, 197, 64}, 0},
		"vit-av":      {MatMul{}, []int{12, 197, 197}, []int{12, 197, 64}, 0},
	} {
		b.Run(name, func(b *testing.B) { benchmarkMatMul(b, &c.op, c.a, c.b, c.k) })
	}
}

func benchmarkMatMul(b *testing.B, op *MatMul, x, y []int, k int) {
	r := rand.New(rand.NewPCG(1, 1))
	shape, _ := op.Shape(x, y)
	kern := op.kernel32(x, y).(*matmul[float32])
	f := &frame[float32]{batch: 1, x: [][]float32{randomSlice[float32](r, Size(x), 1), randomSlice[float32](r, Size(y), 1)}, y: make([]float32, Size(shape))}
	flops := 2 * float64(len(kern.a)*kern.m*kern.n*kern.k)
	run := func() { kern.forward(f) }
	n := max(k, -k, 1)
	dx := [][]float32{make([]float32, n*Size(x)), make([]float32, n*Size(y))}
	dy := randomSlice[float32](r, n*len(f.y), 1)
	switch {
	case k > 0:
		run, flops = func() { kern.jvp(f, dy, dx, n) }, 2*flops*float64(n)
	case k < 0:
		run, flops = func() { kern.vjp(f, dx, dy, n) }, 2*flops*float64(n)
	}
	const side = 768
	p, q, big := randomSlice[float32](r, side*side, 1), randomSlice[float32](r, side*side, 1), make([]float32, side*side)
	small, large := quickest(b, run, func() { simd.Gemm(false, false, side, side, side, 1, p, side, q, side, 0, big, side) })
	speed := flops / small.Seconds() / 1e9
	b.ReportMetric(speed, "GFLOP/s")
	b.ReportMetric(speed/(2*side*side*side/large.Seconds()/1e9), "of-peak")
}

// quickest runs both in turn and returns the least time of each.
func quickest(b *testing.B, f, g func()) (one, other time.Duration) {
	one, other = math.MaxInt64, math.MaxInt64
	for b.Loop() {
		one, other = min(one, timed(f)), min(other, timed(g))
	}
	return one, other
}

func timed(f func()) time.Duration {
	start := time.Now()
	f()
	return time.Since(start)
}

// BenchmarkLayerNorm reports the time of a pass over rows as a multiple of the time of a copy.
func BenchmarkLayerNorm(b *testing.B) {
	for name, in := range map[string][]int{"swin-96": {3136, 96}, "swin-768": {49, 768}, "vit-768": {197, 768}} {
		r := rand.New(rand.NewPCG(1, 1))
		op := &LayerNorm{}
		op.Scale, op.Shift = normParams(r, in[1])
		benchmarkRows(b, name, op, in)
	}
}

// BenchmarkSoftmax reports the time of a pass over rows as a multiple of the time of a copy.
func BenchmarkSoftmax(b *testing.B) {
	for name, in := range map[string][]int{"swin": {64 * 3 * 49, 49}, "vit": {12 * 197, 197}, "classes": {64, 1000}} {
		benchmarkRows(b, name, &Softmax{}, in)
	}
}

// BenchmarkReduce reports the time of a pass as a multiple of the time of a copy of the input.
func BenchmarkReduce(b *testing.B) {
	for _, f := range []string{"Mean", "Max", "L2"} {
		benchmarkRows(b, f+"/rows", &Reduce{Function: f, Axes: []int{1}}, []int{3136, 96})
		benchmarkRows(b, f+"/columns", &Reduce{Function: f, Axes: []int{0}}, []int{3136, 96})
		benchmarkRows(b, f+"/middle", &Reduce{Function: f, Axes: []int{1}}, []int{64, 49, 96})
	}
}

func benchmarkRows(b *testing.B, name string, op Op, in []int) {
	r := rand.New(rand.NewPCG(1, 1))
	n := Size(in)
	kern := op.kernel32(in)
	shape, _ := op.Shape(in)
	m := Size(shape)
	f := &frame[float32]{batch: 1, x: [][]float32{randomSlice[float32](r, n, 1)}, y: make([]float32, m)}
	kern.forward(f)
	d, out := randomSlice[float32](r, n, 1), make([]float32, n)
	duplicate := newPass(func(dst, d, _ []float32) { copy(dst, d) })
	for what, run := range map[string]func(){
		"forward": func() { kern.forward(f) },
		"jvp":     func() { kern.jvp(f, out[:m], [][]float32{d}, 1) },
		"vjp":     func() { kern.vjp(f, [][]float32{out}, d[:m], 1) },
		"shift":   func() { kern.shift(f, out[:m], [][]float32{d}, 1) },
	} {
		b.Run(name+"/"+what, func(b *testing.B) {
			own, plain := quickest(b, run, func() { duplicate.run(out, d, d, 1, 1) })
			b.ReportMetric(float64(own)/float64(plain), "copies")
			b.ReportMetric(float64(own.Nanoseconds())/float64(n), "ns/element")
		})
	}
}
