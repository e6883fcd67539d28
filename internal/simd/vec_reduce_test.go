package simd

import (
	"math"
	"math/rand/v2"
	"testing"
)

func TestReductions(t *testing.T) { both(t, testReductions[float32], testReductions[float64]) }

func testReductions[T Float](t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	for _, n := range lengths() {
		x, y := awkward[T](r, n, false), awkward[T](r, n, false)
		var sum, dot, squares, most, sumScale, dotScale float64
		for i := range x {
			a, b := float64(x[i]), float64(y[i])
			sum, dot, squares = sum+a, dot+a*b, squares+a*a
			sumScale, dotScale = sumScale+math.Abs(a), dotScale+math.Abs(a*b)
			most = max(most, math.Abs(a))
		}
		bound := float64(n+1) * 2 * epsilonOf[T]()
		near(t, "Sum", float64(Sum(x)), sum, bound*sumScale)
		near(t, "Dot", float64(Dot(x, y)), dot, bound*dotScale)
		near(t, "SumSquares", float64(SumSquares(x)), squares, bound*squares)
		near(t, "MaxAbs", float64(MaxAbs(x)), most, 0)
		if n > 0 {
			x[r.IntN(n)] = T(math.Inf(-1))
			near(t, "MaxAbs with an infinity", 1/float64(MaxAbs(x)), 0, 0)
			x[r.IntN(n)] = T(-math.NaN())
			if got := MaxAbs(x); got == got {
				t.Fatalf("MaxAbs with a NaN is %v", got)
			}
		}
	}
}

func TestMoments(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 8))
	for _, n := range append(lengths(), 1<<18) {
		x, d := awkward[float32](r, n, false), awkward[float32](r, n, false)
		var s, q, sd, dot, scale float64
		for i := range x {
			a, b := float64(x[i])+1000, float64(d[i])
			x[i] = float32(a)
			a = float64(x[i])
			s, q, sd, dot = s+a, q+a*a, sd+b, dot+a*b
			scale += a*a + math.Abs(b) + math.Abs(a*b)
		}
		bound := float64(n+1) * 2 * 0x1p-53 * scale
		gotS, gotQ := SumAndSquares(x)
		near(t, "Σ x", gotS, s, bound)
		near(t, "Σ x²", gotQ, q, bound)
		gotD, gotDot := DotAndSum(d, x)
		near(t, "Σ d", gotD, sd, bound)
		near(t, "Σ d·x", gotDot, dot, bound)
	}
}

func TestRows(t *testing.T) { both(t, testRows[float32], testRows[float64]) }

func testRows[T Float](t *testing.T) {
	r := rand.New(rand.NewPCG(9, 10))
	for _, rows := range []int{0, 1, 3} {
		for _, cols := range lengths() {
			x, bias := awkward[T](r, rows*cols, false), awkward[T](r, cols, false)
			sums, added := append([]T{}, bias...), append([]T{}, x...)
			SumRows(sums, rows, cols, x)
			AddRows(added, rows, cols, bias)
			for c := range cols {
				want := float64(bias[c])
				for i := range rows {
					want += float64(x[i*cols+c])
					if got := added[i*cols+c]; got != x[i*cols+c]+bias[c] {
						t.Fatalf("AddRows [%d, %d] at %d, %d: %v", rows, cols, i, c, got)
					}
				}
				near(t, "SumRows", float64(sums[c]), want, 64*epsilonOf[T]())
			}
		}
	}
}
