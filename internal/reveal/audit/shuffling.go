package audit

import (
	"math"

	"tattle/internal/math/stat"

	"gonum.org/v1/gonum/stat/distuv"
)

// Shuffling is what shuffling s within the examples of one y and fold can find. A finding
// beyond the target needs this test, too, and it has nothing to shuffle where few examples share
// y and fold with one of another s.
type Shuffling struct {
	Movable int // examples that share y and fold with one of another s
	// Smallest is the smallest excess over the best baseline that the test finds with
	// PowerProbability; nil if it finds none.
	Smallest *float64
}

// shuffling measures the test of Permutation. A leak of an excess e is guesses that are right for
// certain for a share e/(1 − b) of the examples, where b is the accuracy of the best baseline, and for the others are
// the attack's own, shuffled within the strata. A leak in numbers explains a share of the variance that the
// baseline leaves.
func shuffling(g *guesses, b *Baseline, o Options) *Shuffling {
	at := g.at
	level := distuv.UnitNormal.Quantile(1 - (1-o.Confidence)/float64(testsOf(len(g.in.Sensitive))))
	power := distuv.UnitNormal.Quantile(PowerProbability)
	x := &Shuffling{}
	var mixed [][]int
	for _, rows := range g.in.strata {
		if varies(pick(at.Labels, rows)) || varies(pick(at.Numbers, rows)) {
			mixed, x.Movable = append(mixed, rows), x.Movable+len(rows)
		}
	}
	if len(mixed) == 0 {
		return x
	}
	var leak leakOf
	left := 0.
	if at.Numeric() {
		leak, left = leakOfNumbers(at.Numbers, mixed), 1-max(0, *b.R2)
	} else {
		leak, left = leakOfClasses(g.best, at, mixed), 1-b.Accuracy.Value
	}
	found := func(share float64) bool {
		above, spread, variance := leak(share)
		return variance > 1e-9 && (above-power*spread)/crossFitStretch >= level*math.Sqrt(variance)
	}
	if found(1) {
		x.Smallest = new(stat.SmallestDifference(0, found) * left)
	}
	return x
}

// leakOf returns how far the statistic of a leak of a share is above its mean over the permutations within the strata,
// the standard deviation of that, and the variance over the permutations, as expected over leaks that are drawn.
type leakOf func(share float64) (above, spread, variance float64)

// leakOfClasses is the leak of a categorical attribute, whose statistic is the number of right guesses. With G_k
// guesses and C_k examples of class k among n, their mean is Σ G_k·C_k/n, and the variance (W. Hoeffding, Ann.
// Math. Statist. 22, 1951)
//
//	(Σ G_k·C_k − Σ G_k·C_k·(G_k + C_k)/n + (Σ G_k·C_k/n)²)/(n − 1).
//
// A share σ that is right makes G_k into (1−σ)·G_k + σ·C_k, and adds 1 − C_k/n for each of its examples. From what
// is above, half a step of 2 is taken, which one exchange makes.
func leakOfClasses(guess []int, at *Attribute, mixed [][]int) leakOf {
	k := len(at.Values)
	counts := make([]float64, 2*k*len(mixed)) // of classes and of guesses
	for i, rows := range mixed {
		for _, row := range rows {
			counts[2*k*i+at.Labels[row]]++
			counts[2*k*i+k+guess[row]]++
		}
	}
	return func(share float64) (above, spread, variance float64) {
		for i, rows := range mixed {
			n := float64(len(rows))
			var both, weighted float64
			for j, c := range counts[2*k*i:][:k] {
				g := (1-share)*counts[2*k*i+k+j] + share*c
				both += g * c
				weighted += g * c * (g + c)
				above += share * c * (1 - c/n)
				spread += share * (1 - share) * c * (1 - c/n) * (1 - c/n)
			}
			variance += max(0, both-weighted/n+both*both/(n*n)) / (n - 1)
		}
		return above - crossFitStretch, math.Sqrt(spread + (1-share)*variance), variance
	}
}

// leakOfNumbers is the leak of a numeric attribute, whose statistic is the sum of its products with a signal: the
// numbers less their mean in the stratum, divided by their standard deviation, times √σ, and Gaussian noise of
// variance 1 − σ.
func leakOfNumbers(numbers []float64, mixed [][]int) leakOf {
	var squares, free float64
	deviations := make([]float64, len(mixed))
	for i, rows := range mixed {
		_, deviations[i] = stat.MeanStd(pick(numbers, rows))
		squares += deviations[i] * deviations[i] * float64(len(rows)-1)
		free += float64(len(rows) - 1)
	}
	unit := math.Sqrt(squares / free)
	return func(share float64) (above, spread, variance float64) {
		for i, rows := range mixed {
			own := deviations[i] * deviations[i]
			variance += (share*own/unit/unit + 1 - share) * own * float64(len(rows)-1)
		}
		return math.Sqrt(share) / unit * squares, math.Sqrt((1 - share) * squares), variance
	}
}
