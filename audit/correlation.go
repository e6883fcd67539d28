package audit

import (
	"math"

	"tattle/stat"
)

// drawsPerLevel is how many permutations are drawn for each of those that may be at
// least as large where a test just rejects: with 20 the estimated p-value there has a
// relative standard error of 1/√20.
const drawsPerLevel = 20

// draws returns how many permutations a test takes that shares the level with as many
// attributes: at least as asked, and enough for Holm's smallest level.
func draws(asked, attributes int, o Options) int {
	enough := math.Ceil(drawsPerLevel * float64(attributes) / (1 - o.Confidence))
	return max(asked, int(min(enough, maxPermutations)))
}

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
	draws := draws(o.Permutations, len(s.Sensitive), o)
	return Permutation{Draws: draws, P: stat.PermuteWithin(g.best, s.Sensitive[a].Labels,
		strata(s.Y, g.fold, g.folds), draws, random(o.Seed, streamPermute, uint64(a)))}
}

// correlation tests hard label and chosen guess for independence of attribute a,
// not given y. The hard label, which was not fitted to s, by the likelihood ratio of
// the table, or the label's means of a numeric one; the guess by how well it does where
// s is permuted within the folds, for guesses differ between folds by what they were
// fitted on. Its adjusted p-values are filled by Conclude.
func correlation(s *Sample, a int, g *guesses, o Options) Correlation {
	at, hard := &s.Sensitive[a], s.hard()
	label, guess := random(o.Seed, streamIndependence, uint64(2*a)), random(o.Seed, streamIndependence, uint64(2*a+1))
	folds := strata(make([]int, s.Len()), g.fold, g.folds)
	c := Correlation{Measured: true}
	if at.Numeric() {
		c.Draws = draws(min(o.Permutations, numericDraws), 2*len(s.Sensitive), o)
		c.LabelP = stat.PermuteMeans(hard, len(s.Classes), at.Numbers, c.Draws, label)
		c.GuessP = stat.PermuteProducts(g.bestValue, at.Numbers, folds, c.Draws, guess)
		return c
	}
	c.Draws = draws(o.Permutations, 2*len(s.Sensitive), o) // the two tests share Holm's level
	rank, back := firstSeen(at.Labels, len(at.Values))     // what classes are called changes no draw
	labels := table(hard, rank, len(s.Classes), len(back))
	c.Label = between("label", at.Name, labels, o.Confidence)
	c.Target = between(s.Target, at.Name, table(s.Y, rank, len(s.Classes), len(back)), o.Confidence)
	c.LabelP = stat.Independence(labels, c.Draws, label)
	c.GuessP = stat.PermuteWithin(g.best, at.Labels, folds, c.Draws, guess)
	return c
}

// between is information of two labels of any names.
func between(first, second string, counts [][]int, confidence float64) Information {
	i := information(second, counts, confidence)
	i.Between = [2]string{first, second}
	return i
}
