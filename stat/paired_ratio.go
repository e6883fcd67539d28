package stat

import (
	"fmt"
	"math"

	"gonum.org/v1/gonum/stat/distuv"
)

// PairedRatio returns the score interval for the ratio of two proportions that were
// counted on the same examples: both of them were right by either count, first by the
// first alone, second by the second alone (J. Nam and W. Blackwelder, Statistics in
// Medicine 21, 2002). It holds the ratios θ that a score test does not refuse,
//
//	|x₁ − θ·x₂| ≤ z·√(m·((1 + θ)·u + θ − 1)),  x₁ = both + first, x₂ = both + second,
//
// m being how many are right by any and u the likeliest part of these that are right
// by the second alone, given θ. How many are right by neither is nothing to it. The
// upper end is infinite where the second is right on none. It panics on negative
// counts and unless 0 < confidence < 1.
func PairedRatio(both, first, second int, confidence float64) Interval {
	if both < 0 || first < 0 || second < 0 || !(0 < confidence && confidence < 1) {
		panic(fmt.Sprintf("stat: paired ratio of %d, %d and %d with confidence %v", both, first, second, confidence))
	}
	z := distuv.UnitNormal.Quantile((1 + confidence) / 2)
	in := Interval{0, math.Inf(1)}
	if both+second > 0 {
		in.High = ratioHigh(both, first, second, z)
	}
	if both+first > 0 {
		in.Low = 1 / ratioHigh(both, second, first, z)
	}
	return in
}

// ratioHigh bisects for the interval's upper end, where the second is right on some.
func ratioHigh(both, first, second int, z float64) float64 {
	low := float64(both+first) / float64(both+second)
	high := 2*low + 1
	for ratioHeld(both, first, second, high, z) && high < 1e12 {
		low, high = high, 2*high
	}
	for {
		theta := low + (high-low)/2
		if theta <= low || theta >= high {
			return theta
		}
		if ratioHeld(both, first, second, theta, z) {
			low = theta
		} else {
			high = theta
		}
	}
}

// ratioHeld reports whether the score test does not refuse the ratio theta.
func ratioHeld(both, first, second int, theta, z float64) bool {
	m := float64(both + first + second)
	missing := theta*float64(both+second) - float64(both+first)
	u := secondAlone(float64(both), float64(first), float64(second), theta)
	return missing*missing <= z*z*m*max(0, (1+theta)*u+theta-1)
}

// secondAlone returns the u in [max(0, 1−θ), 1/(1+θ)] that maximises the likelihood
//
//	both·ln(1 − (1+θ)u) + first·ln(u + θ − 1) + second·ln u:
//
// given θ, the parts of those right by any that are right by the second alone, u, by
// the first alone, (u + θ − 1)/θ, and by both, (1 − (1+θ)u)/θ. The derivative, times
// what it is divided by, is a quadratic in u.
func secondAlone(both, first, second, theta float64) float64 {
	a := (1 + theta) * (both + first + second)
	b := both*(theta*theta-1) - first - second*(2-theta*theta)
	c := -second * (theta - 1)
	root := math.Sqrt(max(0, b*b-4*a*c))
	u := (root - b) / (2 * a)
	if b > 0 {
		u = -2 * c / (root + b) // without cancellation
	}
	return min(max(u, 0, 1-theta), 1/(1+theta))
}
