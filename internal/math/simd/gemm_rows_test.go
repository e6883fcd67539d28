package simd

import (
	"math/rand/v2"
	"slices"
	"testing"
)

// TestGemmRowsGivesTheBytesOfGemm multiplies rows that overlap and rows of sums of several blocks.
func TestGemmRowsGivesTheBytesOfGemm(t *testing.T) {
	both(t, gemmRowsAgainstGemm[float32], gemmRowsAgainstGemm[float64])
}

func gemmRowsAgainstGemm[T Float](t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for _, c := range [][3]int{{1, 1, 1}, {7, 33, 5}, {32, 245, 147}, {13, 64, kSpan + 9}} {
		m, n, k := c[0], c[1], c[2]
		x, at, b := normal[T](r, n+k+RowsSlack), make([]int, k), make([]T, 0, k*n)
		for p := range at {
			at[p] = r.IntN(k)
			b = append(b, x[at[p]:][:n]...)
		}
		a, got := normal[T](r, m*k), normal[T](r, m*n)
		for _, beta := range []T{0, 1} {
			want := slices.Clone(got)
			Gemm(false, false, m, n, k, 1, a, k, b, n, beta, want, n)
			if GemmRows(m, n, a, k, x, at, beta, got, n); !slices.Equal(got, want) {
				t.Errorf("%d×%d×%d, beta %v: the products differ", m, n, k, beta)
			}
		}
	}
}
