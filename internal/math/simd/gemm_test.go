package simd

import (
	"fmt"
	"math"
	"math/rand/v2"
	"runtime"
	"slices"
	"sync"
	"testing"

	"tattle/internal/must"
)

// canary fills what a product must not touch: around slices and between rows.
const canary = -12345.678

// stored is a matrix in a row-major slice with canaries around it.
type stored[T Float] struct {
	all        []T
	x          []T
	rows, cols int
	ld         int
}

const guard = 40

func newStored[T Float](rows, cols, extra int, fill func() T) stored[T] {
	ld := max(1, cols+extra)
	n := 0
	if rows > 0 && cols > 0 {
		n = (rows-1)*ld + cols
	}
	s := stored[T]{make([]T, n+2*guard), nil, rows, cols, ld}
	for i := range s.all {
		s.all[i] = canary
	}
	s.x = s.all[guard : guard+n : guard+n]
	for i := range rows {
		for j := range cols {
			s.x[i*ld+j] = fill()
		}
	}
	return s
}

func (s stored[T]) at(trans bool, i, j int) T {
	if trans {
		i, j = j, i
	}
	return s.x[i*s.ld+j]
}

// intact reports whether all canaries live.
func (s stored[T]) intact() bool {
	for i, v := range s.all {
		if v == T(canary) {
			continue
		}
		at := i - guard
		if at < 0 || at >= len(s.x) || at%s.ld >= s.cols {
			return false
		}
	}
	return true
}

func (s stored[T]) clone() stored[T] {
	c := s
	c.all = append([]T(nil), s.all...)
	c.x = c.all[guard : guard+len(s.x) : guard+len(s.x)]
	return c
}

func sameBytes[T Float](a, b []T) bool {
	return slices.EqualFunc(a, b, func(a, b T) bool { return math.Float64bits(float64(a)) == math.Float64bits(float64(b)) })
}

// product is one call of Gemm with operands of its own.
type product[T Float] struct {
	transA, transB bool
	m, n, k        int
	alpha, beta    T
	a, b, c        stored[T]
}

func newProduct[T Float](r *rand.Rand, transA, transB bool, m, n, k int, alpha, beta T, extra int) product[T] {
	fill := func() T { return T(r.NormFloat64()) }
	p := product[T]{transA: transA, transB: transB, m: m, n: n, k: k, alpha: alpha, beta: beta}
	ar, ac, br, bc := m, k, k, n
	if transA {
		ar, ac = ac, ar
	}
	if transB {
		br, bc = bc, br
	}
	p.a = newStored(ar, ac, extra, fill)
	p.b = newStored(br, bc, 2*extra, fill)
	p.c = newStored(m, n, 3*extra, fill)
	if beta == 0 {
		p.c = newStored(m, n, 3*extra, func() T { return T(math.NaN()) })
	}
	return p
}

func (p product[T]) run() stored[T] {
	c := p.c.clone()
	Gemm(p.transA, p.transB, p.m, p.n, p.k, p.alpha, p.a.x, p.a.ld, p.b.x, p.b.ld, p.beta, c.x, c.ld)
	return c
}

func (p product[T]) runPacked(b *Packed[T]) stored[T] {
	c := p.c.clone()
	b.Pack(p.transB, p.k, p.n, p.b.x, p.b.ld)
	GemmPacked(p.transA, p.m, p.alpha, p.a.x, p.a.ld, b, p.beta, c.x, c.ld)
	return c
}

func (p product[T]) String() string {
	return fmt.Sprintf("%T %dx%dx%d trans %t %t alpha %g beta %g ld %d %d %d",
		p.alpha, p.m, p.n, p.k, p.transA, p.transB, p.alpha, p.beta, p.a.ld, p.b.ld, p.c.ld)
}

