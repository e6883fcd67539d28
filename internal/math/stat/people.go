package stat

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"tattle/internal/math/simd"

	"gonum.org/v1/gonum/stat/distuv"
)

// GroupMeans returns the mean of x in each of n groups, where group[i] is that of x[i]: one value
// for each person who has several. It panics unless every group has a value.
func GroupMeans(x []float64, group []int, n int) []float64 {
	mean, count := make([]float64, n), make([]float64, n)
	for i, g := range group {
		count[g]++
		mean[g] += (x[i] - mean[g]) / count[g]
	}
	if len(x) != len(group) || slices.Contains(count, 0) {
		panic(fmt.Sprintf("stat: %d values in %d groups, some without one", len(x), n))
	}
	return mean
}

// Numbered gives groups the numbers 0, 1, … in the order in which they come, and returns those of all values and how many
// there are.
func Numbered(group []int) (of []int, n int) {
	number := map[int]int{}
	of = make([]int, len(group))
	for i, g := range group {
		k, known := number[g]
		if !known {
			k = len(number)
			number[g] = k
		}
		of[i] = k
	}
	return of, len(number)
}

// FlipTest returns the one-sided p-value of the mean of independent x being at most margin, by
// drawing the signs of x − margin at random. It is exact where each x is symmetric about its
// mean; BetTest needs no such thing. It panics unless draws is positive.
func FlipTest(x []float64, margin float64, draws int, r *rand.Rand) Permuted {
	seen, size := 0., 0.
	for _, v := range x {
		seen, size = seen+v-margin, size+math.Abs(v-margin)
	}
	seen -= 1e-12 * size
	return exceed(draws, enough, r, func() func(*rand.Rand) bool {
		return func(rng *rand.Rand) bool {
			sum, signs := 0., uint64(0)
			for i, v := range x {
				if i%64 == 0 {
					signs = rng.Uint64()
				}
				if signs&1 == 0 {
					sum += v - margin
				} else {
					sum -= v - margin
				}
				signs >>= 1
			}
			return sum >= seen
		}
	})
}

// bets are the shares of the capital that BetTest stakes on a value.
var bets = [...]float64{.01, .02, .04, .08, .15, .3, .6, .95}

// BetTest returns a p-value of the mean of independent x, which lie in [least, 1], being at most
// margin, valid for every distribution of x. Under that hypothesis the capital
//
//	mean over λ of Π (1 + λ·(x − margin)/(margin − least)), λ fixed in (0, 1),
//
// is not negative and has at most the mean 1, so by Markov's inequality it reaches 1/p with
// a probability of at most p. That also holds for draws without replacement: they are negatively associated, so the mean of a
// product of rising functions of them is at most the product of the means (Joag-Dev and Proschan, Annals of Statistics
// 11, 1983). It panics on values outside [least, 1], and unless least < margin < 1.
func BetTest(x []float64, least, margin float64) float64 {
	if !(least < margin && margin < 1) {
		panic(fmt.Sprintf("stat: a bet beyond %v", margin))
	}
	var capital [len(bets)]float64 // its logarithms
	for part := range slices.Chunk(x, logTogether) {
		for k, λ := range bets { // a factor is at least 1 − λ, and at most 2⁴⁰ in BetLow
			product := 1.
			for _, v := range part {
				if !(least <= v && v <= 1) {
					panic(fmt.Sprintf("stat: a bet on %v", v))
				}
				product *= 1 + λ*(v-margin)/(margin-least)
			}
			capital[k] += math.Log(product)
		}
	}
	top, sum := slices.Max(capital[:]), 0.
	for _, c := range capital {
		sum += math.Exp(c - top)
	}
	return min(1, math.Exp(-top)*float64(len(bets))/sum)
}

