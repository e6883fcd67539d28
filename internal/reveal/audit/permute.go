package audit

import (
	"math"
	"math/rand/v2"

	"tattle/internal/engine/classify"
	"tattle/internal/math/stat"
)

// Permutation is the test of "given y, guess and s have nothing to do with each
// other" by permuting s within the examples of one y and one fold. Where people have several
// examples, P is that of a bet instead, and nothing is drawn.
type Permutation = stat.Permuted

// permute tests the excess by permutations.
func (f *Finding) permute(g *guesses, o Options) {
	tests, chance := testsOf(len(g.in.Sensitive)), random(o.Seed, streamPermute, uint64(g.attribute))
	switch {
	case g.in.grouped(): // a shuffle would divide people
		for _, b := range f.Baselines {
			f.Permutation.P = max(f.Permutation.P, b.Bet)
		}
	case f.Numeric:
		f.Permutation = stat.PermuteProducts(g.bestValue, g.at.Numbers, g.in.strata, crossFitStretch, fewDraws(tests, o), chance)
	default:
		f.Permutation = stat.PermuteWithin(g.best, g.at.Labels, g.in.strata, crossFitStretch, draws(o.Permutations, tests, o), chance)
	}
}

// permute tests the gain by permutations, unless a bet has, and the AUC.
func (x *Given) permute(g *guesses, o Options) {
	tests, chance := testsOf(len(g.in.Sensitive)), random(o.Seed, streamGiven, uint64(g.attribute))
	switch {
	case g.in.grouped():
	case g.at.Numeric():
		x.Permutation = stat.PermuteProducts(g.added, g.at.Numbers, g.in.alike, crossFitStretch, fewDraws(tests, o), chance)
	default:
		x.Permutation = stat.PermuteScores(g.added, len(g.back), g.target.Labels, g.in.alike, crossFitStretch, fewDraws(tests, o), chance)
	}
	if !g.at.Numeric() {
		x.Order = order(g, o)
	}
}

// testsOf returns the number of tests that can raise the verdict: three for each attribute,
// of its accuracy, gain and AUC.
func testsOf(attributes int) int { return 3 * attributes }

// drawsPerLevel is how many permutations are expected to reach the observed statistic if the
// p-value is equal to the level of the test. With 20, the estimate of such a p-value has a
// relative standard error of 1/√20.
const drawsPerLevel = 20

// draws returns the largest number of permutations of a test. It is the larger of asked, the number in the
// options, and the number that Holm's smallest level needs for this many tests.
// A test draws fewer if many of the first permutations reach the observed statistic.
func draws(asked, attributes int, o Options) int {
	enough := math.Ceil(drawsPerLevel * float64(attributes) / (1 - o.Confidence))
	return max(asked, int(min(enough, maxPermutations)))
}

// fewDraws is draws of what takes time in proportion to the examples.
func fewDraws(tests int, o Options) int { return draws(min(o.Permutations, numericDraws), tests, o) }

// crossFitStretch corrects the standard deviation of the number of right guesses. Permutations
// keep the guesses fixed, but the guesses of a fold were fitted on the other folds. If two
// examples of different folds are alike by chance, both guesses are right or both are wrong.
// So even if there is nothing to learn, the true variance is up to twice the variance over
// permutations, and its standard deviation up to √2 times as large. Measured with all
// attacks: 1.15 to 1.2 times, and p-values of at most .01 twice as often as they should be.
const crossFitStretch = math.Sqrt2

// numericDraws is how many permutations of numbers are drawn at least: each takes time
// in proportion to the examples.
const numericDraws = 999

// Correlation tests whether the outputs depend on s: the answered label and the chosen guess, not
// given y, and the scores given y and the answered label. Leaky rests on it.
type Correlation struct {
	LabelP   float64
	GuessP   float64 // of the chosen guess and s
	LabelQ   float64 // Holm's over the tests of all attributes
	GuessQ   float64
	GivenQ   float64 // of Given.Permutation
	OrderQ   float64 // of Given.Order.Permutation
	Measured bool    // false if there was nothing to test
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
	chance := func(i int) *rand.Rand { return random(o.Seed, streamIndependence, uint64(3*g.attribute+i)) }
	dependence := dependence
	if g.in.grouped() {
		dependence = dependenceOfPeople
	}
	label, target, guess := dependence(g, o, chance)
	return Correlation{LabelP: label.P, GuessP: min(1, 2*min(max(guess.P, target.P), given.P)), Measured: true}
}

// dependence tests the answered label and y against an attribute, and the guess within the folds.
func dependence(g *guesses, o Options, chance func(i int) *rand.Rand) (label, target, guess stat.Permuted) {
	x, attributes, k := g.in, len(g.in.Sensitive), len(g.in.Classes)
	if g.at.Numeric() {
		most := fewDraws(3*attributes, o)
		rows := drawRows(x.Len(), correlationMost, random(o.Seed, streamIndependence, uint64(attributes)<<8))
		numbers := pick(g.at.Numbers, rows)
		folds := groupsOf(pick(x.fold, rows), make([]int, len(rows)))
		label = stat.PermuteMeans(pick(x.label, rows), k, numbers, most, chance(0))
		target = stat.PermuteMeans(pick(x.Y, rows), k, numbers, most, chance(1))
		guess = stat.PermuteProducts(pick(g.bestValue, rows), numbers, folds, 1, most, chance(2))
		return label, target, guess
	}
	most := draws(o.Permutations, 3*attributes, o) // three tests share Holm's level; the names of the classes change no draw
	label = stat.Independence(classify.Confusion(x.label, g.target.Labels, k, len(g.back)), most, chance(0))
	target = stat.Independence(classify.Confusion(x.Y, g.target.Labels, k, len(g.back)), most, chance(1))
	guess = stat.PermuteWithin(g.best, g.at.Labels, groupsOf(x.fold, make([]int, x.Len())), 1, most, chance(2))
	return label, target, guess
}

// correlationMost is the largest number of examples whose dependence on a numeric attribute is
// tested, because each permutation takes time in proportion. It is large enough to find every
// dependence that matters.
const correlationMost = 20000
