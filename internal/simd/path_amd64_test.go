//go:build !purego

package simd

import (
	"math/rand/v2"
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

// WinogradMultiply gives the bytes of AVX2, too.
func TestWinogradGivesTheSameBytes(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 13))
	for _, rows := range []int{1, 6, 23, 24, 25, 64, 130} {
		for _, k := range []int{1, 5, 384, 385, 900} {
			panels := (rows + mr - 1) / mr
			fill := func(n int) []float32 {
				x := make([]float32, n)
				for i := range x {
					x[i] = float32(r.NormFloat64())
				}
				return x
			}
			a, b := fill(panels*mr*k), fill(k*WinogradColumns)
			wide, want := fill(panels*mr*WinogradColumns), fill(panels*mr*WinogradColumns)
			WinogradMultiply(wide, a, b, rows, k)
			narrower(t, func() { WinogradMultiply(want, a, b, rows, k) })
			if !sameBytes(wide, want) {
				t.Errorf("%d rows, %d terms: other bytes", rows, k)
			}
		}
	}
}
