package bound

import (
	"context"
	"path/filepath"
	"strconv"
	"syscall"
	"testing"
	"time"

	"tattle/internal/must"
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
		must.Get(Run(context.Background(), o.net, o.data, upTo(100), e, RunOptions{Dir: filepath.Join(dir, strconv.Itoa(n))}))(b)
	}
	b.ReportMetric(float64(100*b.N)/b.Elapsed().Seconds(), "examples/s")
}

// BenchmarkPairs is the CPU time of the bounds of tattle bound on 20 images, without
// witnesses that are searched for pair floors, with those for whole inputs, and with those
// for groups of coordinates too.
func BenchmarkPairs(b *testing.B) {
	o := loadOracle(b)
	for _, pairs := range []PairOptions{{}, {Witnesses: MostPairs, Domain: mnistRange()}, {Witnesses: MostPairs, Groups: MostPairGroups, Domain: mnistRange()}} {
		b.Run(strconv.Itoa(pairs.Witnesses)+"+"+strconv.Itoa(pairs.Groups), func(b *testing.B) {
			e := o.experiment(Direct)
			e.Sizes, e.Search.Restarts = []float64{1. / 200}, 25
			e.Far, e.Barankin, e.Pairs = FarOptions{Starts: 8, Domain: mnistRange()}, BarankinOptions{Witnesses: 64, Near: true}, pairs
			dir, n, from := b.TempDir(), 0, cpu()
			for b.Loop() {
				n++
				must.Get(Run(context.Background(), o.net, o.data, upTo(20), e, RunOptions{Dir: filepath.Join(dir, strconv.Itoa(n))}))(b)
			}
			b.ReportMetric(float64((cpu()-from).Milliseconds())/float64(20*n), "CPU-ms/example")
		})
	}
}

// cpu is the CPU time of this process.
func cpu() time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		return 0
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
