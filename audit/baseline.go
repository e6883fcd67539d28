package audit

import (
	"math"

	"tattle/classify"
)

// baselineGuess is what one baseline, learned on the other folds, guesses of every
// example: classes, or numbers of a numeric attribute.
type baselineGuess struct {
	name  string
	guess []int
	value []float64
}

// baselineGuesses returns those of Majority, FromTarget, FromLabel and FromBoth of attribute
// a, cross-fitted on the folds: the most frequent class, or the mean, among the
// examples of the other folds, all or those of the same y, hard label or both. Where these
// have no such example it is that of all.
func baselineGuesses(s *Sample, a int, fold []int, folds int) []baselineGuess {
	hard, classes := s.hard(), len(s.Classes)
	known := []struct {
		name  string
		group []int
		count int
	}{{Majority, make([]int, s.Len()), 1}, {FromTarget, s.Y, classes}, {FromLabel, hard, classes}, {FromBoth, jointly(s.Y, hard, classes), classes * classes}}
	if s.Kind == Vector { // no label is answered, and there may be no target
		if known = known[:2]; !s.targeted() {
			known = known[:1]
		}
	}
	bases := make([]baselineGuess, len(known))
	for i, k := range known {
		if bases[i].name = k.name; k.name == FromTarget && s.YNumbers != nil {
			bases[i] = numberBaseline(s, a, fold, folds)
			continue
		}
		if at := &s.Sensitive[a]; at.Numeric() {
			bases[i].value = groupMeans(at.Numbers, k.group, k.count, fold, folds)
		} else {
			bases[i].guess = groupModes(at, k.group, k.count, fold, folds)
		}
	}
	return bases
}

// groupModes guesses the most frequent class among the other folds' examples of each
// example's group; of equally frequent ones that whose first example comes first.
func groupModes(at *Attribute, group []int, count int, fold []int, folds int) []int {
	rank, back := firstSeen(at.Labels, len(at.Values))
	guess := make([]int, len(rank))
	for k := range folds {
		train, test := parts(fold, k)
		modes := classify.MostFrequent(pick(group, train), pick(rank, train), count, len(back))
		for _, i := range test {
			guess[i] = back[modes[group[i]]]
		}
	}
	return guess
}

// groupMeans guesses the mean of the other folds' examples of each example's group.
func groupMeans(numbers []float64, group []int, count int, fold []int, folds int) []float64 {
	value := make([]float64, len(numbers))
	for k := range folds {
		sum, n := make([]float64, count+1), make([]float64, count+1) // the last is of all
		for i, v := range numbers {
			if fold[i] != k {
				for _, g := range [2]int{group[i], count} {
					n[g]++
					sum[g] += (v - sum[g]) / n[g] // the mean so far
				}
			}
		}
		for i := range numbers {
			if fold[i] == k {
				g := group[i]
				if n[g] == 0 {
					g = count
				}
				value[i] = sum[g]
			}
		}
	}
	return value
}

// compare compares a guess with one baseline's.
func compare(name string, truth, guess, base []int, o Options) Baseline {
	c := classify.Compare(guess, base, truth)
	limits := c.Interval(2*o.Confidence - 1)
	d, n := c.Difference(), float64(c.Examples)
	return Baseline{
		Name: name, Accuracy: new(classify.Accuracy(base, truth)),
		AttackAlone: c.First, BaselineAlone: c.Second,
		Difference:    d,
		StandardError: math.Sqrt(max(0, float64(c.First+c.Second)/n-d*d) / n),
		Low:           limits.Low, High: limits.High,
		P: c.P(*o.Margin),
	}
}

// comparison returns the counts of the comparison, on n examples.
func (b *Baseline) comparison(n int) classify.Comparison {
	return classify.Comparison{First: b.AttackAlone, Second: b.BaselineAlone, Examples: n}
}
