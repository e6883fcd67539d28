package audit

import (
	"fmt"
	"math/rand/v2"
	"slices"

	"tattle/internal/engine/classify"
	"tattle/internal/math/stat"
)

// Where people have several examples, every figure is a mean over people of the mean over a person's examples: what
// holds for a random person and a random example of theirs. People are independent of one another, the examples of a
// person are not, so tests and limits count people. Shuffling s within y would divide people, so it is no valid test of means;
// those of people take its place. A test by signs is exact where these are symmetric, and a bet
// against their mean holds for any skew: a verdict needs both.

// grouped reports whether some person has several examples.
func (x *folded) grouped() bool { return x.people < x.Len() }

// byPerson returns the mean over each person's examples.
func (x *folded) byPerson(v []float64) []float64 {
	if !x.grouped() {
		return v
	}
	return stat.GroupMeans(v, x.person, x.people)
}

// counts returns what each of some examples counts for: all examples of a person among them together for one.
func (x *folded) counts(rows []int) []float64 {
	n, weight := make([]float64, x.people), make([]float64, len(rows))
	for _, i := range rows {
		n[x.person[i]]++
	}
	for k, i := range rows {
		weight[k] = 1 / n[x.person[i]]
	}
	return weight
}

// one is 1 if something is so, else 0.
func one(is bool) float64 {
	if is {
		return 1
	}
	return 0
}

// accuracy returns how often guesses are right, and of grouped examples what the limits of their mean over
// people follow from.
func (x *folded) accuracy(guess, truth []int, chance *rand.Rand) (*classify.Proportion, *stat.PeopleMean) {
	if !x.grouped() {
		return new(classify.Accuracy(guess, truth)), nil
	}
	p, m := classify.AccuracyOfPeople(guess, truth, x.person, x.people, chance)
	return &p, m
}

// testPeople estimates and tests the mean of one value for each person: P by signs, and a bet in which each counts for
// at most 1: an example, a bit or the attribute's variance.
func testPeople(v []float64, margin float64, o Options, chance *rand.Rand) (stat.MeanEstimate, *stat.PeopleMean, float64) {
	m := stat.NewPeopleMean(v, -1, chance)
	in := m.Limits(o.Confidence)
	e := stat.MeanEstimate{Mean: m.Mean, StandardError: m.StandardError, Low: in.Low, High: in.High}
	e.P = stat.FlipTest(v, margin, max(o.Permutations, numericDraws), chance).P
	part := make([]float64, len(v))
	for i, x := range v {
		part[i] = min(max(x, -1), 1)
	}
	return e, &m, stat.BetTest(part, -1, margin)
}

// areaDraws is how often permuteArea draws one example of each person.
const areaDraws = 20

// permuteArea tests the order of scores by dealing the kinds out at random within the strata. Where people have several examples,
// one of each person is drawn, areaDraws times. These are independent of one another, so each time the p-value is valid, and twice
// the mean of valid p-values is valid however they depend on each other (V. Vovk and R. Wang, Combining p-values via averaging,
// Biometrika 107, 2020).
func (x *folded) permuteArea(score []float64, positive []bool, most int, chance *rand.Rand) Permutation {
	if !x.grouped() {
		return stat.PermuteArea(score, positive, x.alike, crossFitStretch, most, chance)
	}
	var all Permutation
	for range areaDraws {
		drawn, met := make([]int, x.people), make([]int, x.people)
		for i, p := range x.person {
			if met[p]++; chance.IntN(met[p]) == 0 {
				drawn[p] = i
			}
		}
		some := make([][]int, len(x.alike))
		for k, at := range x.alike {
			for _, i := range at {
				if drawn[x.person[i]] == i {
					some[k] = append(some[k], i)
				}
			}
		}
		one := stat.PermuteArea(score, positive, some, crossFitStretch, most, chance)
		all.Draws, all.P = all.Draws+one.Draws, all.P+2*one.P/areaDraws
	}
	all.P = min(1, all.P)
	return all
}

// own returns the label of each person, and false if some person has several.
func (x *folded) own(labels []int) ([]int, bool) {
	of := slices.Repeat([]int{-1}, x.people)
	for i, l := range labels {
		if p := x.person[i]; of[p] < 0 {
			of[p] = l
		} else if of[p] != l {
			return nil, false
		}
	}
	return of, true
}

// shares returns the share of each class among the examples of each person, [people, classes].
func (x *folded) shares(class []int, classes int) []float64 {
	sum, n := make([]float64, x.people*classes), make([]float64, x.people)
	for i, c := range class {
		sum[x.person[i]*classes+c]++
		n[x.person[i]]++
	}
	for i := range sum {
		sum[i] /= n[i/classes]
	}
	return sum
}

// dependenceOfPeople is dependence where people have several examples: their labels are dealt out at random
// among people. An attribute that differs within a person, or is numeric, has no such test.
func dependenceOfPeople(g *guesses, o Options, chance func(i int) *rand.Rand) (label, target, guess stat.Permuted) {
	x, none := g.in, stat.Permuted{P: 1}
	of, same := x.own(g.target.Labels)
	if g.at.Numeric() || !same {
		return none, none, none
	}
	most, k := fewDraws(3*len(x.Sensitive), o), len(x.Classes)
	back := make([]int, len(g.at.Values)) // from the attribute's classes to the target's
	for to, from := range g.back {
		back[from] = to
	}
	label = stat.PermuteMeans(of, len(g.back), x.shares(x.label, k), most, chance(0))
	target = stat.PermuteMeans(of, len(g.back), x.shares(x.Y, k), most, chance(1))
	guess = stat.PermuteScores(x.shares(pick(back, g.best), len(g.back)), len(g.back), of, [][]int{span(0, x.people)}, 1, most, chance(2))
	return label, target, guess
}

// dealt returns a sample with every attribute dealt out anew among people whose examples have the same y, and how
// many people could get another's. It returns nil if an attribute is not one of people.
func (s *Sample) dealt(r *rand.Rand) (t *Sample, movable int) {
	x := &folded{Sample: s}
	x.person, x.people = s.people()
	alike := map[string][]int{}
	var keys []string
	for p, rows := range byLabel(x.person, x.people) {
		key := fmt.Sprint(slices.Sorted(slices.Values(pick(s.Y, rows))))
		if alike[key] == nil {
			keys = append(keys, key)
		}
		alike[key] = append(alike[key], p)
	}
	from := span(0, x.people)
	for _, key := range keys {
		at := alike[key]
		if shuffleAt(from, at, r); len(at) > 1 {
			movable += len(at)
		}
	}
	t = s.Subset(span(0, s.Len()))
	for a := range t.Sensitive {
		of, same := x.own(s.Sensitive[a].Labels)
		if s.Sensitive[a].Numeric() || !same {
			return nil, 0
		}
		for i, p := range x.person {
			t.Sensitive[a].Labels[i] = of[from[p]]
		}
	}
	return t, movable
}
