package audit

import (
	"math/rand/v2"

	"tattle/internal/engine/classify"
	"tattle/internal/math/stat"
)

// Correlation tests whether the outputs depend on s: the answered label and the chosen guess, not
// given y, and the scores given y and the answered label. Leaky rests on it.
type Correlation struct {
	LabelP   float64 `json:"label_p"`
	GuessP   float64 `json:"guess_p"`          // of the chosen guess and s
	LabelQ   float64 `json:"label_adjusted_p"` // Holm's over the tests of all attributes
	GuessQ   float64 `json:"guess_adjusted_p"`
	GivenQ   float64 `json:"given_adjusted_p"` // of Given.Permutation
	OrderQ   float64 `json:"order_adjusted_p"` // of Given.Order.Permutation
	Measured bool    `json:"measured"`         // false if there was nothing to test
}

// correlation tests whether the hard label and the chosen guess are independent of an
// attribute, without conditioning on y; given is the test of the guess given y. Conclude fills in the
// adjusted p-values.
//
// The hard label was not fitted to s, so its permutation test is exact. The statistic is the
// likelihood ratio of the table, or for a numeric s its means by label.
//
// The guess was fitted to s, on folds with equal shares of y × s. The folds therefore repeat
// any chance dependence between y and s, and the test of the guess within the folds rejects
// twice as often as it should. So it counts only together with an exact test of y against s:
// the larger of the two p-values is used. What the guess reveals in addition to y is tested by
// given. GuessP is twice the smaller of these two p-values, because there are two tests.
func correlation(g *guesses, given Permutation, o Options) Correlation {
	x := g.in
	if x.grouped() {
		return correlationOfPeople(g, given, o)
	}
	attributes, k := len(x.Sensitive), len(x.Classes)
	chance := func(i int) *rand.Rand { return random(o.Seed, streamIndependence, uint64(3*g.attribute+i)) }
	most := draws(o.Permutations, 3*attributes, o) // three tests share Holm's level
	var label, target, guess stat.Permuted
	if g.at.Numeric() {
		most = draws(min(o.Permutations, numericDraws), 3*attributes, o)
		rows := drawRows(x.Len(), correlationMost, random(o.Seed, streamIndependence, uint64(attributes)<<8))
		numbers := pick(g.at.Numbers, rows)
		folds := groupsOf(pick(x.fold, rows), make([]int, len(rows)))
		label = stat.PermuteMeans(pick(x.label, rows), k, numbers, most, chance(0))
		target = stat.PermuteMeans(pick(x.Y, rows), k, numbers, most, chance(1))
		guess = stat.PermuteProducts(pick(g.bestValue, rows), numbers, folds, 1, most, chance(2))
	} else { // the names of the classes change no draw
		label = stat.Independence(classify.Confusion(x.label, g.target.Labels, k, len(g.back)), most, chance(0))
		target = stat.Independence(classify.Confusion(x.Y, g.target.Labels, k, len(g.back)), most, chance(1))
		guess = stat.PermuteWithin(g.best, g.at.Labels, groupsOf(x.fold, make([]int, x.Len())), 1, most, chance(2))
	}
	return Correlation{
		LabelP: label.P, GuessP: min(1, 2*min(max(guess.P, target.P), given.P)),
		Measured: true,
	}
}

// correlationMost is the largest number of examples whose dependence on a numeric attribute is
// tested, because each permutation takes time in proportion. It is large enough to find every
// dependence that matters.
const correlationMost = 20000
