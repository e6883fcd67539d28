package nn

import (
	"math/rand/v2"
	"testing"
	"time"

	"tattle/internal/math/simd"
	"tattle/internal/must"
)

// yardstick measures the rate of a [1024, 784]×[784, 784] product between the
// iterations of a benchmark, so that both see the same machine.
type yardstick struct {
	a, c []float32
	w    simd.Packed[float32]
	work float64 // floating-point operations
	time time.Duration
}

func newYardstick() *yardstick {
	r := rand.New(rand.NewPCG(1, 1))
	y := &yardstick{a: randomSlice[float32](r, 1024*784, 1), c: make([]float32, 1024*784)}
	y.w.Pack(true, 784, 784, randomSlice[float32](r, 784*784, 1), 784)
	y.run()
	y.work, y.time = 0, 0
	return y
}

func (y *yardstick) run() {
	start := time.Now()
	simd.GemmPacked(false, 1024, 1, y.a, 784, &y.w, 0, y.c, 784)
	y.time += time.Since(start)
	y.work += 2 * 1024 * 784 * 784
}

// against runs f, of that many floating-point operations in matrix products, and
// reports its time as a multiple of what they take at the yardstick's rate.
func (y *yardstick) against(b *testing.B, work float64, examples int, f func()) {
	f()
	var spent time.Duration
	n := 0
	for b.Loop() {
		start := time.Now()
		f()
		spent += time.Since(start)
		n++
		b.StopTimer()
		y.run()
		b.StartTimer()
	}
	rate := y.work / y.time.Seconds()
	b.ReportMetric(spent.Seconds()*rate/(work*float64(n)), "x-gemm")
	b.ReportMetric(rate/1e9, "gemm-GFLOP/s")
	b.ReportMetric(float64(n*examples)/spent.Seconds(), "examples/s")
}

// products returns the multiply-adds per example of a graph's affine layers and
// convolutions, and those of the ones that read the input.
func products(t testing.TB, g *Graph) (all, first float64) {
	costs := must.Get(g.Costs())(t)
	for _, n := range g.Nodes {
		if all == 0 {
			first = float64(costs[n.Name])
		}
		all += float64(costs[n.Name])
	}
	return all, first
}

// BenchmarkTrainStep times steps with the batches of the papers.
func BenchmarkTrainStep(b *testing.B) {
	for _, c := range []struct {
		name  string
		batch int
	}{{"mnist", 32}, {"cifar10", 32}, {"curious", 100}} {
		b.Run(c.name, func(b *testing.B) {
			g := zooNet(c.name)
			step := TrainStep(g)
			p, n := mustNet(b, g).Dims()
			r := rand.New(rand.NewPCG(2, 2))
			x, y := randomSlice[float32](r, c.batch*p, 1), make([]int, c.batch)
			for i := range y {
				y[i] = r.IntN(n)
			}
			all, first := products(b, g)
			work := 2 * float64(c.batch) * (3*all - first)
			newYardstick().against(b, work, c.batch, func() { step(x, y) })
		})
	}
}

func BenchmarkProducts(b *testing.B) {
	const batch = 1024
	front, _ := must.Get2(zooNet("mnist").Cut("relu2"))(b)
	net := mustNet(b, front)
	r := rand.New(rand.NewPCG(3, 3))
	x, u, y := randomSlice[float32](r, batch*784, 1), randomSlice[float32](r, batch*784, 1), make([]float32, batch*784)
	lin := net.Linearize(x)
	work := 2.0 * batch * 2 * 784 * 784
	for _, c := range []struct {
		name string
		f    func()
	}{
		{"forward", func() { net.Forward(y, x) }},
		{"linearize", func() { net.Linearize(x) }},
		{"jvp", func() { lin.JVP(y, u) }},
		{"vjp", func() { lin.VJP(y, u) }},
	} {
		b.Run("mnist/"+c.name, func(b *testing.B) { newYardstick().against(b, work, batch, c.f) })
	}
}
