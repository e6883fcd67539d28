package stat

import (
	"cmp"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
)

// StratifiedArea is the area under an ROC curve of pairs within strata: the fraction of
// pairs of a positive and a negative example of the same stratum that the score puts in
// order, ties counting half.
type StratifiedArea struct {
	Area                 float64
	StandardError        float64 // by the placements, as in Interval
	Interval             Interval
	P                    float64 // of "the score has nothing to do with the kind given the stratum", one-sided
	Positives, Negatives int     // in strata that have both
}

// NewStratifiedArea compares scores within the strata, which list examples; all pairs
// count alike. ok is false if no stratum has both kinds.
//
// The interval is NewROC's, with the variance of placements (DeLong's) about the pooled
// area. That is at least their variance about each stratum's own area, and is known of
// strata with one positive example, too.
//
// P is by the sum of the strata's Mann-Whitney statistics, which is normal in the limit,
// with the mean mn/2 and the variance mn/12·(N + 1 − Σ(t³ − t)/(N(N − 1))) that
// permutations within a stratum of m + n = N examples give it, t being the sizes of ties
// (P. van Elteren, Bulletin de l'Institut International de Statistique 37, 1960). stretch
// is as in PermuteWithin. It panics on NaN and where lengths do not fit.
func NewStratifiedArea(score []float64, positive []bool, strata [][]int, stretch, confidence float64) (a StratifiedArea, ok bool) {
	if len(score) != len(positive) || !(0 < confidence && confidence < 1) {
		panic(fmt.Sprintf("stat: area of %d scores and %d labels with confidence %v", len(score), len(positive), confidence))
	}
	checkStretch(stretch)
	var ordered, pairs, variance float64
	var up, down []placement
	for _, at := range strata {
		steps := tieSteps(pickAt(score, at), pickAt(positive, at))
		m, n := countSteps(steps)
		if m == 0 || n == 0 {
			continue
		}
		a.Positives, a.Negatives = a.Positives+m, a.Negatives+n
		ordered += placements(steps, m, n, &up, &down)
		pairs += float64(m) * float64(n)
		variance += rankVariance(steps, m, n)
	}
	if pairs == 0 {
		return a, false
	}
	a.Area = ordered / pairs
	a.StandardError = math.Sqrt(spread(up, a.Area)+spread(down, a.Area)) / pairs
	a.Interval = areaInterval(a.Area, a.StandardError, a.Positives, a.Negatives, confidence)
	a.P = 1
	if variance > 0 {
		a.P = upperNormal((ordered - pairs/2) / math.Sqrt(variance) / stretch)
	}
	return a, true
}

// PermuteArea returns the p-value of the area being as large as it is, or larger, had the
// kinds been dealt out at random among the examples of each stratum. It is exact where
// the P of NewStratifiedArea is normal in the limit: the area is linear in the ranks
// of the positives. It panics as PermuteScores does.
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
	order := slices.Clone(at)
	slices.SortFunc(order, func(i, j int) int { return cmp.Compare(score[i], score[j]) })
	for lo := 0; lo < len(order); {
		hi := lo
		for hi < len(order) && score[order[hi]] == score[order[lo]] {
			hi++
		}
		for _, i := range order[lo:hi] {
			rank[2*i+1] = float64(lo + hi)
		}
		lo = hi
	}
}

// placement is the fraction of the other kind's examples in its stratum that an example
// is in order with, how many these are, and how many examples have this placement.
type placement struct {
	fraction float64
	weight   float64
	count    int
}

// placements adds the placements of a stratum's positives to up and of its negatives to
// down, and returns the number of pairs in order.
func placements(steps []step, m, n int, up, down *[]placement) (ordered float64) {
	above, below := 0, n
	for _, s := range steps {
		below -= s.negatives
		in := float64(below) + float64(s.negatives)/2
		ordered += float64(s.positives) * in
		*up = append(*up, placement{in / float64(n), float64(n), s.positives})
		*down = append(*down, placement{(float64(above) + float64(s.positives)/2) / float64(m), float64(m), s.negatives})
		above += s.positives
	}
	return ordered
}

// spread returns Σ (weight·(fraction − area))² over the examples, times k/(k − 1) for k of
// them.
func spread(p []placement, area float64) float64 {
	sum, k := 0.0, 0.0
	for _, x := range p {
		d := x.weight * (x.fraction - area)
		sum += float64(x.count) * d * d
		k += float64(x.count)
	}
	return sum * k / max(1, k-1)
}

// rankVariance is the variance of the Mann-Whitney statistic over permutations.
func rankVariance(steps []step, m, n int) float64 {
	total, ties := float64(m+n), 0.0
	for _, s := range steps {
		t := float64(s.positives + s.negatives)
		ties += t * (t*t - 1)
	}
	return float64(m) * float64(n) / 12 * (total + 1 - ties/(total*(total-1)))
}

func countSteps(steps []step) (positives, negatives int) {
	for _, s := range steps {
		positives, negatives = positives+s.positives, negatives+s.negatives
	}
	return positives, negatives
}

// pickAt returns the elements of x at the given places.
func pickAt[T any](x []T, at []int) []T {
	y := make([]T, len(at))
	for k, i := range at {
		y[k] = x[i]
	}
	return y
}
