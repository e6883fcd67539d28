//go:build !purego

package simd

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// narrower runs the test without AVX-512, where the processor has it.
func narrower(t *testing.T, test func()) {
	t.Helper()
	if !useAVX512 {
		t.Skip("this processor has no AVX-512, or the environment forbids it")
	}
	useAVX512 = false
	defer func() { useAVX512 = true }()
	test()
}

// The tests of products, which run with AVX-512 where the processor has it, with AVX2.
func TestWithoutAVX512(t *testing.T) {
	narrower(t, func() {
		for name, test := range map[string]func(*testing.T){
			"Kernels": TestKernelsAgainstGo, "Products": TestGemmAgainstDefinition, "Scalars": TestGemmScalars,
			"Cores": TestGemmBytesDoNotDependOnCores, "Special": TestGemmSpecialValues, "Batch": TestGemmBytesDoNotDependOnBatch,
			"Small": TestSmall, "Winograd": TestWinograd,
		} {
			t.Run(name, test)
		}
	})
}

// AVX-512 gives the bytes of AVX2.
func TestAVX512GivesTheSameBytes(t *testing.T) {
	both(t, testAVX512GivesTheSameBytes[float32], testAVX512GivesTheSameBytes[float64])
}

func testAVX512GivesTheSameBytes[T Float](t *testing.T) {
	r := rand.New(rand.NewPCG(5, 12))
	for range 60 {
		m, n, k := 1+r.IntN(90), 1+r.IntN(150), 1+r.IntN(900)
		p := newProduct[T](r, r.IntN(2) == 0, r.IntN(2) == 0, m, n, k, []T{1, -.7}[r.IntN(2)], []T{0, 1, .3}[r.IntN(3)], r.IntN(3))
		wide, small := p.run(), smallProduct(p)
		narrower(t, func() {
			if !sameBytes(wide.all, p.run().all) {
				t.Errorf("%v: other bytes", p)
			}
			if !sameBytes(small, smallProduct(p)) {
				t.Errorf("%v: other bytes of Small", p)
			}
		})
	}
}

func smallProduct[T Float](p product[T]) []T {
	var s Small[T]
	s.Right(p.transB, p.k, p.n, p.b.x, p.b.ld)
	c := make([]T, p.m*p.n)
	s.MulTo(c, p.transA, p.m, p.a.x, p.a.ld)
	return c
}

// Winograd's products and transforms give the bytes of AVX2, too.
func TestWinogradGivesTheSameBytes(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 13))
	const stride, step = 100, WinogradColumns + 3
	x, src := normal[float32](r, 8*stride), normal[float32](r, WinogradPoints*step)
	var offsets [WinogradColumns]int
	for i, place := range r.Perm(WinogradColumns) {
		offsets[i] = 4 * (place%2*stride + WinogradTile*place) // tiles that do not overlap
	}
	transforms := func() []float32 {
		var room WinogradRoom
		v, y := make([]float32, WinogradPoints*step), make([]float32, len(x))
		WinogradIn(v, step, x, &offsets, stride, &room)
		WinogradOut(y, &offsets, stride, src, step, &room)
		return append(v, y...)
	}
	wide := transforms()
	narrower(t, func() {
		if !sameBytes(wide, transforms()) {
			t.Error("other bytes of the transforms")
		}
	})
	for _, rows := range []int{1, 6, 15, 16, 17, 64, 130} {
		for _, k := range []int{1, 5, 384, 385, 900} {
			a, b := normal[float32](r, rows*k), normal[float32](r, k*WinogradColumns)
			product := func() (c []float32) {
				height := WinogradRows()
				whole := (rows + height - 1) / height * height
				panels := make([]float32, whole*k)
				for i := range rows {
					for p := range k {
						panels[panelAt(i, p, whole, k, height)] = a[i*k+p]
					}
				}
				c = normal[float32](r, len(panels)/k*WinogradColumns)
				WinogradMultiply(c, panels, b, rows, k)
				return c[:rows*WinogradColumns]
			}
			wide := product()
			narrower(t, func() {
				if !sameBytes(wide, product()) {
					t.Errorf("%d rows, %d terms: other bytes", rows, k)
				}
			})
		}
	}
}

