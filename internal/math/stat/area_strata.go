package stat

import (
	"cmp"
	"fmt"
	"iter"
	"math"
	"math/rand/v2"
	"slices"

	"tattle/internal/math/simd"
)

// StratifiedArea is the area under an ROC curve of pairs within strata: of pairs of a positive and a negative example of
// the same stratum, the fraction that the score puts in order, ties counting half. All examples of a person count as much
// as one, so a pair counts as the product of its examples' shares.
type StratifiedArea struct {
	Area                 float64
	StandardError        float64 // over people, who are independent
	Positives, Negatives int     // people with such examples, in strata that have both kinds
}

// NewStratifiedArea compares scores within the strata, which list examples; person[i], from 0 to people−1, is whom example i
// is about. ok is false if no stratum has both kinds.
//
// The standard error is DeLong's, of the placements about the pooled area (see NewROC), summed over the examples of each person before
// it is squared (N. A. Obuchowski, Biometrics 53, 1997). The variance about the pooled area is at least that about each
// stratum's own, and is known of strata with one positive example, too. It panics on NaN and where lengths do not fit.
func NewStratifiedArea(score []float64, positive []bool, person []int, people int, strata [][]int) (a StratifiedArea, ok bool) {
	if len(score) != len(positive) || len(score) != len(person) {
		panic(fmt.Sprintf("stat: area of %d scores, %d labels and %d people", len(score), len(positive), len(person)))
	}
	share := make([]float64, people)
	for _, p := range person {
		share[p]++
	}
	for p, n := range share {
		share[p] = 1 / n
	}
	up, down := newPlacedPeople(people), newPlacedPeople(people)
	for _, at := range strata {
		positives, negatives := 0., 0.
		for _, i := range at {
			if positive[i] {
				positives += share[person[i]]
			} else {
				negatives += share[person[i]]
			}
		}
		if positives == 0 || negatives == 0 {
			continue
		}
		above, below := 0., negatives // of each step
		for tied := range tiedSteps(score, at) {
			in, out := 0., 0.
			for _, i := range tied {
				if positive[i] {
					in += share[person[i]]
				} else {
					out += share[person[i]]
				}
			}
			below -= out
			for _, i := range tied {
				p, own := person[i], share[person[i]]
				if positive[i] {
					up.add(p, own*(below+out/2), own*negatives)
				} else {
					down.add(p, own*(above+in/2), own*positives)
				}
			}
			above += in
		}
	}
	if a.Positives, a.Negatives = up.count(), down.count(); a.Positives == 0 {
		return a, false
	}
	pairs := simd.Sum(up.pairs)
	a.Area = min(simd.Sum(up.ordered)/pairs, 1)
	variance := 0.
	for p := range people {
		u, d := up.beyond(p, a.Area), down.beyond(p, a.Area)
		variance += u*u*oneMore(a.Positives) + d*d*oneMore(a.Negatives) + 2*u*d
	}
	a.StandardError = math.Sqrt(max(0, variance)) / pairs
	return a, true
}

// oneMore is k/(k − 1), for the variance of k values.
func oneMore(k int) float64 { return float64(k) / float64(max(1, k-1)) }

// tiedSteps yields the given examples by descending score, those of one score together.
func tiedSteps(score []float64, at []int) iter.Seq[[]int] {
	order := slices.Clone(at)
	for _, i := range at {
		if math.IsNaN(score[i]) {
			panic(fmt.Sprintf("stat: area of a NaN, score %d", i))
		}
	}
	slices.SortFunc(order, func(i, j int) int { return cmp.Or(cmp.Compare(score[j], score[i]), cmp.Compare(i, j)) })
	return func(yield func([]int) bool) {
		for lo := 0; lo < len(order); {
			hi := lo
			for hi < len(order) && score[order[hi]] == score[order[lo]] {
				hi++
			}
			if !yield(order[lo:hi]) {
				return
			}
			lo = hi
		}
	}
}

// placedPeople are the pairs of each person's examples of one kind with all examples of the other kind in their strata.
type placedPeople struct{ ordered, pairs []float64 }

func newPlacedPeople(n int) *placedPeople {
	return &placedPeople{make([]float64, n), make([]float64, n)}
}

func (x *placedPeople) add(p int, ordered, pairs float64) {
	x.ordered[p] += ordered
	x.pairs[p] += pairs
}

// beyond returns how many more of the pairs of a person are in order than if the share area were.
func (x *placedPeople) beyond(p int, area float64) float64 { return x.ordered[p] - area*x.pairs[p] }

// count returns how many people have pairs.
func (x *placedPeople) count() (n int) {
	for _, v := range x.pairs {
		if v > 0 {
			n++
		}
	}
	return n
}

// PermuteArea returns the p-value of the area being as large as it is, or larger, had the
// kinds been dealt out at random among the examples of each stratum: the area is linear in
// the ranks of the positives. It panics as PermuteScores does.
func PermuteArea(score []float64, positive []bool, strata [][]int, stretch float64, draws int, r *rand.Rand) Permuted {
	rank, kind := make([]float64, 2*len(score)), make([]int, len(positive))
	for i, p := range positive {
		if p {
			kind[i] = 1
		}
	}
	for _, at := range strata {
		midRanks(rank, score, at)
	}
	return PermuteScores(rank, 2, kind, strata, stretch, draws, r)
}

// midRanks writes twice the rank of each score among those at the given places, up to a
// constant, equal ones sharing their mean, to the second column of rank, [scores, 2].
func midRanks(rank, score []float64, at []int) {
	above := 0
	for tied := range tiedSteps(score, at) {
		for _, i := range tied {
			rank[2*i+1] = -float64(2*above + len(tied))
		}
		above += len(tied)
	}
}

func countSteps(steps []step) (positives, negatives int) {
	for _, s := range steps {
		positives, negatives = positives+s.positives, negatives+s.negatives
	}
	return positives, negatives
}
