package simd

import (
	"math"
	"math/rand/v2"
	"slices"
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

// TestRival compares with the definition, on integers with ties.
func TestRival(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 1))
	for n := range 60 {
		best, x, at := make([]float32, n), make([]float32, n), make([]int32, n)
		for i := range x {
			best[i], x[i], at[i] = float32(r.IntN(3)-1), float32(r.IntN(3)-1), int32(i)
		}
		wantBest, wantAt := slices.Clone(best), slices.Clone(at)
		rivalGo(wantBest, x, wantAt, 1000, 3)
		Rival(best, x, at, 1000, 3)
		if !slices.Equal(best, wantBest) || !slices.Equal(at, wantAt) {
			t.Fatalf("%d entries: %v at %v, want %v at %v", n, best, at, wantBest, wantAt)
		}
	}
}

// TestMax puts the largest entry at each place.
func TestMax(t *testing.T) {
	if v := Max(nil); !math.IsInf(float64(v), -1) {
		t.Errorf("the largest of nothing is %v", v)
	}
	r := rand.New(rand.NewPCG(1, 3))
	for n := 1; n < 80; n++ {
		x := make([]float32, n)
		for i := range x {
			x[i] = float32(r.NormFloat64()) - 10
		}
		for i := range x {
			y := slices.Clone(x)
			y[i] = -1
			if v := Max(y); v != -1 {
				t.Fatalf("largest of %d at %d is %v", n, i, v)
			}
		}
		if v := Max(x); v != slices.Max(x) {
			t.Fatalf("largest of %d is %v, want %v", n, v, slices.Max(x))
		}
	}
}

func TestRank(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 1))
	for n := range 40 {
		x := make([]float64, n)
		for i := range x {
			x[i] = float64(r.IntN(9)) - 12
		}
		if n > 3 {
			x[2] = math.Inf(-1)
		}
		for _, lo := range []float64{-9, -13, math.Inf(-1), 0} {
			most, atLeast, above := Rank(x, lo, lo+1)
			wantMost, wantAtLeast, wantAbove := rankGo(x, lo, lo+1)
			if most != wantMost || atLeast != wantAtLeast || above != wantAbove {
				t.Errorf("%v, %v: %v %d %d, want %v %d %d", x, lo, most, atLeast, above, wantMost, wantAtLeast, wantAbove)
			}
		}
	}
}

// Exponentials against the library's, sums against those in order: they have at most n terms
// below 1, or below 60/e in size, and each addition rounds once.
func TestExpSums(t *testing.T) {
	const least, shift = -60, 3.5
	r := rand.New(rand.NewPCG(3, 2))
	for n := range 200 {
		x := make([]float64, n)
		for i := range x {
			x[i] = shift - 70*math.Pow(r.Float64(), 2)
		}
		if n > 8 {
			x[0], x[1], x[2], x[3] = shift, math.Inf(-1), shift+least, math.Nextafter(shift+least, -1e9)
		}
		got, want := make([]float64, n), make([]float64, n)
		sum, moment := ExpSums(got, x, shift, least)
		wantSum, wantMoment := expSumsGo(want, x, shift, least)
		for i, v := range got {
			if math.Abs(v-want[i]) > 2*0x1p-52*want[i] {
				t.Fatalf("e^%v is %v, want %v", x[i]-shift, v, want[i])
			}
		}
		if limit := float64(n+4) * 0x1p-52 * wantSum; math.Abs(sum-wantSum) > limit || math.Abs(moment-wantMoment) > 60*limit {
			t.Errorf("%d terms: %v %v, want %v %v", n, sum, moment, wantSum, wantMoment)
		}
		for i := range x { // one element by itself
			var one [1]float64
			if ExpSums(one[:], x[i:i+1], shift, least); one[0] != got[i] {
				t.Fatalf("e^%v is %v at place %d of %d, %v alone", x[i]-shift, got[i], i, n, one[0])
			}
		}
	}
}
