package curious

import (
	"context"
	"errors"
	"fmt"
	"math"

	"tattle/internal/data/dataset"
	"tattle/internal/engine/classify"
	"tattle/internal/engine/nn"
)

// Evaluate measures F and its attacks on the test part. The baselines are learned
// on the reference part, usually the training part. If it is nil, they are learned on the
// test part itself, which favours the baselines and saves F's evaluation on the reference
// part. That will do where many F are compared, as in pruning, and the baselines of the whole
// F are known. The p-values and the lower ends of the excess use both.
//
// F's outputs count as distributions where its last operator is a Softmax or Hardmax;
// where its metadata "tattle.outputs" say "soft", or an attack takes a mixture apart,
// and every output on the test part is one; else as scores, whose softmax is taken.
//
// It returns an error if a set does not fit F or an attack, where an output is not a finite
// number, naming the example, and when ctx ends.
func Evaluate(ctx context.Context, f *nn.Graph, attacks []Attack, reference, test *dataset.Set) (*Evaluation, error) {
	if reference == nil {
		reference = test
	}
	if err := checkEvaluation(f, attacks, reference, test); err != nil {
		return nil, fmt.Errorf("evaluate: %w", err)
	}
	t, r, err := observe(ctx, f, attacks, reference, test)
	if err != nil {
		return nil, fmt.Errorf("evaluate: %w", err)
	}
	e := t.evaluation()
	if r != t {
		trained := classify.Accuracy(r.labels, reference.Y)
		e.Trained = &trained
	}
	for _, a := range attacks {
		c, err := t.curiosity(ctx, &a, r)
		if err != nil {
			return nil, fmt.Errorf("evaluate: %w", err)
		}
		e.Sensitive = append(e.Sensitive, *c)
	}
	Adjust(e)
	return e, nil
}

// checkEvaluation returns an error if the parts, F and the attacks are not made for each
// other.
func checkEvaluation(f *nn.Graph, attacks []Attack, reference, test *dataset.Set) error {
	if test == nil || test.Len() == 0 || reference.Len() == 0 {
		return errors.New("there are no examples to measure on")
	}
	classes := len(test.YNames)
	if err := checkGraph("the classifier", f, nn.Size(test.Shape), classes, test.YName); err != nil {
		return err
	}
	for _, a := range attacks {
		if a.Index >= len(test.Sensitive) {
			return fmt.Errorf("an attack is on %s, sensitive attribute %d of %d: give the data that it was fitted to", a.Attribute, a.Index+1, len(test.Sensitive))
		}
		s := test.Sensitive[a.Index]
		if err := checkGraph("the attack on "+s.Name, a.Graph, classes, len(s.Values), s.Name); err != nil {
			return err
		}
	}
	return nil
}

// checkGraph errs unless a net takes that many values and gives a score for each
// class of an attribute.
func checkGraph(what string, g *nn.Graph, inputs, classes int, attribute string) error {
	shapes, err := g.Shapes()
	if err != nil {
		return fmt.Errorf("%s: %w", what, err)
	}
	if got := nn.Size(g.InputShape); got != inputs {
		return fmt.Errorf("%s takes %d values an example, but gets %d: evaluate it on data prepared as in training", what, got, inputs)
	}
	if got := nn.Size(shapes[g.Output]); got != classes || classes < 2 {
		return fmt.Errorf("%s has %d outputs, but %q has %d classes: both must be the same, 2 or more", what, got, attribute, classes)
	}
	return nil
}

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

	ROC     []ROC                      `json:"roc,omitzero"`     // of the attack's scores
	Entropy []Entropy                  `json:"entropy,omitzero"` // of F's outputs, for each class of s
	Guess   classify.MutualInformation `json:"guess"`            // between s and the attack's guess
}

// Shown reports whether the excess is demonstrated: by its interval, and by the p-value
// that is adjusted for there being several attacks.
func (c *Curiosity) Shown() bool { return c.ExcessInterval[0] > 0 && c.PValueHolm <= classify.Level }

// Stronger reports whether the attack is better than another. One that shows an excess is better than one that does not; then the
// larger excess counts.
func (c *Curiosity) Stronger(other *Curiosity) bool {
	if c.Shown() != other.Shown() {
		return c.Shown()
	}
	return c.Excess > other.Excess
}

// Worst returns the number of the sensitive attribute with the strongest attack, 0 if there is none.
func (e *Evaluation) Worst() (worst int) {
	for i := range e.Sensitive {
		if e.Sensitive[i].Stronger(&e.Sensitive[worst]) {
			worst = i
		}
	}
	return worst
}

// Evaluation is all that is measured of one F and its attacks on a test part.
// Every figure is finite; what cannot be computed, such as the curve of a class without
// examples, is left out.
type Evaluation struct {
	Examples     int                          `json:"examples"`
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
