package lsqr

import (
	"math"
	"math/rand/v2"
	"testing"

	"tattle/internal/math/simd"
)

func testBidiagonalize[T Float](t *testing.T, tolerance float64) {
	const rows, cols, batch, steps = 9, 7, 3, 10
	r := rand.New(rand.NewPCG(3, 3))
	all := make([]T, batch*rows*cols)
	for i := range all {
		all[i] = T(r.NormFloat64())
	}
	for i := range rows { // the last system has rank 2
		for j := range cols {
			all[(2*rows+i)*cols+j] = T(float64(i+1) + float64(j)*float64(i%2))
		}
	}
	start := make([]T, batch*cols)
	for i := range start {
		start[i] = T(r.NormFloat64())
	}
	for i := range batch {
		a := row(all, i, rows*cols)
		b := Bidiagonalize(one(rows, cols, a), row(start, i, cols), steps)
		k := len(b.Alpha)
		if want := []int{7, 7, 3}[i]; k != want || len(b.Beta) != k || len(b.U) != k*rows || len(b.V) != k*cols {
			t.Fatalf("system %d: %d steps of %d and %d", i, k, len(b.U), len(b.V))
		}
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
