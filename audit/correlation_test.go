package audit

import (
	"math"
	"math/rand/v2"
	"testing"

	"tattle/internal/shared"
)

// Where s depends on y and the guess on y alone but for chance, permutations within y
// and fold keep their level, and those within folds alone see the dependence: of 400
// tests at most 20 + 4.5 standard deviations are at most .05, failing wrongly with
// probability 3.4e-6.
func TestPermutationIsConditionalOnTheTarget(t *testing.T) {
	shared.Long(t, "the level of permutations, over 400 tests")
	r := rand.New(rand.NewPCG(5, 5))
	o := Options{Permutations: 199}.withDefaults()
	const tests = 400
	given, ungiven := 0, 0
	for range tests {
		s := randomSample(r, 90, 2, 2, .7)
		s.Sensitive = s.Sensitive[:1]
		g := &guesses{fold: dealt(r, 90, 3), folds: 3}
		for _, y := range s.Y {
			if r.IntN(4) == 0 {
				y = r.IntN(2)
			}
			g.best = append(g.best, y)
		}
		o.Seed++
		if permutation(s, 0, g, o).P <= .05 {
			given++
		}
		if correlation(s, 0, g, Permutation{P: 1}, o).GuessP <= .05 {
			ungiven++
		}
	}
	if most := tests*.05 + 4.5*math.Sqrt(tests*.05*.95); float64(given) > most {
		t.Errorf("given y %d of %d tests refuse", given, tests)
	}
	if ungiven < tests*9/10 {
		t.Errorf("not given y only %d of %d tests refuse", ungiven, tests)
	}
}

func TestCorrelationSeesDependence(t *testing.T) {
	r := rand.New(rand.NewPCG(6, 6))
	s := randomSample(r, 1000, 4, 4, .5)
	g := &guesses{fold: dealt(r, 1000, 5), folds: 5, best: s.hard()}
	for _, l := range g.best {
		g.bestValue = append(g.bestValue, float64(l))
	}
	for a := range s.Sensitive {
		got := correlation(s, a, g, Permutation{P: 1}, Options{}.withDefaults())
		low := 1 / float64(got.Draws+1)
		if got.LabelP != low || got.GuessP != 2*low || !got.Measured || got.Draws < numericDraws {
			t.Errorf("attribute %d: %+v", a, got)
		}
	}
}
