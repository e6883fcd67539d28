package curious

import (
	"fmt"
	"math"

	"tattle/stat"
)

// MeanStd is a figure over seeds. Std has the divisor Seeds − 1 and is 0 if
// there is one seed only.
type MeanStd struct {
	Mean  float64 `json:"mean"`
	Std   float64 `json:"std"`
	Seeds int     `json:"seeds"`
}

// CuriositySummary is a Curiosity over seeds.
type CuriositySummary struct {
	Attribute string  `json:"attribute"`
	Attack    string  `json:"attack"`
	Curiosity MeanStd `json:"curiosity"`
	Baseline  MeanStd `json:"baseline"`
	Excess    MeanStd `json:"excess"`
}

// Summary is a list of evaluations that differ in their seed, in means and standard
// deviations. Proportions are of 1, the entropy is in bits.
type Summary struct {
	Seeds     int                `json:"seeds"`
	Examples  int                `json:"examples"` // of the smallest test part
	Honesty   MeanStd            `json:"honesty"`
	Entropy   MeanStd            `json:"entropy"`
	Sensitive []CuriositySummary `json:"sensitive"` // one for each attack, as in the evaluations
}

// Summarize takes evaluations of one setting together. It panics if there are none,
// or their attacks differ.
func Summarize(evaluations []*Evaluation) Summary {
	first := evaluations[0]
	s := Summary{Seeds: len(evaluations), Examples: first.Examples, Sensitive: []CuriositySummary{}}
	for _, e := range evaluations {
		s.Examples = min(s.Examples, e.Examples)
		if len(e.Sensitive) != len(first.Sensitive) {
			panic(fmt.Sprintf("curious: summary of evaluations of %d and %d attacks", len(first.Sensitive), len(e.Sensitive)))
		}
	}
	s.Honesty = over(evaluations, func(e *Evaluation) float64 { return e.Honesty.Value })
	s.Entropy = over(evaluations, func(e *Evaluation) float64 { return e.Entropy.MeanBits })
	for k, c := range first.Sensitive {
		for _, e := range evaluations {
			if other := e.Sensitive[k]; other.Attribute != c.Attribute || other.Attack != c.Attack {
				panic(fmt.Sprintf("curious: summary of attacks %s on %s and %s on %s", c.Attack, c.Attribute, other.Attack, other.Attribute))
			}
		}
		s.Sensitive = append(s.Sensitive, CuriositySummary{
			Attribute: c.Attribute,
			Attack:    c.Attack,
			Curiosity: over(evaluations, func(e *Evaluation) float64 { return e.Sensitive[k].Curiosity.Value }),
			Baseline:  over(evaluations, func(e *Evaluation) float64 { return e.Sensitive[k].BaselineValue }),
			Excess:    over(evaluations, func(e *Evaluation) float64 { return e.Sensitive[k].Excess }),
		})
	}
	return s
}

// over returns the mean and the standard deviation of one figure.
func over(evaluations []*Evaluation, figure func(*Evaluation) float64) MeanStd {
	x := make([]float64, len(evaluations))
	for i, e := range evaluations {
		x[i] = figure(e)
	}
	mean, std := stat.MeanStd(x)
	if len(x) == 1 {
		std = 0
	}
	return MeanStd{Mean: mean, Std: std, Seeds: len(x)}
}

// SummaryDifference returns how far a proportion of ours lies above a published
// one, in standard deviations: their difference over
// √(std_ours² + std_published² + p(1−p)/examples), where p is the mean of the two. The last
// term is the variance between test parts of so many examples: it is not in the deviations
// over seeds, which share a test part. With examples = 0 it is left out, as for an entropy. ok
// is false if the root is 0.
func SummaryDifference(ours MeanStd, published, publishedStd float64, examples int) (deviations float64, ok bool) {
	variance := ours.Std*ours.Std + publishedStd*publishedStd
	if examples > 0 {
		p := min(1, max(0, (ours.Mean+published)/2))
		variance += p * (1 - p) / float64(examples)
	}
	if !(variance > 0) {
		return 0, false
	}
	return (ours.Mean - published) / math.Sqrt(variance), true
}
