package bound

import (
	"context"
	"path/filepath"
	"strconv"
	"testing"
)

// BenchmarkRun is paper A's Figure 1 on 100 of its 10,000 images: both sizes, 25
// restarts, 10 repeats, certificates and Cramér-Rao figures, arrays written.
func BenchmarkRun(b *testing.B) {
	o := loadOracle(b)
	e := o.experiment(Direct)
	e.Sizes = []float64{1. / 200, 1. / 1000}
	dir, n := b.TempDir(), 0
	for b.Loop() {
		n++
		_, err := Run(context.Background(), o.net, o.data, upTo(100), e, RunOptions{Dir: filepath.Join(dir, strconv.Itoa(n))})
		if err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(100*b.N)/b.Elapsed().Seconds(), "examples/s")
}

// BenchmarkBarankin is Cramér-Rao and the combination of 64 witnesses, without far
// ones, beside a search of a single restart.
func BenchmarkBarankin(b *testing.B) {
	o := loadOracle(b)
	e := o.experiment(Direct)
	e.Search.Restarts, e.Search.Repeats, e.Barankin.Witnesses = 1, 1, DefaultWitnesses
	dir, n := b.TempDir(), 0
	for b.Loop() {
		n++
		_, err := Run(context.Background(), o.net, o.data, upTo(100), e, RunOptions{Dir: filepath.Join(dir, strconv.Itoa(n))})
		if err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(b.Elapsed().Seconds()*1e3/float64(100*b.N), "ms/example")
}

// BenchmarkFar is the search for far witnesses alone, 8 starts of 100 images, the
// decompositions of J at the images themselves being there.
func BenchmarkFar(b *testing.B) {
	o := loadOracle(b)
	theta := o.data.x[:100*784]
	factors, err := factorsAt(context.Background(), o.net, theta)
	if err != nil {
		b.Fatal(err)
	}
	domain := mnistBox(b, theta)
	for b.Loop() {
		FarOptions{Starts: 8, Domain: domain, Seed: 1}.far(b, o.net, theta, factors, o.sigma)
	}
	b.ReportMetric(b.Elapsed().Seconds()*1e3/float64(100*b.N), "ms/example")
}
