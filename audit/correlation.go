package audit

import (
	"math"
	"math/rand/v2"
	"slices"

	"tattle/classify"
	"tattle/stat"
)

// drawsPerLevel is the number of permutations with statistics at least as large as the
// observed one at which a test just rejects: with 20, the estimated p-value there has a
// relative standard error of 1/√20.
const drawsPerLevel = 20

// draws returns the largest number of permutations of a test that shares the level with so
// many attributes: the number in the options, or enough for Holm's smallest level. Fewer are
// drawn if many of the first are as large as the observed statistic.
func draws(asked, attributes int, o Options) int {
	enough := math.Ceil(drawsPerLevel * float64(attributes) / (1 - o.Confidence))
	return max(asked, int(min(enough, maxPermutations)))
}

// crossFitStretch is how many times as far from its mean the number of right guesses is
// at most, as standard deviations go, as it would be had the guesses nothing to do with
// the classes of the other folds: what two examples of different folds have in common by
// chance makes both guesses right, or both wrong, so that where nothing is to be learned
// the sum of n(n−1)/2 such pairs has twice the variance that permutations show, because they
// keep the guesses fixed. With all attacks, 1.15 to 1.2 times the standard deviation was
// measured, and p-values of at most .01 twice as often as they should be.
const crossFitStretch = math.Sqrt2

// strata returns the examples of each y and fold, those without examples left out.
func strata(y, fold []int, folds int) [][]int {
	var found [][]int
	place := map[int]int{}
	for i, f := range fold {
		key := y[i]*folds + f
		at, ok := place[key]
		if !ok {
			at = len(found)
			place[key] = at
			found = append(found, nil)
		}
		found[at] = append(found[at], i)
	}
	return found
}

// permutation is the test of Permutation of a categorical attribute: of the number of
// examples that the chosen guess has right.
func permutation(s *Sample, a int, g *guesses, o Options) Permutation {
	return Permutation(stat.PermuteWithin(g.best, s.Sensitive[a].Labels, strata(s.Y, g.fold, g.folds),
		crossFitStretch, draws(o.Permutations, testsOf(len(s.Sensitive)), o), random(o.Seed, streamPermute, uint64(a))))
}

// correlation tests hard label and chosen guess for independence of attribute a, not
// given y; given is the guess's test given y. Its adjusted p-values are filled by
// Conclude.
//
// The hard label was not fitted to s, so that permutations of s are exact: of the
// likelihood ratio of the table, or of the label's means of a numeric s. The guess was,
// on folds that have their equal shares of y × s and so repeat whatever y and s happen
// to have in common: by itself its test within the folds rejects twice as often as it
// should. It counts only together with a test of y and s, which is exact; what it may
// reveal in addition to y is shown by the test given y. GuessP is twice the smaller of these two, as
// there are two.
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
		rank, back := firstSeen(at.Labels, len(at.Values)) // what classes are called changes no draw
		labels, targets := classify.Confusion(hard, rank, len(s.Classes), len(back)), classify.Confusion(s.Y, rank, len(s.Classes), len(back))
		c.Label, c.Target = classify.Information("label", at.Name, labels, o.Confidence), classify.Information(s.Target, at.Name, targets, o.Confidence)
		label = stat.Independence(labels, most, chance(0))
		target = stat.Independence(targets, most, chance(1))
		guess = stat.PermuteWithin(best, at.Labels, folds, 1, most, chance(2))
	}
	c.Measured, c.Draws = true, max(label.Draws, target.Draws, guess.Draws)
	c.LabelP, c.GuessP = label.P, min(1, 2*min(max(guess.P, target.P), given.P))
	return c
}

// correlationMost is the most examples of numbers whose dependence is tested, each
// permutation taking time in proportion: with so many nothing that is worth naming is
// missed.
const correlationMost = 20000

// correlationRows returns the examples that correlation looks at: all of a categorical
// attribute, else some drawn by the seed.
func correlationRows(s *Sample, a int, o Options) []int {
	rows := make([]int, s.Len())
	for i := range rows {
		rows[i] = i
	}
	if s.Sensitive[a].Numeric() && len(rows) > correlationMost {
		rows = random(o.Seed, streamIndependence, uint64(len(s.Sensitive))<<8).Perm(len(rows))[:correlationMost]
		slices.Sort(rows)
	}
	return rows
}
