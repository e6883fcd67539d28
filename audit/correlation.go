package audit

import (
	"math/rand/v2"
	"slices"

	"tattle/classify"
	"tattle/stat"
)

// correlation tests whether the hard label and the chosen guess are independent of attribute
// a, without conditioning on y; given is the test of the guess given y. Conclude fills in the
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
func correlation(s *Sample, a int, g *guesses, given Permutation, o Options) Correlation {
	rows := correlationRows(s, a, o)
	s = s.Subset(rows)
	at, hard, best := &s.Sensitive[a], s.hard(), pick(g.best, rows)
	folds := strata(make([]int, s.Len()), pick(g.fold, rows), g.folds)
	chance := func(i int) *rand.Rand { return random(o.Seed, streamIndependence, uint64(3*a+i)) }
	most := draws(o.Permutations, 3*len(s.Sensitive), o) // three tests share Holm's level
	var c Correlation
	var label, target, guess stat.Permuted
	if at.Numeric() {
		most = draws(min(o.Permutations, numericDraws), 3*len(s.Sensitive), o)
		label = stat.PermuteMeans(hard, len(s.Classes), at.Numbers, most, chance(0))
		target = stat.PermuteMeans(s.Y, len(s.Classes), at.Numbers, most, chance(1))
		guess = stat.PermuteProducts(pick(g.bestValue, rows), at.Numbers, folds, 1, most, chance(2))
	} else {
		rank, back := firstSeen(at.Labels, len(at.Values)) // the names of the classes change no draw
		labels, targets := classify.Confusion(hard, rank, len(s.Classes), len(back)), classify.Confusion(s.Y, rank, len(s.Classes), len(back))
		label = stat.Independence(labels, most, chance(0))
		target = stat.Independence(targets, most, chance(1))
		guess = stat.PermuteWithin(best, at.Labels, folds, 1, most, chance(2))
	}
	c.Measured, c.Draws = true, max(label.Draws, target.Draws, guess.Draws)
	c.LabelP, c.GuessP = label.P, min(1, 2*min(max(guess.P, target.P), given.P))
	return c
}

// correlationMost is the largest number of examples whose dependence on a numeric attribute is
// tested, because each permutation takes time in proportion. It is large enough to find every
// dependence that matters.
const correlationMost = 20000

// correlationRows returns the examples that correlation tests: all of them for a categorical
// attribute, at most correlationMost, drawn by the seed, for a numeric one.
func correlationRows(s *Sample, a int, o Options) []int {
	rows := span(0, s.Len())
	if s.Sensitive[a].Numeric() && len(rows) > correlationMost {
		rows = random(o.Seed, streamIndependence, uint64(len(s.Sensitive))<<8).Perm(len(rows))[:correlationMost]
		slices.Sort(rows)
	}
	return rows
}
