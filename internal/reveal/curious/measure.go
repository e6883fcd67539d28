package curious

import (
	"math"

	"tattle/internal/engine/classify"
)

// entropyBinCount is the number of bins of an entropy's histogram: at Y = 2 a bin is
// .02 bits wide.
const entropyBinCount = 50

// rocPoints is the most points of a curve that is kept: more than a picture can
// show.
const rocPoints = 200

// ROC is a receiver operating characteristic of one class against all others, and
// the area under it with the interval of stat.NewROC. The area is that of all examples;
// Points, of which there are 200 at most, are for drawing.
type ROC struct {
	Class     int          `json:"class"`
	Name      string       `json:"name"`
	Area      float64      `json:"area"`
	Interval  [2]float64   `json:"interval"`
	Positives int          `json:"positives"` // examples of the class
	Negatives int          `json:"negatives"`
	Points    [][2]float64 `json:"points"` // rates of false and of true positives, from (0, 0) to (1, 1)
}

// Entropy is that of F's outputs as distributions over the classes of y, in bits:
// of their softmax where they are scores.
type Entropy struct {
	Examples int        `json:"examples"`
	MeanBits float64    `json:"mean_bits"`
	Interval [2]float64 `json:"interval"`       // of the mean, normal approximation
	Edges    []float64  `json:"edges,omitzero"` // of 50 bins, from 0 to log₂ Y
	Counts   []int      `json:"counts,omitzero"`
}

// Curiosity is what one attack demonstrated on the test part, beside what needs no
// curiosity. Excess is the attack's accuracy less the best baseline's there, each
// example being counted for both: without it, the correlation of y and s would pass
// for malice. An excess of 0 is not safety: another attack may reach more.
type Curiosity struct {
	Attribute string              `json:"attribute"`
	Attack    string              `json:"attack"` // the kind of G
	Classes   []string            `json:"classes"`
	Curiosity classify.Proportion `json:"curiosity"` // δs

	Majority      classify.Proportion `json:"majority"`
	FromTarget    classify.Proportion `json:"from_target"`
	FromLabel     classify.Proportion `json:"from_label"`
	Baseline      string              `json:"baseline"` // which of the three is best on the test part
	BaselineValue float64             `json:"baseline_value"`

	Excess         float64    `json:"excess"`
	ExcessInterval [2]float64 `json:"excess_interval"` // Tango's, paired; its lower end is the lowest of all baselines', those of the test part included
	PValue         float64    `json:"p_value"`         // of excess ≤ 0, one-sided, by classify.Comparison: the largest of all baselines', as above
	PValueHolm     float64    `json:"p_value_holm"`    // adjusted for there being several attacks

	Confusion [][]int                    `json:"confusion"`        // true s × guess
	ROC       []ROC                      `json:"roc,omitzero"`     // of the attack's scores
	Entropy   []Entropy                  `json:"entropy,omitzero"` // of F's outputs, for each class of s
	Label     classify.MutualInformation `json:"label"`            // between s and F's hard label
	Guess     classify.MutualInformation `json:"guess"`            // between s and the attack's guess
}

// Shown reports whether the excess is demonstrated: by its interval, and by the p-value
// that is adjusted for there being several attacks.
func (c *Curiosity) Shown() bool { return c.ExcessInterval[0] > 0 && c.PValueHolm <= classify.Level }

// Evaluation is all that is measured of one F and its attacks on a test part.
// Every figure is finite; what cannot be computed, such as the curve of a class without
// examples, is left out.
type Evaluation struct {
	Examples     int                          `json:"examples"`
	Reference    int                          `json:"reference"` // examples from which the baselines were learned; 0 where these are the test part's own
	Target       string                       `json:"target"`
	Classes      []string                     `json:"classes"` // of y
	Outputs      Outputs                      `json:"outputs"`
	Honesty      classify.Proportion          `json:"honesty"`           // δy
	Trained      *classify.Proportion         `json:"trained,omitempty"` // δy on the reference part; nil if F was not evaluated there
	Confusion    [][]int                      `json:"confusion"`         // true y × hard label
	ROC          []ROC                        `json:"roc,omitzero"`      // class 1 alone where there are two
	Entropy      Entropy                      `json:"entropy"`
	Sensitive    []Curiosity                  `json:"sensitive"`    // one for each attack
	Correlations []classify.MutualInformation `json:"correlations"` // y with each s, then the pairs of s
}

// MeanStd is a figure over seeds. Std has the divisor Seeds − 1 and is 0 if
// there is one seed only.
type MeanStd struct {
	Mean  float64 `json:"mean"`
	Std   float64 `json:"std"`
	Seeds int     `json:"seeds"`
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
