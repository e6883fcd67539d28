package stat

import (
	"math"
	"math/rand/v2"
	"testing"
)

// The p-value is the share of all deals whose sum is at least what was seen, which is
// counted here: 4!·3! deals of two strata. The drawn share of 20,000 lies within 4.5
// standard errors but once in 10⁵ times.
func TestPermuteScoresAgainstAllDeals(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	strata := [][]int{{0, 2, 4, 6}, {1, 3, 5}}
	for range 10 {
		score, class := make([]float64, 21), []int{0, 1, 2, 2, 0, 1, 1}
		for i := range score {
			score[i] = r.NormFloat64()
		}
		sum := func(class []int) (x float64) {
			for i, c := range class {
				x += score[3*i+c]
			}
			return x
		}
		seen, most, all := sum(class), 0, 0
		orders(strata[0], func(first []int) {
			orders(strata[1], func(second []int) {
				dealt := make([]int, 7)
				for k, i := range strata[0] {
					dealt[i] = class[first[k]]
				}
				for k, i := range strata[1] {
					dealt[i] = class[second[k]]
				}
				if all++; sum(dealt) >= seen-1e-9 {
					most++
				}
			})
		})
		want := float64(most) / float64(all)
		got := PermuteScores(score, 3, class, strata, 1, 20000, r)
		if reach := 4.5 * math.Sqrt(want*(1-want)/float64(got.Draws)); math.Abs(got.P-want) > reach+2./float64(got.Draws) {
			t.Errorf("p %v by %d draws, %v by all deals", got.P, got.Draws, want)
		}
	}
	if p := PermuteScores(make([]float64, 14), 2, make([]int, 7), strata, 1, 99, r).P; p != 1 {
		t.Errorf("one class: p %v", p)
	}
}

// orders calls each with every order of at.
func orders(at []int, each func([]int)) {
	if len(at) < 2 {
		each(at)
		return
	}
	for i := range at {
		rest := append(append([]int{}, at[:i]...), at[i+1:]...)
		orders(rest, func(tail []int) { each(append([]int{at[i]}, tail...)) })
	}
}
