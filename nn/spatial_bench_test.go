package nn

import (
	"math/rand/v2"
	"testing"
	"time"

	"tattle/internal/must"
	"tattle/internal/simd"
)

// BenchmarkConv times each product of the convolutions of the built-in nets, at
// their batch sizes, and of two common layers.
func BenchmarkConv(b *testing.B) {
	for _, c := range []struct {
		name  string
		batch int
		conv  convCase
	}{
		{"cifar1", 32, convCase{in: 3, out: 32, kernel: [2]int{3, 3}, height: 32, width: 32}},
		{"cifar2", 32, convCase{in: 32, out: 1024, kernel: [2]int{5, 5}, height: 15, width: 15}},
		{"cifar3", 32, convCase{in: 1024, out: 3072, kernel: [2]int{3, 3}, height: 3, width: 3}},
		{"curious1", 100, convCase{in: 3, out: 128, kernel: [2]int{2, 2}, stride: [2]int{2, 2}, height: 64, width: 64}},
		{"curious2", 100, convCase{in: 128, out: 128, kernel: [2]int{2, 2}, stride: [2]int{2, 2}, height: 32, width: 32}},
		{"curious3", 100, convCase{in: 128, out: 64, kernel: [2]int{2, 2}, stride: [2]int{2, 2}, height: 16, width: 16}},
		{"resnetstem", 8, convCase{in: 3, out: 64, kernel: [2]int{7, 7}, stride: [2]int{2, 2}, pad: [4]int{3, 3, 3, 3}, height: 224, width: 224}},
		{"resnet3x3s2", 8, convCase{in: 128, out: 256, kernel: [2]int{3, 3}, stride: [2]int{2, 2}, pad: [4]int{1, 1, 1, 1}, height: 28, width: 28}},
		{"resnet3x3", 16, convCase{in: 32, out: 32, kernel: [2]int{3, 3}, pad: [4]int{1, 1, 1, 1}, height: 16, width: 16}},
		{"pointwise", 8, convCase{in: 256, out: 64, kernel: [2]int{1, 1}, height: 56, width: 56}},
		{"depthwise", 16, convCase{in: 64, out: 64, groups: 64, kernel: [2]int{3, 3}, pad: [4]int{1, 1, 1, 1}, height: 28, width: 28}},
		{"depthwise3s2", 8, convCase{in: 96, out: 96, groups: 96, kernel: [2]int{3, 3}, stride: [2]int{2, 2}, pad: [4]int{1, 1, 1, 1}, height: 112, width: 112}},
		{"depthwise5", 8, convCase{in: 480, out: 480, groups: 480, kernel: [2]int{5, 5}, pad: [4]int{2, 2, 2, 2}, height: 14, width: 14}},
		{"depthwise7", 8, convCase{in: 192, out: 192, groups: 192, kernel: [2]int{7, 7}, pad: [4]int{3, 3, 3, 3}, height: 28, width: 28}},
	} {
		op := c.conv.op()
		out := must.Get(op.Shape(c.conv.shape()))(b)
		r := rand.New(rand.NewPCG(1, 1))
		x, y := randomSlice[float32](r, c.batch*Size(c.conv.shape()), 1), make([]float32, c.batch*Size(out))
		dx, dy := make([]float32, len(x)), randomSlice[float32](r, len(y), 1)
		for _, p := range paramsOf(op) {
			p.Grad = make([]float32, len(p.Data))
		}
		k := op.kernel32(c.conv.shape())
		f := &frame[float32]{batch: c.batch, x: [][]float32{x}, y: y, train: true}
		inference := &frame[float32]{batch: c.batch, x: f.x, y: y}
		work := 2 * float64(len(y)) * float64(Size(op.Weight.Shape[1:]))
		for _, p := range []struct {
			name string
			f    func()
		}{
			{"forward", func() { k.forward(f) }},
			{"inference", func() { k.forward(inference) }},
			{"vjp", func() { k.vjp(f, [][]float32{dx}, dy, 1) }},
			{"grad", func() { k.(overwriter).overwriteGrad(f, dy) }},
		} {
			b.Run(c.name+"/"+p.name, func(b *testing.B) { newYardstick().against(b, work, c.batch, p.f) })
		}
	}
}

// BenchmarkPool times the pools of paper A's CIFAR-10 net.
func BenchmarkPool(b *testing.B) {
	for _, c := range []struct {
		name string
		size int
		in   []int
	}{
		{"max2", 2, []int{32, 30, 30}},
		{"max3", 3, []int{1024, 11, 11}},
	} {
		const batch = 32
		op := &MaxPool{Kernel: [2]int{c.size, c.size}, Stride: [2]int{c.size, c.size}}
		out := must.Get(op.Shape(c.in))(b)
		r := rand.New(rand.NewPCG(1, 1))
		x := randomSlice[float32](r, batch*Size(c.in), 1)
		for i, v := range x {
			x[i] = max(v, 0) // it follows a ReLU
		}
		k := op.kernel32(c.in)
		f := &frame[float32]{batch: batch, x: [][]float32{x}, y: make([]float32, batch*Size(out))}
		dx := make([]float32, len(x))
		b.Run(c.name+"/forward", func(b *testing.B) {
			for b.Loop() {
				k.forward(f)
			}
			b.ReportMetric(4e-9*float64(len(x)*b.N)/b.Elapsed().Seconds(), "GB/s")
		})
		b.Run(c.name+"/vjp", func(b *testing.B) {
			for b.Loop() {
				k.vjp(f, [][]float32{dx}, f.y, 1)
			}
			b.ReportMetric(4e-9*float64(len(x)*b.N)/b.Elapsed().Seconds(), "GB/s")
		})
	}
}

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
	joined.extend(newLeaky[float32](.01))
	joined.extend(newDropout(.2))
	r := rand.New(rand.NewPCG(1, 1))
	x, dy := randomSlice[float32](r, batch*Size(shape), 1), randomSlice[float32](r, batch*Size(shape), 1)
	y, dx := make([]float32, len(x)), make([]float32, len(x))
	c := &copier{to: make([]float32, len(x)), from: randomSlice[float32](r, len(x), 1)}
	for _, k := range []struct {
		name string
		k    kernel[float32]
	}{{"alone", op.kernel32(shape)}, {"leaky+dropout", joined}} {
		f := &frame[float32]{batch: batch, x: [][]float32{x}, y: y, train: true, seed: 1}
		b.Run(k.name+"/forward", func(b *testing.B) { c.against(b, 2, func() { k.k.forward(f) }) })
		b.Run(k.name+"/backward", func(b *testing.B) {
			k.k.forward(f)
			c.against(b, 3, func() { k.k.(jointLearner).overwriteGradVJP(f, dx, dy) })
		})
	}
}
