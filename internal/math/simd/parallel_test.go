package simd

import (
	"runtime"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

// withProcs runs f under several values of GOMAXPROCS.
func withProcs(t *testing.T, f func(t *testing.T, procs int)) {
	before := runtime.GOMAXPROCS(0)
	defer runtime.GOMAXPROCS(before)
	for _, procs := range []int{1, 2, 4} {
		runtime.GOMAXPROCS(procs)
		f(t, procs)
	}
}

func TestParallelCoversOnce(t *testing.T) {
	withProcs(t, func(t *testing.T, procs int) {
		for _, n := range []int{0, 1, 2, 63, 64, 65, 1000, 4099} {
			for _, grain := range []int{0, 1, 7, 100, 5000} {
				hits := make([]int32, n)
				Parallel(n, grain, func(lo, hi int) {
					for i := lo; i < hi; i++ {
						atomic.AddInt32(&hits[i], 1)
					}
				})
				for i, h := range hits {
					if h != 1 {
						t.Fatalf("procs %d, n %d, grain %d: element %d visited %d times", procs, n, grain, i, h)
					}
				}
			}
		}
	})
}

func TestParallelPiecesDoNotDependOnCores(t *testing.T) {
	var want map[[2]int]bool
	withProcs(t, func(t *testing.T, procs int) {
		var mu sync.Mutex
		got := map[[2]int]bool{}
		Parallel(1000, 9, func(lo, hi int) {
			mu.Lock()
			got[[2]int{lo, hi}] = true
			mu.Unlock()
		})
		if want == nil {
			want = got
		}
		if len(got) != len(want) {
			t.Fatalf("procs %d: %d pieces, want %d", procs, len(got), len(want))
		}
		for piece := range want {
			if !got[piece] {
				t.Fatalf("procs %d: piece %v is missing", procs, piece)
			}
		}
	})
}

func TestParallelNestedAndConcurrent(t *testing.T) {
	withProcs(t, func(t *testing.T, procs int) {
		var total atomic.Int64
		var wg sync.WaitGroup
		for range 8 {
			wg.Add(1)
			go func() {
				defer wg.Done()
				for range 50 {
					Parallel(16, 1, func(lo, hi int) {
						Parallel(32, 1, func(l, h int) { total.Add(int64((hi - lo) * (h - l))) })
					})
				}
			}()
		}
		wg.Wait()
		if got, want := total.Load(), int64(8*50*16*32); got != want {
			t.Fatalf("procs %d: %d inner elements, want %d", procs, got, want)
		}
	})
}

func TestParallelPanicReachesCaller(t *testing.T) {
	withProcs(t, func(t *testing.T, procs int) {
		for bad := range 20 {
			func() {
				defer func() {
					if v := recover(); v != "piece" {
						t.Fatalf("procs %d: recovered %v", procs, v)
					}
				}()
				Parallel(20, 1, func(lo, hi int) {
					if lo == bad {
						panic("piece")
					}
				})
			}()
			var count atomic.Int64
			Parallel(100, 1, func(lo, hi int) { count.Add(int64(hi - lo)) })
			if count.Load() != 100 {
				t.Fatalf("procs %d: after a panic %d of 100 elements visited", procs, count.Load())
			}
		}
	})
}

// A piece that ends its goroutine, as t.FailNow does, is not taken for done.
func TestParallelGoexitReachesCaller(t *testing.T) {
	withProcs(t, func(t *testing.T, procs int) {
		for bad := range 20 {
			ended := make(chan any)
			go func() {
				var v any = "goexit"
				defer func() { ended <- v }()
				defer func() {
					if r := recover(); r != nil {
						v = r
					}
				}()
				Parallel(20, 1, func(lo, hi int) {
					if lo == bad {
						runtime.Goexit()
					}
				})
				v = "done"
			}()
			if v := <-ended; v == "done" {
				t.Fatalf("procs %d: piece %d went missing", procs, bad)
			}
		}
	})
}

// GOMAXPROCS may change while many goroutines share the pool.
func TestParallelWhileCoresChange(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(0))
	var total atomic.Int64
	var wg sync.WaitGroup
	for range 16 {
		wg.Go(func() {
			for range 200 {
				Parallel(100, 1, func(lo, hi int) { total.Add(int64(hi - lo)) })
			}
		})
	}
	for procs := range 40 {
		runtime.GOMAXPROCS(1 + procs%7)
		runtime.Gosched()
	}
	wg.Wait()
	if got := total.Load(); got != 16*200*100 {
		t.Fatalf("%d elements visited", got)
	}
}

func TestParallelAllocates(t *testing.T) {
	var sum atomic.Int64
	f := func(lo, hi int) { sum.Add(int64(hi - lo)) }
	Parallel(100, 1, f)
	if got := testing.AllocsPerRun(100, func() { Parallel(100, 1, f) }); got != 0 {
		t.Errorf("%v allocations", got)
	}
}

// Workers look out for the next region only for a while.
func TestParallelWorkersSleep(t *testing.T) {
	withProcs(t, func(t *testing.T, procs int) {
		for range 100 {
			Parallel(100, 1, func(lo, hi int) {})
		}
		for deadline := time.Now().Add(time.Minute); crew.awake.Load() != 0; time.Sleep(time.Millisecond) {
			if time.Now().After(deadline) {
				t.Fatalf("procs %d: %d workers are awake", procs, crew.awake.Load())
			}
		}
	})
}