// BetLow returns the mean above which BetTest of x, all in [0, 1], has a p-value of more than alpha: at most the expectation of
// independent x, or the mean of all from which they were drawn without replacement, with a probability of at least 1 − alpha.
func BetLow(x []float64, alpha float64) float64 {
	low, _ := bisect(0, 1, 40, func(m float64) bool { return BetTest(x, 0, m) <= alpha }) // the capital falls as m grows
	return low
}

// PeoplePower returns the probability, in the normal approximation, that FlipTest and BetTest of n independent values
// in [−1, 1] both find at alpha that their mean is above the margin, if they have the mean and the deviation
// given. With μ the mean less the margin and s² the mean square about the margin, the best bet has a
// capital whose logarithm is nμ²/2s² on average, with a standard deviation of √n·μ/s.
func PeoplePower(n int, mean, deviation, margin, alpha float64) float64 {
	beyond := mean - margin
	if beyond <= 0 {
		return 0
	}
	t := math.Sqrt(float64(n)) * beyond / math.Hypot(deviation, beyond)
	flip := upperNormal(distuv.UnitNormal.Quantile(1-alpha) - t)
	return min(flip, upperNormal((math.Log(float64(len(bets))/alpha)-t*t/2)/t))
}

// bootstrapDraws is how often NewPeopleMean draws the values anew.
const bootstrapDraws = 999

// PeopleMean is the mean of independent values, one for each of several people.
type PeopleMean struct {
	Mean, StandardError float64

	n     int
	least float64   // of all possible values
	t     []float64 // Student's t of values drawn anew; nil if all values are equal
}

// NewPeopleMean returns the mean of x and what its limits need. Values can be from least, 0 or −1, to 1. Of one
// value, the limits say nothing. It panics without values.
func NewPeopleMean(x []float64, least float64, r *rand.Rand) PeopleMean {
	root := math.Sqrt(float64(len(x)))
	mean, sd := MeanStd(x)
	if len(x) == 1 {
		sd = 0
	}
	p := PeopleMean{Mean: mean, StandardError: sd / root, n: len(x), least: least}
	if sd <= 1e-12*math.Abs(mean) { // equal but for rounding
		return p
	}
	seeds := make([]uint64, bootstrapDraws)
	for k := range seeds {
		seeds[k] = r.Uint64()
	}
	p.t = make([]float64, bootstrapDraws)
	simd.Parallel(len(p.t), 8, func(lo, hi int) {
		again := make([]float64, len(x))
		for k := lo; k < hi; k++ {
			rng := rand.New(rand.NewPCG(seeds[k], 0))
			for i := range again {
				again[i] = x[rng.IntN(len(x))]
			}
			m, s := MeanStd(again)
			p.t[k] = (m - mean) / max(s/root, 1e-9*p.StandardError)
		}
	})
	return p
}

// Limits returns one-sided limits of the mean, each at the confidence: the wider of Student's and of the
// bootstrap of Student's t, which allows for skew (B. Efron, Canadian J. of Statistics 9, 1981;
// P. Hall, Annals of Statistics 16, 1988). They are approximate: at 95 %, of samples of 60 people 5 to 8 % were wrong on one side
// the more skewed the values were, and 9 % of samples of 40 people with few values other than 0. Where all values are equal, they
// allow for a rare kind of person who was not drawn: a share p of people is not drawn with probability (1−p)ⁿ, so at
// the confidence p is at most ln(1/(1−confidence))/n, and each of them differs by no more than the possible values do.
func (p PeopleMean) Limits(confidence float64) Interval {
	if p.t == nil {
		unseen := -math.Log(1-confidence) / float64(p.n)
		return Interval{p.Mean - unseen*max(1, p.Mean-p.least), p.Mean + unseen*max(1, 1-p.Mean)}
	}
	student, q := StudentQuantile(confidence, float64(p.n-1)), Quantiles(p.t, 1-confidence, confidence)
	return Interval{p.Mean - max(student, q[1])*p.StandardError, p.Mean + max(student, -q[0])*p.StandardError}
}
