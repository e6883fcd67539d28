package guard

import (
	"crypto/rand"
	"errors"
	"io"
	"math"
	"slices"
	"testing"
	"testing/iotest"

	"tattle/internal/must"
	"tattle/internal/protect/lattice"
)

var small = Lattice{Delta: 1. / 64, Sigma: 1, Clip: 4, Dim: 10}

func TestRelease(t *testing.T) {
	m := must.Get(New(small))(t)
	defer m.Close()
	features := []float32{0, 1, -1, 5, -5, .25, 4, -4, float32(math.Inf(1)), .5 / 64}
	points := make([]int64, small.Dim)
	clipped, err := small.Round(points, features)
	if want := []int64{0, 64, -64, 256, -256, 16, 256, -256, 256, 0}; err != nil || clipped != 3 || !slices.Equal(points, want) {
		t.Fatalf("points %v (%d clipped, %v), want %v and 3", points, clipped, err, want)
	}
	const draws = 20000
	dst := make([]int64, small.Dim)
	var sum, squares float64
	for range draws {
		clipped, err := m.Release(dst, features)
		if err != nil || clipped != 3 {
			t.Fatalf("%d clipped, %v", clipped, err)
		}
		for j, k := range dst {
			x := float64(k-points[j]) / 64
			sum += x
			squares += x * x
		}
	}
	// Mean and variance of 200,000 standard normal numbers: seven standard deviations, 2.6e-12.
	const n = draws * 10
	if mean := sum / n; math.Abs(mean) > 7/math.Sqrt(n) {
		t.Errorf("mean of the noise %v", mean)
	}
	if v := squares / n; math.Abs(v-1) > 7*math.Sqrt(2./n) {
		t.Errorf("variance of the noise %v", v)
	}
}

// The pool holds poolSize integers, rounded down to whole blocks, but at least leastBlocks blocks.
func TestPoolSize(t *testing.T) {
	for dim, blocks := range map[int]int{10: 3276, poolSize / blockVectors: leastBlocks} {
		m := must.Get(New(Lattice{Delta: 1, Sigma: 3, Clip: 8, Dim: dim}))(t)
		if got := cap(m.full); got != blocks {
			t.Errorf("%d features: %d blocks, want %d", dim, got, blocks)
		}
		m.Close()
	}
}

func TestReleaseOfOtherLengths(t *testing.T) {
	m := must.Get(New(small))(t)
	defer m.Close()
	for want, n := range map[string][2]int{"guard: 9 features into 10 integers, of a mechanism for 10": {10, 9}, "guard: 10 features into 9 integers, of a mechanism for 10": {9, 10}} {
		func() {
			defer func() {
				if got := recover(); got != want {
					t.Errorf("panic %v, want %q", got, want)
				}
			}()
			m.Release(make([]int64, n[0]), make([]float32, n[1]))
		}()
	}
}

func TestReleaseRefusesNaN(t *testing.T) {
	m := must.Get(New(small))(t)
	defer m.Close()
	dst := make([]int64, small.Dim)
	features := make([]float32, small.Dim)
	features[3] = float32(math.NaN())
	if _, err := m.Release(dst, features); !errors.Is(err, lattice.ErrNaN) {
		t.Errorf("error %v, want %v", err, lattice.ErrNaN)
	}
	if !slices.Equal(dst, make([]int64, small.Dim)) {
		t.Errorf("noise without features is released: %v", dst)
	}
}

// Without random numbers of the operating system there is no release, from the first or later.
func TestFailsClosed(t *testing.T) {
	broken := errors.New("broken")
	if _, err := newMechanism(small, iotest.ErrReader(broken)); !errors.Is(err, broken) {
		t.Errorf("New: error %v", err)
	}
	m, err := newMechanism(small, io.MultiReader(io.LimitReader(rand.Reader, 32*20), iotest.ErrReader(broken)))
	must.Do(t, err)
	defer m.Close()
	dst, features := make([]int64, small.Dim), make([]float32, small.Dim)
	for range blockVectors * 20 {
		if _, err = m.Release(dst, features); err != nil {
			break
		}
	}
	<-m.end
	if _, err = m.Release(dst, features); !errors.Is(err, broken) {
		t.Errorf("Release: error %v", err)
	}
	if !slices.Equal(dst, make([]int64, small.Dim)) {
		t.Errorf("a release that failed has left %v", dst)
	}
}

func TestClose(t *testing.T) {
	m := must.Get(New(small))(t)
	dst, features := make([]int64, small.Dim), make([]float32, small.Dim)
	must.Get(m.Release(dst, features))(t)
	for range 2 {
		must.Do(t, m.Close())
		if _, err := m.Release(dst, features); !errors.Is(err, ErrClosed) {
			t.Errorf("after Close: error %v", err)
		}
	}
}

func TestReleaseDoesNotAllocate(t *testing.T) {
	m := must.Get(New(small))(t)
	defer m.Close()
	dst, features := make([]int64, small.Dim), make([]float32, small.Dim)
	if n := testing.AllocsPerRun(1000, func() { must.Get(m.Release(dst, features))(t) }); n != 0 {
		t.Errorf("%v allocations in a release", n)
	}
}

func TestInputs(t *testing.T) {
	in := Inputs{Range: [][2]float64{{0, 1}, {-1, .5}}}
	for i, want := range [][]float64{{0, 1}, {0, 1}, {-1, .5}, {-1, .5}} {
		if got := in.Of(i, 4); !slices.Equal(got, want) {
			t.Errorf("number %d of 4: %v, want %v", i, got, want)
		}
	}
	if got := in.Bounds(); !slices.Equal(got, []float64{-1, 1}) || in.Of(0, 3) != nil || (Inputs{}).Of(0, 4) != nil || (Inputs{}).Bounds() != nil {
		t.Errorf("bounds %v, or bounds of what is not known", got)
	}
}

// BenchmarkRelease measures releases of 784 features, noise drawn by all cores.
func BenchmarkRelease(b *testing.B) {
	m := must.Get(New(Lattice{Delta: 1. / 64, Sigma: 1.7, Clip: 64, Dim: 784}))(b)
	defer m.Close()
	dst, features := make([]int64, 784), make([]float32, 784)
	for b.Loop() {
		must.Get(m.Release(dst, features))(b)
	}
	b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "examples/s")
}
