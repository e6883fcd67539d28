package simd

import (
	"runtime"
	"sync/atomic"
	"time"
)

// maxChunks bounds the number of pieces that Parallel makes of a range.
const maxChunks = 64

// crew is the persistent pool behind Parallel. It serves one call at a time: a call that finds
// it busy (a nested call, or one from another goroutine) runs inline.
var crew struct {
	busy    atomic.Bool
	wake    chan struct{} // one token per sleeping worker asked to look for work
	done    chan struct{} // sent by the last worker out of a closed gate
	workers int           // guarded by busy
	awake   atomic.Int32  // workers up, or about to be by a token

	// The current region, written while the gate is closed.
	f        func(lo, hi int)
	n, chunk int
	next     atomic.Int64
	gate     atomic.Int64 // serial number of the region · gateRegion | gateOpen | number of workers inside
	failed   atomic.Pointer[failure]
}

const (
	gateOpen   = 1 << 30
	gateRegion = 1 << 31
	gateInside = gateOpen - 1
)

// A goroutine without work polls for more before it sleeps, because waking takes tens of
// microseconds, which is a good part of a small product.
const (
	lookout = 100 * time.Microsecond
	glances = 500 // between two looks at the clock, at which other goroutines may run
)

type failure struct{ value any }

func init() {
	crew.wake = make(chan struct{}, maxChunks)
	crew.done = make(chan struct{}, 1)
}

// Parallel calls f on pieces [lo, hi) that cover [0, n), on up to GOMAXPROCS
// cores, the caller's among them, and returns when all are done.
//
// The pieces are a function of n and grain alone (each, but the last, has at
// least grain elements), so that whatever f computes does not depend on the
// number of cores. With one piece, inside another Parallel, or while another
// goroutine holds the pool, all pieces run in the caller. A panic in f is
// raised again in the caller, once the pieces that are running have ended. Parallel itself does
// not allocate, but a closure that captures variables does: where that matters, keep the closure.
func Parallel(n, grain int, f func(lo, hi int)) {
	if n <= 0 {
		return
	}
	chunk := min(max(grain, (n+maxChunks-1)/maxChunks, 1), n)
	helpers := min(runtime.GOMAXPROCS(0), (n+chunk-1)/chunk) - 1
	if helpers <= 0 || !crew.busy.CompareAndSwap(false, true) {
		for lo := 0; lo < n; lo += chunk {
			f(lo, min(lo+chunk, n))
		}
		return
	}
	crew.f, crew.n, crew.chunk = f, n, chunk
	crew.next.Store(0)
	crew.failed.Store(nil)
	for crew.workers < helpers {
		crew.workers++
		go worker()
	}
	crew.gate.Store(crew.gate.Load()&^(gateRegion-1) + gateRegion + gateOpen)
	defer finish()
	for crew.awake.Load() < int32(helpers) {
		crew.awake.Add(1)
		select {
		case crew.wake <- struct{}{}:
		default: // enough tokens are about
		}
	}
	runChunks()
}

// finish shuts the gate, waits for the workers inside and frees the crew.
func finish() {
	crew.next.Store(int64(crew.n)) // after a panic in the caller: start nothing more
	if crew.gate.Add(-gateOpen)&gateInside != 0 {
		awaitDone()
	}
	failed := crew.failed.Load()
	crew.f = nil
	crew.busy.Store(false)
	if failed != nil {
		panic(failed.value)
	}
}

func runChunks() {
	for {
		lo := int(crew.next.Add(int64(crew.chunk))) - crew.chunk
		if lo >= crew.n {
			return
		}
		crew.f(lo, min(lo+crew.chunk, crew.n))
	}
}

// awaitDone returns when the last worker has left.
func awaitDone() {
	for start := time.Now(); time.Since(start) < lookout; runtime.Gosched() {
		for range glances {
			select {
			case <-crew.done:
				return
			default:
			}
		}
	}
	<-crew.done
}

// worker is the life of one worker, which only runtime.Goexit in a piece ends:
// another then takes its place.
func worker() {
	counted := false // in crew.awake
	defer func() {
		if counted {
			crew.awake.Add(-1)
		}
		go worker()
	}()
	served := int64(-1)
	for range crew.wake {
		counted = true
		for start := time.Now(); time.Since(start) < lookout; runtime.Gosched() {
			for range glances {
				if region := enter(served); region != served {
					served, start = region, time.Now()
				}
			}
		}
		counted = false
		crew.awake.Add(-1)
		served = enter(served) // one opened before that has sent no token
	}
}

// enter works in the open region, unless it is the one last served, and returns
// the number of the region last served.
func enter(served int64) int64 {
	for {
		g := crew.gate.Load()
		region := g &^ (gateRegion - 1)
		if g&gateOpen == 0 || region == served {
			return served
		}
		if crew.gate.CompareAndSwap(g, g+1) {
			workerInside()
			return region
		}
	}
}

func workerInside() {
	ended := false
	defer func() {
		v := recover()
		if v == nil && !ended { // f called runtime.Goexit, which ends this worker
			v = "simd: a piece ended its goroutine"
		}
		if v != nil {
			crew.failed.CompareAndSwap(nil, &failure{v})
			crew.next.Store(int64(crew.n))
		}
		if crew.gate.Add(-1)&(gateRegion-1) == 0 {
			crew.done <- struct{}{}
		}
	}()
	runChunks()
	ended = true
}
