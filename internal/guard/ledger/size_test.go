package ledger

import (
	"context"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"
	"testing"
	"time"

	"tattle/internal/must"
)

// noise returns n values of a release whose noise has s = σ/Δ = 64 and whose features are as
// strong: half of them 0, as behind a ReLU.
func noise(r *rand.Rand, n int) []int64 {
	release := make([]int64, n)
	for i := range release {
		release[i] = int64(math.Round(64 * (r.NormFloat64() + math.Sqrt2*max(0, r.NormFloat64()))))
	}
	return release
}

// TestMillionSubjects writes one release of 784 values, paper A's features of MNIST, for each of a
// million subjects: under 1 GiB.
func TestMillionSubjects(t *testing.T) {
	if os.Getenv("TATTLE_FULL") == "" {
		t.Skip("writes a ledger of 1 GiB: only with TATTLE_FULL=1")
	}
	const subjects, width, callers = 1_000_000, 784, 256
	dir := t.TempDir()
	l := open(t, dir, Budget{1, 24 * time.Hour}, nil)
	l.db.NoSync = true // the bytes are the same
	began := time.Now()
	work := make(chan int)
	ended := make(chan error, callers)
	for c := range callers {
		go func() {
			r := rand.New(rand.NewPCG(1, uint64(c)))
			var failed error
			for i := range work {
				s := l.Subject(strconv.Itoa(i))
				_, _, err := l.Debit(context.Background(), s, []Input{l.Input(s, "m", []float32{float32(i)})}, [][]int64{noise(r, width)})
				if err != nil {
					failed = err
				}
			}
			ended <- failed
		}()
	}
	for i := range subjects {
		work <- i
	}
	close(work)
	for range callers {
		must.Do(t, <-ended)
	}
	info := must.Get(os.Stat(filepath.Join(dir, databaseFile)))(t)
	t.Logf("%d subjects: %d bytes, %.0f each, %v", subjects, info.Size(), float64(info.Size())/subjects, time.Since(began))
	if info.Size() >= 1<<30 {
		t.Errorf("%d bytes are not under 1 GiB", info.Size())
	}
	if n, err := subjectsOf(l); n != subjects || err != nil {
		t.Errorf("%d subjects, %v", n, err)
	}
}
