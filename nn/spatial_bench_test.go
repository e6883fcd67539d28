package nn

import (
	"math/rand/v2"
	"testing"
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
		{"resnet3x3", 16, convCase{in: 32, out: 32, kernel: [2]int{3, 3}, pad: [4]int{1, 1, 1, 1}, height: 16, width: 16}},
		{"depthwise", 16, convCase{in: 64, out: 64, groups: 64, kernel: [2]int{3, 3}, pad: [4]int{1, 1, 1, 1}, height: 28, width: 28}},
	} {
		op := c.conv.op()
		out, err := op.Shape(c.conv.shape())
		if err != nil {
			b.Fatal(err)
		}
		r := rand.New(rand.NewPCG(1, 1))
		x, y := randomSlice[float32](r, c.batch*Size(c.conv.shape()), 1), make([]float32, c.batch*Size(out))
		dx, dy := make([]float32, len(x)), randomSlice[float32](r, len(y), 1)
		for _, p := range op.Params() {
			p.Grad = make([]float32, len(p.Data))
		}
		k := op.kernel32(c.conv.shape())
		f := &frame[float32]{batch: c.batch, x: [][]float32{x}, y: y, train: true}
		work := 2 * float64(len(y)) * float64(Size(op.Weight.Shape[1:]))
		for _, p := range []struct {
			name string
			f    func()
		}{
			{"forward", func() { k.forward(f) }},
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
		out, err := op.Shape(c.in)
		if err != nil {
			b.Fatal(err)
		}
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

// BenchmarkBatchNorm times the first batch norm of paper B's classifier in
// training, alone and joined with what follows it.
func BenchmarkBatchNorm(b *testing.B) {
	const batch = 100
	shape := []int{128, 32, 32}
	op := testBatchNorm(shape[0])
	for _, p := range op.Params() {
		p.Grad = make([]float32, len(p.Data))
	}
	joined := &normChain{batchNorm: newBatchNorm[float32](op, shape)}
	joined.extend(newLeaky[float32](curiousSlope))
	joined.extend(newDropout(curiousDropout))
	joined.bind()
	r := rand.New(rand.NewPCG(1, 1))
	x, dy := randomSlice[float32](r, batch*Size(shape), 1), randomSlice[float32](r, batch*Size(shape), 1)
	y, dx := make([]float32, len(x)), make([]float32, len(x))
	for _, c := range []struct {
		name string
		k    kernel[float32]
	}{{"alone", op.kernel32(shape)}, {"leaky+dropout", joined}} {
		f := &frame[float32]{batch: batch, x: [][]float32{x}, y: y, train: true, seed: 1}
		report := func(b *testing.B) { b.ReportMetric(1e-9*float64(len(x)*b.N)/b.Elapsed().Seconds(), "Gelements/s") }
		b.Run(c.name+"/forward", func(b *testing.B) {
			for b.Loop() {
				c.k.forward(f)
			}
			report(b)
		})
		b.Run(c.name+"/backward", func(b *testing.B) {
			c.k.forward(f)
			for b.Loop() {
				c.k.(jointLearner).overwriteGradVJP(f, dx, dy)
			}
			report(b)
		})
	}
}
