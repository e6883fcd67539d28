//go:build linux

package cluster_test

import (
	"fmt"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// threadTime is how long this thread had a core.
func threadTime() time.Duration {
	var u unix.Rusage
	if err := unix.Getrusage(unix.RUSAGE_THREAD, &u); err != nil {
		panic(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// BenchmarkWorkers is the throughput of workers on shards that take 200 ms: of a core, of
// which each worker has one, or of waiting, which leaves what the cluster adds.
func BenchmarkWorkers(b *testing.B) {
	for _, cpu := range []bool{true, false} {
		var one float64
		for _, workers := range []int{1, 2} {
			b.Run(fmt.Sprintf("cpu=%v/workers=%d", cpu, workers), func(b *testing.B) {
				for range b.N {
					rate := throughput(b, cpu, workers)
					b.ReportMetric(rate, "shards/s")
					if workers == 1 {
						one = rate
					} else if one > 0 {
						b.ReportMetric(rate/one, "times-one")
					}
				}
			})
		}
	}
}

// throughput is how many shards a second are committed, once all workers work.
func throughput(b *testing.B, cpu bool, workers int) float64 {
	s := newSite(b, "", size{First: 1, Second: 20 * workers, Pace: 200 * time.Millisecond, CPU: cpu})
	for k := range workers {
		worker(b, s.URL, fmt.Sprint(k))
	}
	s.begin()
	s.committed(2 * workers)
	begun, first := time.Now(), s.secondCommitted()
	s.committed(18 * workers)
	last := s.secondCommitted()
	rate := float64(last-first) / time.Since(begun).Seconds()
	s.wait()
	return rate
}

func (s *site) secondCommitted() int {
	state, _ := s.state()
	return state.Stages[1].Done
}
