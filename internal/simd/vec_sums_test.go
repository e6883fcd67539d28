package simd

import (
	"math"
	"math/rand/v2"
	"testing"
)

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
