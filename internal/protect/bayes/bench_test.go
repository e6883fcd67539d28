package bayes

import (
	"context"
	"testing"

	"tattle/internal/must"
	"tattle/internal/protect/release"
)

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
