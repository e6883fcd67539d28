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
const shufflingDraws = 96

// shuffling measures the test of Permutation on attribute a. A leak of an excess e is drawn as
// guesses that are right for certain for a share e/(1 − b) of the examples, where b is the
// accuracy of the best baseline, and for the others are the attack's own, shuffled within
// the strata.
func shuffling(s *Sample, a int, g *guesses, b *Baseline, o Options) *Shuffling {
	at := &s.Sensitive[a]
	within := strata(s.Y, g.fold, g.folds)
	level := distuv.UnitNormal.Quantile(1 - (1-o.Confidence)/float64(testsOf(len(s.Sensitive))))
	power := distuv.UnitNormal.Quantile(PowerProbability)
	draws := func() *rand.Rand { return random(o.Seed, streamShuffling, uint64(a)) }
	if at.Numeric() {
		return shufflingNumbers(at.Numbers, within, b, level, power, draws)
	}
	x := &Shuffling{}
	var mixed [][]int
	for _, rows := range within {
		if varies(pick(at.Labels, rows)) {
			mixed, x.Movable = append(mixed, rows), x.Movable+len(rows)
		}
	}
	finds := func(share float64) bool {
		chance := draws() // the same for every share
		z := make([]float64, shufflingDraws)
		for i := range z {
			z[i] = shuffledScore(g.best, at, mixed, share, chance)
		}
		mean, sd := stat.MeanStd(z)
		return mean-power*sd >= level
	}
	if len(mixed) == 0 {
		return x
	}
	if share, ok := least(finds); ok {
		x.Smallest = new(share * (1 - b.Accuracy.Value))
	}
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

// shuffledScore draws guesses of which a given share is right. It returns how far the number of right
// guesses is above its mean over the permutations within the strata, in standard deviations. As in the
// test, it is divided by crossFitStretch and corrected by half a step of 2, which one exchange makes. With guesses G_k and examples C_k of class k among n, the
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

// shufflingNumbers is shuffling of a numeric attribute. A leak that explains a share ρ² of the variance
// that the baseline leaves is drawn as ρ times the numbers, less their mean in the stratum, with
// Gaussian noise. In few strata the variance of that is far from normal, so it is drawn, too.
func shufflingNumbers(numbers []float64, within [][]int, b *Baseline, level, power float64, draws func() *rand.Rand) *Shuffling {
	x := &Shuffling{}
	var mixed [][]float64
	var squares, free float64
	for _, rows := range within {
		own := pick(numbers, rows)
		if !varies(own) {
			continue
		}
		mean, sd := stat.MeanStd(own)
		for i := range own {
			own[i] -= mean
		}
		n := float64(len(own) - 1)
		mixed, x.Movable, squares, free = append(mixed, own), x.Movable+len(own), squares+sd*sd*n, free+n
	}
	if len(mixed) == 0 {
		return x
	}
	unit := math.Sqrt(squares / free)
	finds := func(explained float64) bool {
		chance, z := draws(), make([]float64, shufflingDraws) // the same draws for every share
		for i := range z {
			z[i] = shuffledProducts(mixed, math.Sqrt(explained)/unit, math.Sqrt(1-explained), chance)
		}
		mean, sd := stat.MeanStd(z)
		return mean-power*sd >= level
	}
	if explained, ok := least(finds); ok {
		x.Smallest = new(explained * (1 - max(0, *b.R2)))
	}
	return x
}

// shuffledProducts draws a signal, a share of the numbers and noise, and returns by how many standard
// deviations its products with the numbers are above their mean over the permutations within the
// strata, as the test takes it: divided by crossFitStretch. The numbers have the mean 0 in each stratum.
func shuffledProducts(mixed [][]float64, share, noise float64, chance *rand.Rand) float64 {
	var above, variance float64
	for _, own := range mixed {
		signal, squares := make([]float64, len(own)), 0.
		for i, v := range own {
			signal[i] = share*v + noise*chance.NormFloat64()
			above += signal[i] * v
			squares += v * v
		}
		_, sd := stat.MeanStd(signal)
		variance += sd * sd * squares
	}
	return above / crossFitStretch / math.Sqrt(variance)
}

// least returns the least share that is found, to a thousandth; ok is false if none is.
func least(finds func(share float64) bool) (share float64, ok bool) {
	if !finds(1) {
		return 0, false
	}
	low, high := 0., 1.
	for high-low > 1e-3 {
		if share := low + (high-low)/2; finds(share) {
			high = share
		} else {
			low = share
		}
	}
	return high, true
}