// check compares got with the sum in float64. Each of the k products and sums,
// the sums over blocks, the scalings by alpha and beta and the last sum round
// once, so by Higham (Accuracy and Stability, 3.1) the error is at most
// γ(k+8) (|alpha| Σ|a||b| + |beta c|) with γ(n) = nu/(1−nu); the reference's own
// rounding is of the same form with u = 2⁻⁵³. Of large products it looks at some
// elements in all rows and columns.
func (p product[T]) check(t *testing.T, got stored[T]) {
	t.Helper()
	if !got.intact() || !p.a.intact() || !p.b.intact() {
		t.Fatalf("%v: wrote out of bounds", p)
	}
	steps := float64(p.k + 8)
	gamma := steps * epsilonOf[T]() / (1 - steps*epsilonOf[T]())
	gamma += 2 * steps * 0x1p-53
	step := 1 + p.m*p.n*p.k/4e6
	for i := range p.m {
		for j := i % step; j < p.n; j += step {
			var sum, size float64
			for l := range p.k {
				v := float64(p.a.at(p.transA, i, l)) * float64(p.b.at(p.transB, l, j))
				sum += v
				size += math.Abs(v)
			}
			want := float64(p.alpha) * sum
			size *= math.Abs(float64(p.alpha))
			if p.beta != 0 {
				old := float64(p.beta) * float64(p.c.at(false, i, j))
				want += old
				size += math.Abs(old)
			}
			have := float64(got.at(false, i, j))
			if !(math.Abs(have-want) <= gamma*size) {
				t.Fatalf("%v: element %d,%d is %v, want %v ± %.2g", p, i, j, have, want, gamma*size)
			}
		}
	}
}

func TestGemmAgainstDefinition(t *testing.T) {
	both(t, testGemmAgainstDefinition[float32], testGemmAgainstDefinition[float64])
}

func testGemmAgainstDefinition[T Float](t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	sizes := []int{0, 1, 2, 5, 6, 8, 16, 17, 33, 97}
	scalars := []T{0, 1, -1, .7}
	var packed Packed[T]
	for _, m := range sizes {
		for _, n := range sizes {
			for _, k := range sizes {
				for trans := range 4 {
					if trans != r.IntN(4) && m*n*k > 1e4 {
						continue
					}
					p := newProduct(r, trans&1 != 0, trans&2 != 0, m, n, k,
						scalars[r.IntN(4)], scalars[r.IntN(4)], r.IntN(2)*r.IntN(9))
					got := p.run()
					p.check(t, got)
					if again := p.runPacked(&packed); !sameBytes(got.all, again.all) {
						t.Fatalf("%v: packed differs", p)
					}
				}
			}
		}
	}
}

func TestGemmScalars(t *testing.T) { both(t, testGemmScalars[float32], testGemmScalars[float64]) }

// testGemmScalars also has sizes beyond every block of the driver, in each direction.
func testGemmScalars[T Float](t *testing.T) {
	const blockTerms = 12 * 384 // kSpan of the kernels
	r := rand.New(rand.NewPCG(3, 4))
	var packed Packed[T]
	for _, alpha := range []T{0, 1, -1, .7} {
		for _, beta := range []T{0, 1, -1, .7} {
			for _, dims := range [][3]int{{13, 19, 11}, {7, 150, 40}, {50, 35, 800}, {9, 70, 900}, {700, 50, 30}, {3, 4000, 20}, {40, 24, 2 * blockTerms}, {31, 1200, blockTerms - 3}} {
				size := dims[0] * dims[1] * dims[2]
				if size > 150_000 && (alpha != .7 || beta != 0 && beta != .7) || testing.Short() && size > 1e7 {
					continue // it takes time; blocks of long sums scale by alpha and, first, by beta
				}
				for trans := range 4 {
					if size > 1e7 && (trans == 0 || trans == 3) {
						continue // each operand as it is and transposed
					}
					p := newProduct(r, trans&1 != 0, trans&2 != 0, dims[0], dims[1], dims[2], alpha, beta, trans)
					got := p.run()
					p.check(t, got)
					if again := p.runPacked(&packed); !sameBytes(got.all, again.all) {
						t.Fatalf("%v: packed differs", p)
					}
				}
			}
		}
	}
}

func TestGemmBytesDoNotDependOnCores(t *testing.T) {
	both(t, testGemmCores[float32], testGemmCores[float64])
}

func testGemmCores[T Float](t *testing.T) {
	r := rand.New(rand.NewPCG(7, 8))
	for _, s := range [][3]int{{300, 200, 1000}, {32, 784, 784}, {784, 784, 32}, {5, 900, 500}, {1000, 12, 128}} {
		p := newProduct[T](r, s[0]%2 == 0, s[1]%3 == 0, s[0], s[1], s[2], 1.5, .5, 3)
		var want stored[T]
		withProcs(t, func(t *testing.T, procs int) {
			got := p.run()
			if procs == 1 {
				want = got
			}
			if !sameBytes(got.all, want.all) {
				t.Fatalf("%v: bytes differ with %d cores", p, procs)
			}
		})
		// Inside Parallel the product runs inline.
		Parallel(2, 1, func(lo, hi int) {
			if got := p.run(); !sameBytes(got.all, want.all) {
				t.Errorf("%v: bytes differ inside Parallel", p)
			}
		})
	}
}

