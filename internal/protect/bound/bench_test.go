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

// cpu is the CPU time of this process.
func cpu() time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		return 0
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
