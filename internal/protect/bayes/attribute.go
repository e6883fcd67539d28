package bayes

import (
	"math"
	"slices"

	"tattle/internal/math/simd"
	"tattle/internal/math/stat"
)

// Majority returns the share of right guesses of the attribute without a release. alone is for
// the most frequent class. given is for the most frequent class among the candidates with the
// same target (0 without targets).
func (a Attribute) Majority() (alone, given float64) {
	alone = slices.Max(a.Shares())
	for _, y := range a.targets() {
		given += slices.Max(a.shares(func(j int) bool { return a.Target[j] == y }))
	}
	return alone, min(given, 1)
}

// Shares returns the prior probability of each class.
func (a Attribute) Shares() []float64 { return a.shares(func(int) bool { return true }) }

// shares returns the prior probability of each class together with that of a candidate that keep accepts.
func (a Attribute) shares(keep func(j int) bool) []float64 {
	p, count := make([]float64, a.Classes), float64(len(a.Class))
	for j, c := range a.Class {
		switch {
		case !keep(j):
		case a.Prior != nil:
			p[c] += a.Prior[j]
		default:
			p[c]++
		}
	}
	for c := range p {
		if a.Prior == nil {
			p[c] /= count
		}
		p[c] = min(p[c], 1)
	}
	return p
}

// Counts returns the number of independent draws of each class: candidates, or people, who must have one class; false if
// some have two.
func (a Attribute) Counts() ([]int, bool) {
	n, last := make([]int, a.Classes), -1
	for j, c := range a.Class {
		switch {
		case a.People == nil || a.People[j] != last:
			n[c]++
		case a.Class[j-1] != c:
			return nil, false
		}
		if a.People != nil {
			last = a.People[j]
		}
	}
	return n, true
}

// targets returns the different targets, in the order of the candidates.
func (a Attribute) targets() []int {
	var all []int
	seen := map[int]bool{}
	for _, y := range a.Target {
		if !seen[y] {
			seen[y] = true
			all = append(all, y)
		}
	}
	return all
}

// Entropies returns the entropy H(s) of the attribute and its entropy H(s|y) given the target,
// in bits.
func (a Attribute) Entropies() (alone, given float64) {
	bits := func(shares []float64) float64 {
		total := simd.Sum(shares)
		if total == 0 {
			return 0
		}
		simd.Scale(1/total, shares)
		return stat.EntropyBits(shares) * total
	}
	alone = bits(a.Shares())
	for _, y := range a.targets() {
		given += bits(a.shares(func(j int) bool { return a.Target[j] == y }))
	}
	return alone, given
}

// AttributeBits returns how many bits the release reveals about attribute k; a describes the
// attribute. alone is H(s) − E[H(s|Y)]. given is for adversaries who also know the target
// class, H(s|y) − E[H(s|Y,y)] (0 without targets).
func (r *Result) AttributeBits(k int, a Attribute, alpha float64) (alone, given Limit) {
	x, left := make([]float64, len(r.Draws)), make([]float64, len(r.Draws))
	for b, in := range r.Attributes[k] {
		x[b], left[b] = in.Entropy, in.GivenEntropy
	}
	all := math.Log2(float64(a.Classes))
	off := r.Rounding * (all + 2) // see Bits
	gain := func(entropy float64, x []float64) Limit {
		l := limits(x, all, 0, alpha)
		return Limit{max(entropy-l.Mean, 0), max(entropy-l.High-off, 0), min(max(entropy-l.Low+off, 0), entropy)}
	}
	h, knowing := a.Entropies()
	alone = gain(h, x)
	if a.Target != nil {
		given = gain(knowing, left)
	}
	return alone, given
}

// AUC returns the area under the ROC curve of the best adversary with the list who separates
// the second class of attribute k from the first; a describes the attribute. No score has a
// larger area than the posterior (Neyman and Pearson). The draws of the two classes are
// independent, so Hoeffding's limit for two-sample U statistics (1963, 5b) holds with the
// smaller number of draws. If a class has no draws, the limits are 0 and 1.
func (r *Result) AUC(k int, a Attribute, alpha float64) Limit {
	var scores [2][]float64
	for b, d := range r.Draws {
		class := a.Class[d.Truth]
		scores[class] = append(scores[class], r.Attributes[k][b].Score[1])
	}
	n := min(len(scores[0]), len(scores[1]))
	if n == 0 {
		return Limit{.5, 0, 1}
	}
	slices.Sort(scores[0])
	var mean, low, high float64
	for _, y := range scores[1] {
		mean += below(scores[0], y)
		low += below(scores[0], y*(1-2*r.Rounding))
		high += below(scores[0], y*(1+2*r.Rounding))
	}
	pairs := float64(len(scores[0]) * len(scores[1]))
	off := math.Sqrt(math.Log(1/alpha) / 2 / float64(n))
	return Limit{mean / pairs, max(low/pairs-off, 0), min(high/pairs+off, 1)}
}

// below returns how many of the sorted scores are below y, and half of those that equal it.
func below(sorted []float64, y float64) float64 {
	from, _ := slices.BinarySearch(sorted, y)
	to, _ := slices.BinarySearch(sorted, math.Nextafter(y, math.Inf(1)))
	return float64(from+to) / 2
}