// Goroutines may multiply at the same time, one packed operand among them.
func TestGemmConcurrently(t *testing.T) {
	r := rand.New(rand.NewPCG(17, 18))
	p := newProduct[float32](r, false, true, 90, 130, 400, 1, .5, 1)
	want := p.run()
	var packed Packed[float32]
	packed.Pack(p.transB, p.k, p.n, p.b.x, p.b.ld)
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			for range 10 {
				c := p.c.clone()
				GemmPacked(p.transA, p.m, p.alpha, p.a.x, p.a.ld, &packed, p.beta, c.x, c.ld)
				if !sameBytes(c.all, want.all) || !sameBytes(p.run().all, want.all) {
					t.Error("bytes differ")
					return
				}
			}
		})
	}
	wg.Wait()
}

// An element's bytes depend on its row, its column and k alone, so a part of a
// batch gives the same bytes as the whole.
func TestGemmBytesDoNotDependOnBatch(t *testing.T) {
	both(t, testGemmBatch[float32], testGemmBatch[float64])
}

func testGemmBatch[T Float](t *testing.T) {
	r := rand.New(rand.NewPCG(9, 10))
	for _, transB := range []bool{false, true} {
		for _, beta := range []T{0, 1, .7} {
			whole := newProduct(r, false, transB, 401, 130, 900, T(.3), beta, 2)
			want := whole.run()
			for _, m := range []int{1, 2, 6, 7, 32, 33, 64, 100} {
				at := r.IntN(401 - m)
				part := whole
				part.m = m
				part.a.x = whole.a.x[at*whole.a.ld:]
				c := whole.c.clone()
				Gemm(false, transB, m, 130, 900, part.alpha, part.a.x, part.a.ld, part.b.x, part.b.ld, beta, c.x[at*c.ld:], c.ld)
				for i := at; i < at+m; i++ {
					if !sameBytes(c.x[i*c.ld:][:130], want.x[i*c.ld:][:130]) {
						t.Fatalf("%v: row %d differs in a batch of %d", whole, i, m)
					}
				}
			}
		}
	}
}

func TestGemmSpecialValues(t *testing.T) { both(t, testGemmSpecial[float32], testGemmSpecial[float64]) }

func testGemmSpecial[T Float](t *testing.T) {
	r := rand.New(rand.NewPCG(11, 12))
	nan, inf := T(math.NaN()), T(math.Inf(1))
	for _, s := range [][3]int{{40, 40, 40}, {5, 100, 50}, {100, 5, 50}} {
		m, n, k := s[0], s[1], s[2]
		p := newProduct[T](r, false, false, m, n, k, 1, 0, 0)
		p.a.x[2*p.a.ld+3] = nan // row 2 becomes NaN, even against zeros
		p.a.x[4*p.a.ld+1] = inf
		for j := range n {
			p.b.x[3*p.b.ld+j] = 0
			p.b.x[1*p.b.ld+j] = 1
		}
		got := p.run()
		for i := range m {
			for j := range n {
				v := float64(got.at(false, i, j))
				if math.IsNaN(v) != (i == 2) || math.IsInf(v, 1) != (i == 4) {
					t.Fatalf("%v: element %d,%d is %v", p, i, j, v)
				}
			}
		}
		// A zero in A does not hide a NaN in B.
		if Accelerated() != "purego" {
			clear(p.a.x)
			p.b.x[7*p.b.ld+3] = nan
			got = p.run()
			for i := range m {
				for j := range n {
					if v := float64(got.at(false, i, j)); math.IsNaN(v) != (j == 3) || j != 3 && v != 0 {
						t.Fatalf("%v: element %d,%d of zeros is %v", p, i, j, v)
					}
				}
			}
		}
		p.alpha = 0 // A and B are not read
		for _, v := range p.run().x {
			if v != 0 {
				t.Fatalf("%v: alpha 0 gives %v", p, v)
			}
		}
	}
}

