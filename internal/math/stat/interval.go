package stat

import (
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/mathext"
)

// Interval is a confidence interval.
type Interval struct{ Low, High float64 }

// ClopperPearson returns the exact interval for a proportion of which k of n
// were seen: it covers the truth with at least the given confidence, whatever
// the truth (C. J. Clopper and E. S. Pearson, Biometrika 26, 1934). It panics
// unless 0 ≤ k ≤ n, n > 0 and 0 < confidence < 1.
func ClopperPearson(k, n int, confidence float64) Interval {
	checkProportion(k, n, confidence)
	tail := (1 - confidence) / 2
	in := Interval{0, 1}
	if k > 0 {
		in.Low = betaQuantile(float64(k), float64(n-k+1), tail)
	}
	if k < n {
		in.High = 1 - betaQuantile(float64(n-k), float64(k+1), tail)
	}
	return in
}

// betaQuantile returns x with I_x(a, b) = p, the regularised incomplete beta
// function, by bisection down to neighbouring numbers: gonum's inverse misses by
// orders of magnitude where p is far out and a or b is large.
func betaQuantile(a, b, p float64) float64 {
	low, high := bisect(0, 1, toNeighbours, func(x float64) bool { return mathext.RegIncBeta(a, b, x) < p })
	return low + (high-low)/2
}

// toNeighbours are more steps than it takes to halve an interval until no float64 lies between its ends.
const toNeighbours = 1 << 12

// bisect halves an interval, in whichever order its ends are, and keeps the half with one end that is near and one that is
// not, as the ends given are taken to be. It stops after so many steps, or when no float64 lies between the ends.
func bisect(near, far float64, steps int, isNear func(x float64) bool) (_, _ float64) {
	for range steps {
		x := near + (far-near)/2
		if x == near || x == far {
			break
		}
		if isNear(x) {
			near = x
		} else {
			far = x
		}
	}
	return near, far
}

func checkProportion(k, n int, confidence float64) {
	if n <= 0 || k < 0 || k > n || !(0 < confidence && confidence < 1) {
		panic(fmt.Sprintf("stat: interval for %d of %d with confidence %v", k, n, confidence))
	}
}

// mostBet is the most of its capital that BoundedMeanLow stakes on one value: a value
// of zero then leaves a tenth.
const mostBet = .9

// logTogether is the number of factors of the capital whose product has one logarithm. A factor
// is at least 1 − mostBet, and at most 1 + mostBet/m, where m is at least 2⁻⁶⁰: the product
// neither vanishes nor overflows.
const logTogether = 16

// BoundedMeanLow returns a lower confidence limit on the mean of independent draws x of
// one variable with values in [0, 1]: it is at most the mean with a probability of at
// least 1 − alpha, for every such variable and every number of draws.
//
// It is a test by betting (Waudby-Smith and Ramdas, Estimating means of bounded random
// variables by betting, J. Royal Statistical Society B 86, 2024, section 4). Under a mean
// m, the capital Π(1 + λ(x_i − m)) with a λ that does not depend on x and is at most 1/m
// is not negative and has the mean 1, so by Markov's inequality it reaches 1/alpha with a
// probability of at most alpha. The limit is the least m whose capital stays below. λ is
// √(2·log(1/alpha)/(n·variance)), but at most mostBet/m. variance is a guess of the
// variable's variance that was made without x: a bad one costs tightness, never validity.
//
// It panics if x is empty, a value is outside [0, 1], or alpha is not in (0, 1).
func BoundedMeanLow(x []float64, variance, alpha float64) float64 {
	if len(x) == 0 || !(alpha > 0 && alpha < 1) {
		panic(fmt.Sprintf("stat: a limit from %d values at alpha %v", len(x), alpha))
	}
	for _, v := range x {
		if !(v >= 0 && v <= 1) {
			panic(fmt.Sprintf("stat: a value of %v is not between 0 and 1", v))
		}
	}
	need := math.Log(1 / alpha)
	bet := math.Sqrt(2 * need / (float64(len(x)) * max(variance, math.SmallestNonzeroFloat64)))
	rejected := func(m float64) bool {
		lambda, capital := min(bet, mostBet/m), 0.
		for part := range slices.Chunk(x, logTogether) {
			product := 1.
			for _, v := range part {
				product *= 1 + lambda*(v-m)
			}
			capital += math.Log(product)
		}
		return capital >= need
	}
	low, _ := bisect(0, 1, 60, rejected) // the capital falls as m grows, so that what is rejected lies below the limit
	return low
}

// ChernoffLow returns the r ≤ mean with n·kl(mean, r) = ln(1/alpha): where mean is that of n
// independent values in [0, 1], r is at most their expectation with a probability of at
// least 1 − alpha (W. Hoeffding, Probability inequalities for sums of bounded random variables,
// J. American Statistical Association 58, 1963, Theorem 1). It panics unless mean is in [0, 1],
// n is positive and alpha is in (0, 1).
func ChernoffLow(mean float64, n int, alpha float64) float64 {
	if !(mean >= 0 && mean <= 1) || n < 1 || !(alpha > 0 && alpha < 1) {
		panic(fmt.Sprintf("stat: a Chernoff limit of mean %v, %d values, alpha %v", mean, n, alpha))
	}
	need := math.Log(1/alpha) / float64(n)
	low, _ := bisect(0, mean, 200, func(r float64) bool { return divergence(mean, r) > need })
	return low
}

// divergence is kl(p, q) of Bernoulli variables, in nats.
func divergence(p, q float64) (d float64) {
	if p > 0 {
		d += p * math.Log(p/q)
	}
	if p < 1 {
		d += (1 - p) * (math.Log1p(-p) - math.Log1p(-q))
	}
	return d
}
