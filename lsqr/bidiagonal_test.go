package lsqr

import (
	"math"
	"math/rand/v2"
	"testing"

	"tattle/internal/simd"
)

// matrices is dense matrices of a batch, [batch, rows, cols].
type matrices[T Float] struct {
	a          []T
	rows, cols int
}

func (m matrices[T]) Dims() (int, int) { return m.rows, m.cols }

func (m matrices[T]) Mul(dst, v []T) {
	for i := 0; i*m.cols < len(v); i++ {
		simd.Gemm(false, false, m.rows, 1, m.cols, 1, m.a[i*m.rows*m.cols:], m.cols, v[i*m.cols:], 1, 0, dst[i*m.rows:], 1)
	}
}

func (m matrices[T]) MulTrans(dst, u []T) {
	for i := 0; i*m.rows < len(u); i++ {
		simd.Gemm(true, false, m.cols, 1, m.rows, 1, m.a[i*m.rows*m.cols:], m.cols, u[i*m.rows:], 1, 0, dst[i*m.cols:], 1)
	}
}

func testBidiagonalize[T Float](t *testing.T, tolerance float64) {
	const rows, cols, batch, steps = 9, 7, 3, 10
	r := rand.New(rand.NewPCG(3, 3))
	m := matrices[T]{make([]T, batch*rows*cols), rows, cols}
	for i := range m.a {
		m.a[i] = T(r.NormFloat64())
	}
	for i := range rows { // the last system has rank 2
		for j := range cols {
			m.a[(2*rows+i)*cols+j] = T(float64(i+1) + float64(j)*float64(i%2))
		}
	}
	start := make([]T, batch*cols)
	for i := range start {
		start[i] = T(r.NormFloat64())
	}
	for i := range batch {
		b := Bidiagonalize(matrices[T]{row(m.a, i, rows*cols), rows, cols}, row(start, i, cols), steps)
		k := len(b.Alpha)
		if want := []int{7, 7, 3}[i]; k != want || len(b.Beta) != k || len(b.U) != k*rows || len(b.V) != k*cols {
			t.Fatalf("system %d: %d steps of %d and %d", i, k, len(b.U), len(b.V))
		}
		a := row(m.a, i, rows*cols)
		for x := range k {
			av := make([]T, rows) // A v_x = α_x u_x + β_{x−1} u_{x−1}
			simd.Gemm(false, false, rows, 1, cols, 1, a, cols, b.V[x*cols:], 1, 0, av, 1)
			simd.Axpy(T(-b.Alpha[x]), row(b.U, x, rows), av)
			if x > 0 {
				simd.Axpy(T(-b.Beta[x-1]), row(b.U, x-1, rows), av)
			}
			if e := float64(simd.MaxAbs(av)); e > tolerance {
				t.Errorf("system %d, column %d of A V − U B: %g", i, x, e)
			}
			for y := range x + 1 {
				want := 0.
				if x == y {
					want = 1
				}
				if d := math.Abs(float64(simd.Dot(row(b.V, x, cols), row(b.V, y, cols))) - want); d > tolerance {
					t.Errorf("system %d, right vectors %d and %d: off by %g", i, x, y, d)
				}
			}
		}
		if b.Beta[k-1] > tolerance {
			t.Errorf("system %d ends with β = %g", i, b.Beta[k-1])
		}
	}
}

func TestBidiagonalize(t *testing.T) {
	t.Run("float32", func(t *testing.T) { testBidiagonalize[float32](t, 2e-4) })
	t.Run("float64", func(t *testing.T) { testBidiagonalize[float64](t, 1e-12) })
}
