package nn

import (
	"math/rand/v2"
	"testing"
	"time"

	"tattle/internal/math/simd"
)

// copier measures the rate of a copy between two tensors that fit no cache, by all
// cores, between the iterations of a benchmark.
type copier struct {
	to, from []float32
	time     time.Duration
	copies   int
}

func (c *copier) run() {
	start := time.Now()
	simd.Parallel(len(c.from), 1<<14, func(lo, hi int) { copy(c.to[lo:hi], c.from[lo:hi]) })
	c.time += time.Since(start)
	c.copies++
}

// against runs f, which has to read and write at least that many tensors as large
// as c's, and reports its time as a multiple of what moving as many bytes by copies
// takes.
func (c *copier) against(b *testing.B, tensors int, f func()) {
	f()
	c.run()
	c.time, c.copies = 0, 0
	var spent time.Duration
	for b.Loop() {
		start := time.Now()
		f()
		spent += time.Since(start)
		b.StopTimer()
		c.run()
		b.StartTimer()
	}
	moved := 4e-9 * float64(len(c.from)*c.copies) // gigabytes of one tensor, all iterations
	b.ReportMetric(spent.Seconds()/c.time.Seconds()*2/float64(tensors), "x-copy")
	b.ReportMetric(moved*2/c.time.Seconds(), "copy-GB/s")
	b.ReportMetric(moved*float64(tensors)/spent.Seconds(), "GB/s")
}

// BenchmarkBatchNorm times the first batch norm of paper B's classifier in
// training, alone and joined with what follows it, against copies: forward has to
// read its input and write its output, backward to read the input and the
// output's cotangent and write the input's.
func BenchmarkBatchNorm(b *testing.B) {
	const batch = 100
	shape := []int{128, 32, 32}
	op := testBatchNorm(shape[0])
	for _, p := range paramsOf(op) {
		p.Grad = make([]float32, len(p.Data))
	}
	joined := newNormChain(newBatchNorm[float32](op, shape))
	joined.extend(newRectifier[float32](.01))
	joined.extend(newDropout(.2))
	r := rand.New(rand.NewPCG(1, 1))
	x, dy := randomSlice[float32](r, batch*Size(shape), 1), randomSlice[float32](r, batch*Size(shape), 1)
	y, dx := make([]float32, len(x)), make([]float32, len(x))
	c := &copier{to: make([]float32, len(x)), from: randomSlice[float32](r, len(x), 1)}
	for _, k := range []struct {
		name string
		k    kernel[float32]
	}{{"alone", newNormChain(newBatchNorm[float32](op, shape))}, {"leaky+dropout", joined}} {
		f := &frame[float32]{batch: batch, x: [][]float32{x}, y: y, train: true, seed: 1}
		b.Run(k.name+"/forward", func(b *testing.B) { c.against(b, 2, func() { k.k.forward(f) }) })
		b.Run(k.name+"/backward", func(b *testing.B) {
			k.k.forward(f)
			c.against(b, 3, func() { k.k.(jointLearner).gradVJP(f, dx, dy, 0) })
		})
	}
}
