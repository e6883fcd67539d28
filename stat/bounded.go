package stat

import (
	"fmt"
	"math"
)

// mostBet is the most of its capital that BoundedMeanLow stakes on one value: a value
// of zero then leaves a tenth.
const mostBet = .9

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
// It panics where x is empty, a value is outside [0, 1], or alpha is not in (0, 1).
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
		for _, v := range x {
			capital += math.Log1p(lambda * (v - m))
		}
		return capital >= need
	}
	// The capital falls as m grows, so that what is rejected lies below the limit.
	low, high := 0., 1.
	for range 60 {
		if m := (low + high) / 2; rejected(m) {
			low = m
		} else {
			high = m
		}
	}
	return low
}
