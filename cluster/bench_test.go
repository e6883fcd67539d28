package cluster

import (
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"testing"

	"tattle/run"
)

// residentMiB is the process's resident memory, where the system tells.
func residentMiB() float64 {
	data, _ := os.ReadFile("/proc/self/statm")
	if f := strings.Fields(string(data)); len(f) > 1 {
		pages, _ := strconv.Atoi(f[1])
		return float64(pages*os.Getpagesize()) / (1 << 20)
	}
	return 0
}

func empty(dir string, n int) run.Work {
	w := work(dir, n, nil)
	w.Do = func(_ context.Context, i int, w io.Writer) error { return nil }
	return w
}

// BenchmarkShard is what a shard costs besides its computation.
func BenchmarkShard(b *testing.B) {
	for name, p := range map[string]run.Pool{"alone": run.Alone{}, "embedded": Embedded{}} {
		b.Run(name, func(b *testing.B) {
			const n = 1000
			for b.Loop() {
				if _, err := p.Run(b.Context(), empty(b.TempDir(), n)); err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric(b.Elapsed().Seconds()*1e3/float64(b.N*n), "ms/shard")
		})
	}
}

// BenchmarkEmbeddedStart is a run of one shard: the server starts and stops.
func BenchmarkEmbeddedStart(b *testing.B) {
	for b.Loop() {
		if _, err := (Embedded{}).Run(b.Context(), empty(b.TempDir(), 1)); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkEmbeddedMemory is what 10,000 shards take.
func BenchmarkEmbeddedMemory(b *testing.B) {
	const n = 10000
	var heap, resident, most float64
	for b.Loop() {
		runtime.GC()
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		first := residentMiB()
		w := empty(b.TempDir(), n)
		done := 0
		w.Progress = func(f *run.Folder) {
			if done++; done%500 == 0 || done > n {
				runtime.ReadMemStats(&after)
				heap = max(heap, float64(after.HeapAlloc)/(1<<20)-float64(before.HeapAlloc)/(1<<20))
				resident = max(resident, residentMiB()-first)
				most = max(most, float64(runtime.NumGoroutine()))
			}
		}
		if _, err := (Embedded{}).Run(b.Context(), w); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(heap, "heap-MiB")
	b.ReportMetric(resident, "rss-MiB")
	b.ReportMetric(most, "goroutines")
}

// BenchmarkEmbeddedResume goes on with 10,000 shards of which one is to do, with the
// ledger that was left and without.
func BenchmarkEmbeddedResume(b *testing.B) {
	const n = 10000
	for _, left := range []bool{true, false} {
		b.Run(fmt.Sprintf("ledger=%v", left), func(b *testing.B) {
			dir := b.TempDir()
			w := empty(dir, n)
			var stop context.CancelFunc
			w.Do = func(ctx context.Context, i int, w io.Writer) error {
				if i == n-1 {
					stop()
				}
				return ctx.Err()
			}
			resume := func() {
				var ctx context.Context
				ctx, stop = context.WithCancel(b.Context())
				if f, err := (Embedded{}).Run(ctx, w); err == nil || len(f.Remaining()) != 1 {
					b.Fatal(err)
				}
			}
			resume()
			for b.Loop() {
				if !left {
					os.RemoveAll(filepath.Join(dir, ledgerDir))
				}
				resume()
			}
		})
	}
}
