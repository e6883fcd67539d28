package audit

import (
	"math"

	"tattle/stat"
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
	bases := make([]baselineGuess, len(known))
	for i, k := range known {
		bases[i].name = k.name
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
	all := table(group, rank, count, len(back))
	guess := make([]int, len(rank))
	left, every := make([]int, len(back)), make([]int, len(back))
	for k := range folds {
		held := make([][]int, count) // what fold k takes away
		for i, f := range fold {
			if f == k {
				if held[group[i]] == nil {
					held[group[i]] = make([]int, len(back))
				}
				held[group[i]][rank[i]]++
			}
		}
		clear(every)
		for g := range all {
			less(left, all[g], held[g])
			for c, n := range left {
				every[c] += n
			}
		}
		modes := make([]int, count)
		for g := range all {
			modes[g] = back[mode(less(left, all[g], held[g]), every)]
		}
		for i, f := range fold {
			if f == k {
				guess[i] = modes[group[i]]
			}
		}
	}
	return guess
}

// less sets dst to a − b, where a nil b is nothing, and returns it.
func less(dst, a, b []int) []int {
	copy(dst, a)
	for i, v := range b {
		dst[i] -= v
	}
	return dst
}

// mode returns the place of the largest count, the first of equal ones: of counts, or
// of every where all of them are 0.
func mode(counts, every []int) int {
	best, total := 0, 0
	for c, n := range counts {
		total += n
		if n > counts[best] {
			best = c
		}
	}
	if total == 0 && every != nil {
		return mode(every, nil)
	}
	return best
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

// compare holds a guess against one baseline's by Tango's score test.
func compare(name string, truth, guess, base []int, o Options) Baseline {
	n, right := len(truth), 0
	var attack, baseline int
	for i, c := range truth {
		switch g, b := guess[i] == c, base[i] == c; {
		case g && !b:
			attack++
		case b && !g:
			baseline++
		}
		if base[i] == c {
			right++
		}
	}
	limits := stat.PairedDifference(attack, baseline, n, 2*o.Confidence-1)
	d := float64(attack-baseline) / float64(n)
	return Baseline{
		Name: name, Accuracy: new(proportion(right, n)), Balanced: balanced(truth, base),
		AttackAlone: attack, BaselineAlone: baseline,
		Difference:    d,
		StandardError: math.Sqrt(max(0, float64(attack+baseline)/float64(n)-d*d) / float64(n)),
		Low:           limits.Low, High: limits.High,
		P: stat.PairedTest(attack, baseline, n, o.Margin),
	}
}
