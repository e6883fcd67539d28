package stat

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/mathext"
	"gonum.org/v1/gonum/stat/distuv"
)

// PairedDifference returns the score interval for the difference of two proportions
// that were counted on the same n examples: first of them were right by the first
// count alone, second by the second alone (T. Tango, Statistics in Medicine 17,
// 1998). It holds the differences Δ that a score test does not refuse,
//
//	|first − second − nΔ| ≤ z·√(n·(2q + Δ(1 − Δ))),
//
// where q is the likeliest probability of the second alone given Δ. It panics
// unless the counts are at most n, n > 0 and 0 < confidence < 1.
func PairedDifference(first, second, n int, confidence float64) Interval {
	if first < 0 || second < 0 || n <= 0 || first+second > n || !(0 < confidence && confidence < 1) {
		panic(fmt.Sprintf("stat: paired difference of %d and %d of %d with confidence %v", first, second, n, confidence))
	}
	z := distuv.UnitNormal.Quantile((1 + confidence) / 2)
	return Interval{-pairedHigh(second, first, n, z), pairedHigh(first, second, n, z)}
}

// pairedHigh bisects for the interval's upper end.
func pairedHigh(first, second, n int, z float64) float64 {
	low, high := bisect(float64(first-second)/float64(n), 1, toNeighbours, func(d float64) bool {
		q := alone(first, second, n, d)
		missing := float64(n)*d - float64(first-second)
		return missing*missing <= z*z*float64(n)*(2*q+d*(1-d))
	})
	return low + (high-low)/2
}

// alone returns the likeliest probability q of the second alone where that of the
// first alone is q + d: the larger root of 2n·q² + b·q + c.
func alone(first, second, n int, d float64) float64 {
	N, f, s := float64(n), float64(first), float64(second)
	b := (2*N-f+s)*d - f - s
	c := -s * d * (1 - d)
	root := math.Sqrt(max(0, b*b-8*N*c))
	if b <= 0 {
		return (root - b) / (4 * N)
	}
	return -2 * c / (root + b) // without cancellation
}

// McNemar returns the probability, where neither count is likelier to be right,
// that at least first of the first+second examples on which they differ are right
// by the first alone: the exact one-sided test of Q. McNemar, Psychometrika 12,
// 1947. It is 1 if they differ on none, and panics on negative counts.
func McNemar(first, second int) float64 {
	if first < 0 || second < 0 {
		panic(fmt.Sprintf("stat: McNemar's test of %d and %d", first, second))
	}
	if first == 0 {
		return 1
	}
	return mathext.RegIncBeta(float64(first), float64(second+1), .5)
}

// Holm adjusts p-values for there being several: that any of the tests whose adjusted
// value is at most α refuses wrongly has probability α at most, however they depend on
// each other (S. Holm, Scandinavian Journal of Statistics 6, 1979).
func Holm(p []float64) []float64 {
	order := make([]int, len(p))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(p[a], p[b]) })
	adjusted, least := make([]float64, len(p)), 0.0
	for k, i := range order {
		least = max(least, min(1, float64(len(p)-k)*p[i]))
		adjusted[i] = least
	}
	return adjusted
}

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
