package audit

import (
	"math"
	"math/rand/v2"

	"tattle/stat"

	"gonum.org/v1/gonum/stat/distuv"
)

// Shuffling is what shuffling s within the examples of one y and fold can find. A finding
// beyond the target needs this test, too, and it has nothing to shuffle where few examples share
// y and fold with one of another s.
type Shuffling struct {
	Movable int `json:"movable"` // examples that share y and fold with one of another s
	// Smallest is the smallest excess over the best baseline that the test finds with
	// PowerProbability; nil if it finds none.
	Smallest *float64 `json:"smallest,omitempty"`
}

// shufflingDraws is the number of samples with a leak that are drawn for each excess. Their
// mean and standard deviation give the probability that the test finds the leak.
const shufflingDraws = 32

// shuffling measures the test of Permutation on attribute a. A leak of an excess e is drawn as
// guesses that are right for certain for a share e/(1 − b) of the examples, where b is the
// accuracy of the best baseline, and for the others are the attack's own, shuffled within
// the strata.
func shuffling(s *Sample, a int, g *guesses, b *Baseline, o Options) *Shuffling {
	at := &s.Sensitive[a]
	within := strata(s.Y, g.fold, g.folds)
	level := distuv.UnitNormal.Quantile(1 - (1-o.Confidence)/float64(testsOf(len(s.Sensitive))))
	power := distuv.UnitNormal.Quantile(PowerProbability)
	if at.Numeric() {
		return shufflingNumbers(at.Numbers, within, b, level, power)
	}
	x := &Shuffling{}
	var mixed [][]int
	for _, rows := range within {
		if varies(pick(at.Labels, rows)) {
			mixed, x.Movable = append(mixed, rows), x.Movable+len(rows)
		}
	}
	finds := func(share float64) bool {
		chance := random(o.Seed, streamShuffling, uint64(a)) // the same draws for every share
		z := make([]float64, shufflingDraws)
		for i := range z {
			z[i] = shuffledScore(g.best, at, mixed, share, chance)
		}
		mean, sd := stat.MeanStd(z)
		return mean-power*sd >= level
	}
	if len(mixed) == 0 || !finds(1) {
		return x
	}
	low, high := 0., 1.
	for high-low > 1e-3 {
		if share := low + (high-low)/2; finds(share) {
			high = share
		} else {
			low = share
		}
	}
	x.Smallest = new(high * (1 - b.Accuracy.Value))
	return x
}

// varies reports whether x has two values or more.
func varies[T comparable](x []T) bool {
	for _, v := range x {
		if v != x[0] {
			return true
		}
	}
	return false
}

// shuffledScore draws guesses of which a share is right for certain, and returns by how many
// standard deviations the number of right guesses is above its mean over the permutations
// within the strata, as the test takes it: divided by crossFitStretch, and with half a step of
// 2, which one exchange makes. With guesses G_k and examples C_k of class k among n, the
// mean is Σ G_k·C_k/n, and the variance (W. Hoeffding, Ann. Math. Statist. 22, 1951)
//
//	(Σ G_k·C_k − Σ G_k·C_k·(G_k + C_k)/n + (Σ G_k·C_k/n)²)/(n − 1).
func shuffledScore(guess []int, at *Attribute, mixed [][]int, share float64, chance *rand.Rand) float64 {
	var above, variance float64
	guesses, classes := make([]float64, len(at.Values)), make([]float64, len(at.Values))
	for _, rows := range mixed {
		clear(guesses)
		clear(classes)
		n, order := float64(len(rows)), chance.Perm(len(rows))
		for i, row := range rows {
			label, guessed := at.Labels[row], guess[rows[order[i]]]
			if chance.Float64() < share {
				guessed = label
			}
			if guessed == label {
				above++
			}
			guesses[guessed]++
			classes[label]++
		}
		var both, weighted float64
		for k, c := range classes {
			both += guesses[k] * c
			weighted += guesses[k] * c * (guesses[k] + c)
		}
		above -= both / n
		variance += max(0, both-weighted/n+both*both/(n*n)) / (n - 1)
	}
	if variance < 1e-9 {
		return 0
	}
	return (above/crossFitStretch - 1) / math.Sqrt(variance)
}

// shufflingNumbers is shuffling of a numeric attribute. Within the strata numbers have as many
// degrees of freedom m as there are examples less strata. A prediction that correlates with them
// by ρ is ρ·√m standard deviations above the mean over permutations, and explains ρ² of the variance
// that the baseline leaves.
func shufflingNumbers(numbers []float64, within [][]int, b *Baseline, level, power float64) *Shuffling {
	x, m := &Shuffling{}, 0.
	for _, rows := range within {
		if varies(pick(numbers, rows)) {
			x.Movable, m = x.Movable+len(rows), m+float64(len(rows)-1)
		}
	}
	if explained := math.Pow(crossFitStretch*level+power, 2) / m; explained < 1 {
		x.Smallest = new(explained * (1 - max(0, *b.R2)))
	}
	return x
}
