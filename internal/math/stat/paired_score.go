package stat

import (
	"fmt"
	"math"

	"gonum.org/v1/gonum/stat/distuv"
)

// PairedTest returns the one-sided p-value of the difference of two proportions being
// at most margin, where they were counted on the same n examples and first of these
// were right by the first count alone, second by the second alone: Tango's score test,
// which PairedDifference inverts. At an end below of its interval of confidence 1 − 2p
// it is p. It is 1/2 where the difference seen is the margin. It panics unless the
// counts are at most n, n > 0 and −1 < margin < 1.
func PairedTest(first, second, n int, margin float64) float64 {
	if first < 0 || second < 0 || n <= 0 || first+second > n || !(-1 < margin && margin < 1) {
		panic(fmt.Sprintf("stat: paired test of %d and %d of %d beyond %v", first, second, n, margin))
	}
	d := -margin // turned round, as PairedDifference finds its lower end
	q := alone(second, first, n, d)
	beyond := float64(n)*d - float64(second-first)
	variance := float64(n) * (2*q + d*(1-d))
	if beyond == 0 {
		return .5
	}
	return upperNormal(beyond / math.Sqrt(max(0, variance)))
}

// upperNormal returns the probability that a standard normal variable exceeds z.
func upperNormal(z float64) float64 { return math.Erfc(z/math.Sqrt2) / 2 }

// PairedPower returns the probability, by normal approximation, that PairedTest of n
// examples is at most alpha, where the first is right alone more often than the second
// by the given difference of probabilities and the two differ with probability
// discordant, which counts as the difference at least. It panics unless n > 0, −1 <
// margin < 1 and 0 < alpha < 1.
func PairedPower(n int, discordant, difference, margin, alpha float64) float64 {
	if n <= 0 || !(-1 < margin && margin < 1) || !(0 < alpha && alpha < 1) {
		panic(fmt.Sprintf("stat: power of %d examples beyond %v at %v", n, margin, alpha))
	}
	discordant = min(1, max(discordant, math.Abs(difference)))
	first := int(math.Round(float64(n) * (discordant + difference) / 2))
	second := min(n-first, int(math.Round(float64(n)*(discordant-difference)/2)))
	q := alone(second, first, n, -margin)
	null := math.Sqrt(max(0, 2*q-margin*(1+margin)))
	root := math.Sqrt(float64(n))
	z := distuv.UnitNormal.Quantile(1 - alpha)
	return upperNormal((z*null - root*(difference-margin)) / math.Sqrt(max(1e-300, discordant-difference*difference)))
}

// SmallestDifference returns the smallest difference above the margin, and below 1, that is found; 1 if none is. Whatever
// is larger than a difference that is found must be found, too.
func SmallestDifference(margin float64, found func(difference float64) bool) float64 {
	low, high := margin, 1.
	for high-low > 1e-9 {
		if d := low + (high-low)/2; found(d) {
			high = d
		} else {
			low = d
		}
	}
	return high
}
