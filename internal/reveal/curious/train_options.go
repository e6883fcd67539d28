package curious

import (
	"cmp"
	"fmt"
	"math"
	"strconv"
	"strings"

	"tattle/internal/engine/nn"
	"tattle/internal/engine/nn/train"
)

// Outputs says which outputs of F are released.
type Outputs string

// The outputs of paper B, section 2.
const (
	Raw  Outputs = "raw"  // scores in ℝ^Y
	Soft Outputs = "soft" // their softmax
)

// Kind is the way in which F and G come about.
type Kind string

// The kinds of training.
const (
	Standard      Kind = "standard"      // F for y alone, and no G
	Overlearning  Kind = "overlearning"  // a standard F, then G on its outputs
	Regularized   Kind = "regularized"   // s in the entropy of the outputs, B eq. 3
	Parameterized Kind = "parameterized" // F and G together, B eq. 10
	MixtureKind   Kind = "mixture"       // two classifiers in one, B section 3.2
)

// Beta holds the multipliers of B eqs. (3) and (10).
type Beta struct {
	X float64 `json:"x"` // of the outputs' entropy
	Y float64 `json:"y"` // of the target attribute
	S float64 `json:"s"` // of the sensitive attribute
}

// ParseBeta reads "x,y,s" or "y,s", as in ".7,.3".
func ParseBeta(s string) (Beta, error) {
	parts := strings.Split(s, ",")
	if len(parts) == 2 {
		parts = append([]string{"0"}, parts...)
	}
	if len(parts) != 3 {
		return Beta{}, fmt.Errorf("beta %q: want two numbers y,s or three x,y,s", s)
	}
	var v [3]float64
	for i, p := range parts {
		x, err := strconv.ParseFloat(strings.TrimSpace(p), 64)
		if err != nil || !(x >= 0) || math.IsInf(x, 0) {
			return Beta{}, fmt.Errorf("beta %q: %q is not a number of 0 or more", s, strings.TrimSpace(p))
		}
		v[i] = x
	}
	return Beta{v[0], v[1], v[2]}, nil
}

// String returns "x,y,s", which ParseBeta reads.
func (b Beta) String() string {
	return number(b.X) + "," + number(b.Y) + "," + number(b.S)
}

// The settings of paper B's experiments (section 5.1.4 and the authors' program).
const (
	DefaultEpochs       = 50
	DefaultBatch        = 100
	DefaultLearningRate = train.DefaultLearningRate // of Adam, without decay
)

// defaultBeta returns the multipliers that stand in for a zero Beta: paper B's own
// where it names one pair first, y alone where there is nothing to weigh.
func defaultBeta(k Kind, o Outputs) Beta {
	switch {
	case k == Standard || k == Overlearning:
		return Beta{Y: 1}
	case k == MixtureKind:
		return Beta{Y: .8, S: .2} // B section 3.2 and figure 4: unequal, so that different sums have different values
	case k == Parameterized && o == Raw:
		return Beta{Y: .7, S: .3}
	}
	return Beta{Y: .5, S: .5}
}

// Options says how Train trains; the zero value is a standard classifier by paper
// B's settings.
type Options struct {
	Attack  Kind    // "" is Standard
	Outputs Outputs // "" is Soft for regularized and mixture, else Raw
	Beta    Beta    // zero is the default of the attack
	// Net makes F up to its scores, with parameters drawn by the seed; nil chooses
	// by the inputs' shape, as DefaultNet does.
	Net          func(classes int, seed uint64) *nn.Graph
	Epochs       int     // 0 is DefaultEpochs
	Batch        int     // 0 is DefaultBatch; at most all examples; what is left at an epoch's end is dropped
	LearningRate float64 // 0 is DefaultLearningRate
	Seed         uint64
	// PerExample takes eq. (3) as it is printed, ±H of each example in the batch's
	// mean, instead of the difference of the two classes' mean entropies.
	PerExample  bool
	Temperature float64 // of raw outputs in Distill; 0 is 1, the only one for soft outputs
	// Normal is for the mixture: probabilities are added, not their hard maxima.
	Normal bool
	// Attributes are those of Set.Sensitive to hide; nil is all. Several (B section
	// 7) have a G each on the same output and share βs equally.
	Attributes []int
	// Progress, unless nil, is called after each step with the steps done, those of
	// the whole training and the loss of this one.
	Progress func(done, total int, loss float64)
	// Unfinished, unless nil, keeps F, each G that trains with it, and a student after each
	// epoch; Train and Distill continue what it has. An attack on a finished F, which takes seconds, is fitted again.
	Unfinished Unfinished
	part       string // of the training, for Unfinished
}

// WithDefaults returns the options with every zero replaced by its default, except Net and
// Attributes.
func (o Options) WithDefaults() Options {
	o.Attack = cmp.Or(o.Attack, Standard)
	outputs := Raw
	if o.Attack == Regularized || o.Attack == MixtureKind {
		outputs = Soft
	}
	o.Outputs = cmp.Or(o.Outputs, outputs)
	o.Beta = cmp.Or(o.Beta, defaultBeta(o.Attack, o.Outputs))
	o.Epochs, o.Batch = cmp.Or(o.Epochs, DefaultEpochs), cmp.Or(o.Batch, DefaultBatch)
	o.LearningRate, o.part = cmp.Or(o.LearningRate, DefaultLearningRate), cmp.Or(o.part, "classifier")
	return o
}