func TestGemmPanicsOnShape(t *testing.T) {
	x := make([]float32, 12)
	var packed Packed[float32]
	packed.Pack(false, 3, 4, x, 4)
	const huge = 1 << 62 // 4·huge and 5·huge + 1 overflow
	for name, f := range map[string]func(){
		"m":        func() { Gemm(false, false, -1, 4, 3, 1, x, 3, x, 4, 0, x, 4) },
		"n":        func() { Gemm(false, false, 3, -1, 3, 1, x, 3, x, 4, 0, x, 4) },
		"k":        func() { Gemm(false, false, 3, 4, -1, 1, x, 3, x, 4, 0, x, 4) },
		"lda":      func() { Gemm(false, false, 3, 4, 3, 1, x, 2, x, 4, 0, x, 4) },
		"lda^T":    func() { Gemm(true, false, 3, 4, 2, 1, x, 2, x, 4, 0, x, 4) },
		"ldb":      func() { Gemm(false, false, 3, 4, 3, 1, x, 3, x, 3, 0, x, 4) },
		"ldb^T":    func() { Gemm(false, true, 3, 4, 3, 1, x, 3, x, 2, 0, x, 4) },
		"ldc":      func() { Gemm(false, false, 3, 4, 3, 1, x, 3, x, 4, 0, x, 3) },
		"a":        func() { Gemm(false, false, 3, 4, 3, 1, x[:8], 3, x, 4, 0, x, 4) },
		"b":        func() { Gemm(false, false, 3, 4, 3, 1, x, 3, x[:11], 4, 0, x, 4) },
		"c":        func() { Gemm(false, false, 3, 4, 3, 1, x, 3, x, 4, 0, x[:11], 4) },
		"ldc huge": func() { Gemm(false, false, 5, 1, 3, 1, make([]float32, 15), 3, x, 4, 0, x, huge) },
		"rows":     func() { Gemm(false, false, huge+1, 1, 1, 1, x, 4, x, 1, 0, x, 4) },
		"pack b":   func() { new(Packed[float32]).Pack(false, 3, 4, x[:11], 4) },
		"pack ldb": func() { new(Packed[float32]).Pack(true, 3, 4, x, 2) },
		"packed a": func() { GemmPacked(false, 3, 1, x[:8], 3, &packed, 0, x, 4) },
		"packed c": func() { GemmPacked(false, 3, 1, x, 3, &packed, 0, x[:11], 4) },
		"packed m": func() { GemmPacked(false, -1, 1, x, 3, &packed, 0, x, 4) },
	} {
		must.Panic(t, f, name)
	}
}

func TestGemmAllocates(t *testing.T) { both(t, testGemmAllocates[float32], testGemmAllocates[float64]) }

func testGemmAllocates[T Float](t *testing.T) {
	r := rand.New(rand.NewPCG(13, 14))
	var packed Packed[T]
	for _, s := range [][3]int{{300, 200, 500}, {32, 784, 784}, {784, 784, 32}, {100, 200, 100}, {10, 10, 10}} {
		if testing.Short() && s[0]*s[1]*s[2] > 1e7 {
			continue
		}
		p := newProduct[T](r, false, true, s[0], s[1], s[2], 1, 0, 0)
		f := func() {
			Gemm(p.transA, p.transB, p.m, p.n, p.k, p.alpha, p.a.x, p.a.ld, p.b.x, p.b.ld, p.beta, p.c.x, p.c.ld)
			packed.Pack(p.transB, p.k, p.n, p.b.x, p.b.ld)
			GemmPacked(p.transA, p.m, p.alpha, p.a.x, p.a.ld, &packed, p.beta, p.c.x, p.c.ld)
		}
		// Both cores must have had their scratch once.
		for range 10 {
			Parallel(runtime.GOMAXPROCS(0), 1, func(lo, hi int) { p.run() })
			f()
		}
		if got := testing.AllocsPerRun(5, f); got != 0 {
			t.Errorf("%v: %v allocations", p, got)
		}
		// AllocsPerRun runs on one core; here on all, the runtime's own few beside.
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		for range 40 {
			f()
		}
		runtime.ReadMemStats(&after)
		if got := after.Mallocs - before.Mallocs; got >= 20 {
			t.Errorf("%v: %d allocations in 40 runs on all cores", p, got)
		}
	}
}
