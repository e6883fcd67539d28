package classify

import (
	"math"
	"math/rand/v2"
	"testing"
)

// The closed form of a symmetric channel: s uniform on k values, right with
// probability a and else any other,
//
//	I = log₂ k + a·log₂ a + (1−a)·log₂((1−a)/(k−1)) bits.
func TestInformationOfASymmetricChannel(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 7))
	const k, a, n = 4, .6, 20000
	truth, guess := make([]int, n), make([]int, n)
	for i := range truth {
		truth[i] = r.IntN(k)
		guess[i] = truth[i]
		if r.Float64() >= a {
			guess[i] = (truth[i] + 1 + r.IntN(k-1)) % k
		}
	}
	want := 2 + a*math.Log2(a) + (1-a)*math.Log2((1-a)/(k-1))
	got := Information("s", "guess", Confusion(truth, guess, k, k), 1-1e-5)
	if !(got.Interval[0] <= want && want <= got.Interval[1]) || got.Interval[1]-got.Interval[0] > .1 {
		t.Errorf("%+v, want %v", got, want)
	}
	if math.Abs(got.CeilingBits-math.Log2(n)) > 1e-12 || got.Between != [2]string{"s", "guess"} {
		t.Errorf("%+v", got)
	}
}
