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
		g := foldedAt(s, dealt(r, 90, 3), 3).guesses[0]
		for i, y := range s.Y {
			if r.IntN(4) == 0 {
				y = r.IntN(2)
			}
			g.best[i] = y
		}
		o.Seed++
		f := &Finding{Given: &Given{}}
		if f.permute(g, o); f.Permutation.P <= .05 {
			given++
		}
		if correlation(g, Permutation{P: 1}, o).GuessP <= .05 {
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
	x := foldedAt(s, dealt(r, 1000, 5), 5)
	for a, g := range x.guesses {
		g.best, g.bestValue = x.label, make([]float64, 1000)
		for i, l := range x.label {
			g.bestValue[i] = float64(l)
		}
		o := Options{}.withDefaults()
		most := draws(o.Permutations, 6, o)
		if g.at.Numeric() {
			most = fewDraws(6, o)
		}
		got, low := correlation(g, Permutation{P: 1}, o), 1/float64(most+1)
		if got.LabelP != low || got.GuessP != 2*low || !got.Measured {
			t.Errorf("attribute %d: %+v", a, got)
		}
	}
}
