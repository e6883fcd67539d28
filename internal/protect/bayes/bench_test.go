package bayes

import (
	"context"
	"math/rand/v2"
	"testing"

	"tattle/internal/engine/nn"
	"tattle/internal/engine/nn/zoo"
	"tattle/internal/must"
	"tattle/internal/protect/release"
)

// rows are vectors in memory.
type rows []float32

func (r rows) Len() int      { return len(r) / 128 }
func (r rows) Label(int) int { return -1 }
func (r rows) Examples(x []float32, indices []int) {
	for k, i := range indices {
		copy(x[128*k:128*(k+1)], r[128*i:])
	}
}

// BenchmarkMillion is 2,000 draws against a list of a million vectors of 128 numbers, with three shorter lists.
func BenchmarkMillion(b *testing.B) {
	const count, dim = 1000000, 128
	values, random := make(rows, count*dim), rand.New(rand.NewPCG(1, 2))
	for i := range values {
		values[i] = float32(random.NormFloat64())
	}
	front := must.Get(nn.NewNet(zoo.Vectors(dim)))(b)
	list := Inputs{Front: front, Data: values, Indices: nn.Indices(count)}
	noise := must.Get(release.NewGaussian(2))(b)
	for b.Loop() {
		must.Get(Run(b.Context(), list, noise, nil, Options{Draws: 2000, Among: []int{1000, 10000, 100000}}))(b)
	}
	b.ReportMetric(2*2000*count*dim*float64(b.N)/b.Elapsed().Seconds()/1e9, "GFLOP/s")
}

// BenchmarkRun is 10,000 draws against a list of 784 features.
func BenchmarkRun(b *testing.B) {
	for _, size := range []struct {
		name  string
		count int
	}{{"6000", 6000}, {"60000", 60000}} {
		b.Run(size.name, func(b *testing.B) {
			const dim = 784
			list := table{dim, normal(size.count*dim, 1)}
			noise := must.Get(release.NewGaussian(10))(b)
			for b.Loop() {
				must.Get(Run(context.Background(), list, noise, nil, Options{}))(b)
			}
			flops := 2 * float64(DefaultDraws) * float64(size.count) * dim * float64(b.N)
			b.ReportMetric(flops/b.Elapsed().Seconds()/1e9, "GFLOP/s")
		})
	}
}