// WinogradExpand and WinogradMultiplyFew give the same bytes as WinogradWeights and WinogradMultiply.
func TestWinogradFew(t *testing.T) {
	if WinogradFew() == 0 {
		t.Skip("AVX-512 is absent, slower than AVX2, or forbidden by TATTLE_SIMD: WinogradMultiplyFew needs it")
	}
	r := rand.New(rand.NewPCG(5, 15))
	const k, cols = 390, WinogradColumns // two blocks of terms
	const uStep, vStep, mStep = 16*k + 3, k*cols + 5, 16*cols + 7
	g, u := normal[float32](r, k*9*16), make([]float32, WinogradPoints*uStep)
	WinogradExpand(u, uStep, g, k)
	for c := range k {
		for i := range 16 {
			var kernel [9]float32
			for j := range kernel {
				kernel[j] = g[(c*9+j)*16+i]
			}
			for point, want := range WinogradWeights(&kernel) {
				if got := u[point*uStep+c*16+i]; got != want {
					t.Fatalf("kernel %d of channel %d, entry %d: %v, want %v", i, c, point, got, want)
				}
			}
		}
	}
	v, m, want := normal[float32](r, WinogradPoints*vStep), normal[float32](r, WinogradPoints*mStep), make([]float32, 16*cols)
	for k0, block := 0, Block(k); k0 < k; k0 += block {
		WinogradMultiplyFew(m, mStep, u[k0*16:], uStep, v[k0*cols:], vStep, min(block, k-k0), k0 > 0)
	}
	for point := range WinogradPoints {
		a := make([]float32, 16*k)
		for i := range 16 {
			for p := range k {
				a[panelAt(i, p, 16, k, 16)] = u[point*uStep+p*16+i]
			}
		}
		WinogradMultiply(want, a, v[point*vStep:], 16, k)
		for i := range 16 {
			if at := i * cols; !sameBytes(m[point*mStep+at:][:WinogradFew()], want[at:][:WinogradFew()]) {
				t.Fatalf("point %d, row %d: %v, want %v", point, i, m[point*mStep+at:][:WinogradFew()], want[at:][:WinogradFew()])
			}
		}
	}
}

// So do the loops over vectors that have kernels of their own.
func TestLoopsGiveTheSameBytes(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 14))
	const most = 70
	fill := func(n int) []float32 {
		x := make([]float32, n)
		for i := range x {
			switch r.IntN(12) {
			case 0:
				x[i] = []float32{0, float32(math.Copysign(0, -1)), float32(math.Inf(1)), float32(math.Inf(-1)), float32(math.NaN())}[r.IntN(5)]
			default:
				x[i] = float32(r.NormFloat64() * math.Pow(10, float64(r.IntN(7)-4)))
			}
		}
		return x
	}
	for n := range most {
		x, d := fill(n), fill(n)
		same := func(name string, f func() []float32) {
			wide := f()
			narrower(t, func() {
				if !sameBytes(wide, f()) {
					t.Errorf("%d of %s: other bytes", n, name)
				}
			})
		}
		for _, k := range loops() {
			same(k.name, func() []float32 { dst := make([]float32, n); k.run(dst, [][]float32{x, d, d}); return dst })
		}
		finite := normal[float32](r, n)
		same("ExpSum", func() []float32 {
			dst := make([]float32, n)
			return append(dst, ExpSum(dst, finite, .5))
		})
		for _, rule := range []AdamRule{{Rate: .1, Beta1: .9, Beta2: .99, Epsilon: 1e-8, Decay: .1}, {Rate: .1, Beta1: .9, Beta2: .99, Epsilon: 1e-8, Decay: .1, Decoupled: true}} {
			same("AdamStep", func() []float32 {
				w, g, m, v := slices.Clone(x), slices.Clone(d), slices.Clone(finite), make([]float32, n)
				for i := range v {
					v[i] = finite[i] * finite[i]
				}
				AdamStep(w, g, m, v, rule.At(3))
				return slices.Concat(w, g, m, v)
			})
		}
		terms := make([]float64, n)
		for i := range terms {
			terms[i] = 30 * r.NormFloat64()
		}
		sums := func() []float64 {
			dst := make([]float64, n)
			sum, moment := ExpSums(dst, terms, slices.Max(append(terms, 0)), -40)
			return append(dst, sum, moment)
		}
		wide := sums()
		narrower(t, func() {
			if !sameBytes(wide, sums()) {
				t.Errorf("%d of ExpSums: other bytes", n)
			}
		})
		words, want := make([]uint64, n), make([]uint64, n)
		DropoutMask(words, 7, 1<<33-20, .3)
		narrower(t, func() { DropoutMask(want, 7, 1<<33-20, .3) })
		if !slices.Equal(words, want) {
			t.Errorf("%d words of DropoutMask: other bytes", n)
		}
	}
}
