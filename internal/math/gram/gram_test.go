package gram

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"tattle/internal/math/simd"
	"tattle/internal/must"
)

// sample is X, [rows, cols], whose singular values fall by decay from row to row.
type sample struct {
	rows, cols int
	x          []float32
}

func newSample(rows, cols int, decay float64) sample {
	r := rand.New(rand.NewPCG(1, uint64(rows)))
	s := sample{rows, cols, make([]float32, rows*cols)}
	for i := range s.x {
		s.x[i] = float32(r.NormFloat64() * math.Pow(decay, float64(i/cols)))
	}
	return s
}

func (s sample) options(dir string, shift float64, memory int64) Options {
	return Options{Dir: dir, Rows: s.rows, Cols: s.cols, Block: 70, Shift: shift, Memory: memory}
}

func (s sample) fill(first int, dst []float32) error {
	copy(dst, s.x[first*s.cols:])
	return nil
}

func (s sample) built(t *testing.T, o Options) *Matrix {
	t.Helper()
	m := New(o)
	must.Do(t, m.Build(t.Context(), s.fill))
	return m
}

func (s sample) wide() []float64 {
	x := make([]float64, len(s.x))
	for i, v := range s.x {
		x[i] = float64(v)
	}
	return x
}

func normal(n int) []float64 {
	r := rand.New(rand.NewPCG(2, 1))
	x := make([]float64, n)
	for i := range x {
		x[i] = r.NormFloat64()
	}
	return x
}

func distance(x, y []float64) float64 {
	d := slices.Clone(x)
	simd.Axpy(-1, y, d)
	return math.Sqrt(simd.SumSquares(d) / simd.SumSquares(y))
}

// Products are those of the matrix, and solutions satisfy their equations, to rounding: blocks of
// 70 rows are no multiple of the panels, and the last is shorter.
func TestSolve(t *testing.T) {
	const k = 5
	s := newSample(200, 2100, .97)
	m, x := s.built(t, s.options(t.TempDir(), 1e-8, 1<<30)), s.wide()
	v, y := normal(k*s.cols), normal(k*s.rows)
	got, want := make([]float64, k*s.rows), make([]float64, k*s.rows)
	simd.Gemm(false, true, k, s.rows, s.cols, 1, v, s.cols, x, s.cols, 0, want, s.rows)
	if err := m.Mul(t.Context(), got, v, k); err != nil || distance(got, want) > 1e-14 {
		t.Errorf("Mul: %v, %g away", err, distance(got, want))
	}
	back, wantBack := make([]float64, k*s.cols), make([]float64, k*s.cols)
	simd.Gemm(false, false, k, s.cols, s.rows, 1, y, s.rows, x, s.cols, 0, wantBack, s.cols)
	if err := m.MulTrans(t.Context(), back, y, k); err != nil || distance(back, wantBack) > 1e-14 {
		t.Errorf("MulTrans: %v, %g away", err, distance(back, wantBack))
	}
	solved := slices.Clone(y)
	must.Do(t, m.Solve(t.Context(), solved, k))
	simd.Gemm(false, false, k, s.cols, s.rows, 1, solved, s.rows, x, s.cols, 0, back, s.cols)
	simd.Gemm(false, true, k, s.rows, s.cols, 1, back, s.cols, x, s.cols, 0, got, s.rows)
	simd.Axpy(1e-8, solved, got)
	if d := distance(got, y); d > 1e-9 {
		t.Errorf("the residual is %g of the right-hand side", d)
	}
}

// The memory decides what is read again, and nothing of the outcome.
func TestOutOfCore(t *testing.T) {
	const k = 3
	s := newSample(200, 90, 1)
	var want []float64
	for _, memory := range []int64{1 << 30, 0, 100 << 10} {
		m := s.built(t, s.options(t.TempDir(), 1e-6, memory))
		if all := m.blocks(); (len(m.x.kept) == all && len(m.l.kept) == all) != (memory == 1<<30) || (len(m.x.kept)+len(m.l.kept) == 0) != (memory == 0) {
			t.Errorf("%d bytes of memory: %d and %d blocks of %d stay there", memory, len(m.x.kept), len(m.l.kept), all)
		}
		y := normal(k * s.rows)
		v := make([]float64, k*s.cols)
		must.Do(t, errors.Join(m.Solve(t.Context(), y, k), m.MulTrans(t.Context(), v, y, k), m.Mul(t.Context(), y, v, k)))
		if want == nil {
			want = y
		}
		if !slices.Equal(y, want) {
			t.Errorf("%d bytes of memory: other results", memory)
		}
	}
}

// Whenever a computation is interrupted, it continues after the last block: no row is filled
// twice, and the files are the same. A damaged file is made again.
func TestResume(t *testing.T) {
	s := newSample(200, 90, 1)
	o := s.options(t.TempDir(), 1e-6, 0)
	s.built(t, o)
	want := contents(t, o.Dir)
	for stop := 1; stop <= 4; stop++ {
		o.Dir = t.TempDir()
		ctx, cancel := context.WithCancel(t.Context())
		filled, calls := 0, 0
		fill := func(first int, dst []float32) error {
			filled += len(dst) / s.cols
			if calls++; calls == stop {
				cancel()
			}
			return s.fill(first, dst)
		}
		interrupted := New(o).Build(ctx, fill)
		if (interrupted == nil) != (stop == 4) {
			t.Fatalf("stopped after %d calls: %v", stop, interrupted)
		}
		must.Do(t, New(o).Build(t.Context(), fill))
		if got := contents(t, o.Dir); filled != s.rows || !slices.Equal(got, want) {
			t.Errorf("stopped after %d calls: %d rows were filled, other files: %t", stop, filled, !slices.Equal(got, want))
		}
	}
	path := filepath.Join(o.Dir, "factor-0001")
	data := must.Get(os.ReadFile(path))(t)
	data[100] ^= 1
	must.Do(t, os.WriteFile(path, data, 0o600))
	s.built(t, o)
	if !slices.Equal(contents(t, o.Dir), want) {
		t.Error("a damaged file is used")
	}
}

func contents(t *testing.T, dir string) (all []string) {
	t.Helper()
	names, err := filepath.Glob(filepath.Join(dir, "*"))
	if err != nil || len(names) == 0 {
		t.Fatalf("%d files, %v", len(names), err)
	}
	for _, name := range names {
		data := must.Get(os.ReadFile(name))(t)
		all = append(all, filepath.Base(name)+string(data))
	}
	return all
}

// A matrix that is not positive definite in float64, and one that is not finite, are errors.
func TestNoFactor(t *testing.T) {
	s := newSample(150, 10, 1)
	var none *ShiftError
	if err := New(s.options(t.TempDir(), 0, 0)).Build(t.Context(), s.fill); !errors.As(err, &none) {
		t.Errorf("150 rows of 10 columns without a shift: %v", err)
	}
	s.x[1499] = float32(math.NaN())
	if err := New(s.options(t.TempDir(), 1, 0)).Build(t.Context(), s.fill); !errors.As(err, &none) {
		t.Errorf("a NaN: %v", err)
	}
}

// Solving allocates nothing but what Parallel's closures take, out of core, too, but for files.
func TestSolveAllocates(t *testing.T) {
	s := newSample(200, 90, 1)
	m := s.built(t, s.options(t.TempDir(), 1e-6, 1<<30))
	y := normal(4 * s.rows)
	if n := testing.AllocsPerRun(5, func() { m.Solve(t.Context(), y, 4) }); n > 0 {
		t.Errorf("%g allocations", n)
	}
}
