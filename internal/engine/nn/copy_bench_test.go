package nn

import (
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
