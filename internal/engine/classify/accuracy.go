package classify

import (
	"math"
	"math/rand/v2"

	"tattle/internal/engine/nn"
	"tattle/internal/math/stat"
)

// Confidence is the confidence of every interval of this package that takes no other.
const Confidence = .95

// Level is the largest p-value that shows an excess.
const Level = 1 - Confidence

// Proportion is the share of examples that are guessed right, with the exact interval of
// Clopper and Pearson at Confidence.
type Proportion struct {
	Value    float64    `json:"value"`
	Interval [2]float64 `json:"interval"`
	Correct  int        `json:"correct"`
	Examples int        `json:"examples"`
}

// ProportionOf returns correct examples of n as a Proportion.
func ProportionOf(correct, n int) Proportion {
	in := stat.ClopperPearson(correct, n, Confidence)
	return Proportion{Value: float64(correct) / float64(n), Interval: [2]float64{in.Low, in.High}, Correct: correct, Examples: n}
}

// Accuracy returns the proportion of guesses that equal the truth.
func Accuracy(guess, truth []int) Proportion {
	correct := 0
	for i, v := range truth {
		if guess[i] == v {
			correct++
		}
	}
	return ProportionOf(correct, len(truth))
}

// AccuracyOfPeople is Accuracy as a mean over people: first over the examples of each person, then over people. person[i] is
// the person of example i, from 0 to people−1. The interval is that of the stat.PeopleMean, which it also returns. Correct and
// Examples still count examples.
func AccuracyOfPeople(guess, truth, person []int, people int, chance *rand.Rand) (Proportion, *stat.PeopleMean) {
	p, right := Accuracy(guess, truth), make([]float64, len(truth))
	for i, t := range truth {
		if guess[i] == t {
			right[i] = 1
		}
	}
	m := stat.NewPeopleMean(stat.GroupMeans(right, person, people), 0, chance)
	in := m.Limits((1 + Confidence) / 2)
	p.Value, p.Interval = m.Mean, [2]float64{max(0, in.Low), min(1, in.High)}
	return p, &m
}

// Guesses returns the class of the largest score in each row of [n, classes], the first of
// equal ones.
func Guesses(scores []float32, classes int) []int {
	g := make([]int, len(scores)/classes)
	for i := range g {
		g[i] = nn.Largest(scores[i*classes:][:classes])
	}
	return g
}

// Confusion counts the examples by their labels a (rows) and b (columns).
func Confusion(a, b []int, rows, columns int) [][]int {
	counts := make([][]int, rows)
	for r := range counts {
		counts[r] = make([]int, columns)
	}
	for i := range a {
		counts[a[i]][b[i]]++
	}
	return counts
}

// MutualInformation is the mutual information of two labels of the same examples, in bits.
// No interval that assumes nothing of the labels reaches above CeilingBits, log₂ of the
// number of examples.
type MutualInformation struct {
	Between     [2]string  `json:"between"`
	Bits        float64    `json:"bits"`         // with Miller and Madow's correction, at least 0
	PlugInBits  float64    `json:"plug_in_bits"` // of the observed frequencies: too large on average
	Interval    [2]float64 `json:"interval"`     // see stat.MutualInformation
	CeilingBits float64    `json:"ceiling_bits"`
	Examples    int        `json:"examples"`
}

// Information returns the mutual information of the labels that confusion counts, a in rows
// and b in columns.
func Information(a, b string, confusion [][]int, confidence float64) MutualInformation {
	n := 0
	for _, row := range confusion {
		for _, c := range row {
			n += c
		}
	}
	in := stat.MutualInformation(confusion, confidence)
	return MutualInformation{
		Between: [2]string{a, b}, Bits: in.Bits, PlugInBits: in.PlugIn,
		Interval: [2]float64{in.Interval.Low, in.Interval.High}, CeilingBits: math.Log2(float64(n)), Examples: n,
	}
}

// LogOdds returns log p(k) − log Σ p(others) of log-probabilities, which may lack a common
// constant.
func LogOdds[T float32 | float64](log []T, k int) float64 {
	top := math.Inf(-1)
	for c, v := range log {
		if c != k {
			top = max(top, float64(v))
		}
	}
	sum := 0.0
	for c, v := range log {
		if c != k {
			sum += math.Exp(float64(v) - top)
		}
	}
	return float64(log[k]) - top - math.Log(sum)
}
