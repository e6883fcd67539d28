package simd

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"tattle/internal/must"
)

// TestSmall holds small products to the bytes of Gemm.
func TestSmall(t *testing.T) { both(t, testSmall[float32], testSmall[float64]) }

func testSmall[T Float](t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	var s Small[T]
	for _, d := range [][3]int{{49, 49, 32}, {49, 32, 49}, {6, 16, 1}, {7, 17, 5}, {5, 40, 3}, {40, 7, 9}, {12, 64, 384}, {9, 20, 385}, {1, 1, 1}, {6, 8, 3}, {3, 0, 2}, {0, 9, 2}, {8, 18, 0}} {
		m, n, k := d[0], d[1], d[2]
		for mask := range 4 {
			transA, transB := mask&1 != 0, mask&2 != 0
			lda, ldb := max(1, k), max(1, n)
			if transA {
				lda = max(1, m)
			}
			if transB {
				ldb = max(1, k)
			}
			b := normal[T](r, k*n)
			s.Right(transB, k, n, b, ldb)
			for range 2 { // left operands
				a, got, want := normal[T](r, m*k), normal[T](r, m*n), make([]T, m*n)
				Gemm(transA, transB, m, n, k, 1, a, lda, b, ldb, 0, want, max(1, n))
				s.MulTo(got, transA, m, a, lda)
				assertSame(t, fmt.Sprint(d, transA, transB), got, want)
				Gemm(transA, transB, m, n, k, 1, a, lda, b, ldb, 1, want, max(1, n))
				s.AddMulTo(got, transA, m, a, lda)
				assertSame(t, fmt.Sprint(d, transA, transB, " added"), got, want)
			}
		}
	}
}

// TestSmallPanics holds that operands too short are not read.
func TestSmallPanics(t *testing.T) {
	var s Small[float32]
	s.Right(false, 3, 20, make([]float32, 60), 20)
	for what, f := range map[string]func(){
		"short C": func() { s.MulTo(make([]float32, 119), false, 6, make([]float32, 18), 3) },
		"short A": func() { s.MulTo(make([]float32, 120), false, 6, make([]float32, 17), 3) },
		"short B": func() { s.Right(true, 3, 20, make([]float32, 59), 3) },
	} {
		must.Panic(t, f, what)
	}
}
