package stat

import (
	"cmp"
	"fmt"
	"iter"
	"math"
	"math/rand/v2"
	"slices"

	"gonum.org/v1/gonum/stat/distuv"

	"tattle/internal/math/simd"
)

// ROC is a receiver operating characteristic: how well a score separates two kinds of examples,
// at every threshold.
type ROC struct {
	Points               []Point // from (0, 0) to (1, 1); those on a line between others are left out
	Area                 float64 // of a pair of a positive and a negative example, the fraction in order, ties counting half
	Interval             Interval
	Positives, Negatives int
}

// Point is a point of an ROC curve.
type Point struct{ False, True float64 } // rates of false and of true positives

// NewROC compares the scores of the examples that are positive with those of the
// others. Examples of equal score are one step of the curve. The area's interval is
// the longer, at either end, of E. R. DeLong's et al., Biometrics 44, 1988, on the
// logit scale, which follows what was seen, and a score interval, whose variance
// follows the area (see scoreEnd): with few examples of a kind, none of which happens
// to lie far off, DeLong's is too sure. Where either kind has one example it is all of
// [0, 1]. Where the score separates the kinds or is constant, DeLong's variance is 0,
// and what min(positives, negatives) disjoint pairs allow takes its place. It panics
// where there is no positive or no negative example, and on NaN.
func NewROC(score []float64, positive []bool, confidence float64) ROC {
	if len(score) != len(positive) || !(0 < confidence && confidence < 1) {
		panic(fmt.Sprintf("stat: ROC of %d scores and %d labels with confidence %v", len(score), len(positive), confidence))
	}
	all := make([]int, len(score))
	for i := range all {
		all[i] = i
	}
	steps := tieSteps(score, positive, all)
	var r ROC
	r.Positives, r.Negatives = countSteps(steps)
	if r.Positives == 0 || r.Negatives == 0 {
		panic(fmt.Sprintf("stat: ROC of %d positive and %d negative examples", r.Positives, r.Negatives))
	}
	r.Points = curve(steps, r.Positives, r.Negatives)
	a, _ := NewStratifiedArea(score, positive, all, len(all), [][]int{all})
	r.Area, r.Interval = a.Area, areaInterval(a.Area, a.StandardError, r.Positives, r.Negatives, confidence)
	return r
}

// step holds the numbers of examples of one score.
type step struct{ positives, negatives int }

// tieSteps returns the examples by descending score.
func tieSteps(score []float64, positive []bool, all []int) (steps []step) {
	for tied := range tiedSteps(score, all) {
		var s step
		for _, i := range tied {
			if positive[i] {
				s.positives++
			} else {
				s.negatives++
			}
		}
		steps = append(steps, s)
	}
	return steps
}

// curve adds the steps up; neighbours of one slope become one.
func curve(steps []step, positives, negatives int) []Point {
	points := []Point{{0, 0}}
	var last, at step
	for i, s := range steps {
		if i > 0 && last.positives*s.negatives == last.negatives*s.positives {
			points = points[:len(points)-1]
		}
		last = s
		at.positives, at.negatives = at.positives+s.positives, at.negatives+s.negatives
		points = append(points, Point{float64(at.negatives) / float64(negatives), float64(at.positives) / float64(positives)})
	}
	return points
}

// Thin returns at most n points that draw nearly the same curve: both ends and points between them,
// equally many steps apart. It panics unless n ≥ 2.
func (r ROC) Thin(n int) []Point {
	if n < 2 {
		panic(fmt.Sprintf("stat: curve of %d points", n))
	}
	if len(r.Points) <= n {
		return slices.Clone(r.Points)
	}
	thin := make([]Point, n)
	for i := range thin {
		thin[i] = r.Points[i*(len(r.Points)-1)/(n-1)]
	}
	return thin
}

// areaInterval returns the longer of two intervals at either end, as NewROC says.
func areaInterval(area, deviation float64, positives, negatives int, confidence float64) Interval {
	pairs := min(positives, negatives)
	if pairs < 2 {
		return Interval{0, 1}
	}
	in := logitInterval(area, deviation, confidence)
	if deviation == 0 {
		in = pairsInterval(area, pairs, confidence)
	}
	z := distuv.UnitNormal.Quantile((1 + confidence) / 2)
	m, n := float64(positives), float64(negatives)
	return Interval{min(in.Low, scoreEnd(area, 0, z, m, n)), max(in.High, scoreEnd(area, 1, z, m, n))}
}

// logitInterval takes area ± z·deviation on the logit scale, whose derivative is
// 1/(area·(1 − area)).
func logitInterval(area, deviation, confidence float64) Interval {
	logit := math.Log(area / (1 - area))
	half := distuv.UnitNormal.Quantile((1+confidence)/2) * deviation / (area * (1 - area))
	return Interval{1 / (1 + math.Exp(half-logit)), 1 / (1 + math.Exp(-half-logit))}
}

// pairsInterval is that of an area of 0, 1 or, where all scores are equal, 1/2. pairs is
// how many pairs can be formed of which no two share an example: that all of them are
// in order has probability area^pairs, and that all are tied the pairs-th power of a
// tie's, less than which leaves the area free.
func pairsInterval(area float64, pairs int, confidence float64) Interval {
	same := math.Pow((1-confidence)/2, 1/float64(pairs)) // the least probability of what all pairs show
	switch area {
	case 1:
		return Interval{same, 1}
	case 0:
		return Interval{0, 1 - same}
	}
	return Interval{same / 2, 1 - same/2}
}

// scoreEnd bisects between the area that was seen and end, 0 or 1, for the area θ that
// is z of its own standard deviations away.
func scoreEnd(area, end, z, m, n float64) float64 {
	inside, _ := bisect(area, end, 60, func(t float64) bool {
		v := max(exponentialVariance(t, m, n), exponentialVariance(t, n, m))
		return (area-t)*(area-t) <= z*z*v
	})
	return inside
}

// exponentialVariance is that of an area whose expectation is θ, for exponential scores
// of m positives and n negatives (J. A. Hanley and B. J. McNeil, Radiology 143, 1982),
//
//	(θ(1−θ) + (m−1)·(θ/(2−θ) − θ²) + (n−1)·(2θ²/(1+θ) − θ²)) / mn,
//
// where θ/(2−θ) is the probability that two positives exceed one negative and
// 2θ²/(1+θ) that one positive exceeds two negatives. With m and n exchanged it is that
// of the scores' negatives.
func exponentialVariance(theta, m, n float64) float64 {
	t := theta
	return (t*(1-t) + (m-1)*(t/(2-t)-t*t) + (n-1)*(2*t*t/(1+t)-t*t)) / (m * n)
}

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
