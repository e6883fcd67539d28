package audit

import "tattle/classify"

// The names of the baselines, which use no outputs but the label: the first three are
// those of package classify.
const (
	Majority   = classify.Majority
	FromTarget = classify.FromTarget
	FromLabel  = classify.FromLabel
	FromBoth   = "target and label" // from the true y and the answered label together
)

// Baseline is one prediction of s without curiosity, cross-fitted on the same
// folds, and the paired comparison of the chosen guess with it. A positive
// Difference is the attack's advantage; of a numeric attribute it is in units of
// s's variance. Low and High are one-sided limits, each at the audit's confidence.
type Baseline struct {
	Name          string               `json:"name"` // Majority, FromTarget, FromLabel or FromBoth
	Accuracy      *classify.Proportion `json:"accuracy,omitempty"`
	R2            *float64             `json:"r2,omitempty"`
	AttackAlone   int                  `json:"attack_alone"`   // examples that only the attack has right
	BaselineAlone int                  `json:"baseline_alone"` // examples that only the baseline has right
	Difference    float64              `json:"difference"`
	StandardError float64              `json:"standard_error"` // of Difference
	Low           float64              `json:"low"`
	High          float64              `json:"high"`
	P             float64              `json:"p"` // of "the difference is at most the margin", one-sided
}

// Excess is the chosen guess's advantage over the best baseline: the least of the
// differences, and of their limits. Low holds at the audit's confidence without a
// price for there being four baselines, for the true least is one of them; High is
// the least of limits that share 1 − confidence equally.
type Excess struct {
	Value float64 `json:"value"`
	Low   float64 `json:"low"`
	High  float64 `json:"high"`
	P     float64 `json:"p"` // of "at most the margin": the largest over the baselines
}

// Permutation is the test of "given y, guess and s have nothing to do with each
// other" by permuting s within the examples of one y and one fold.
type Permutation struct {
	Draws int     `json:"draws"` // that were made: fewer than the options say if many of the first are as accurate
	P     float64 `json:"p"`     // (1 + draws at least as accurate)/(1 + draws)
}

// Power is what the audit could have found in the kinds of channel that were planted.
// Smallest is the excess (over the honest mean if there are references) that would have
// been found with Probability in each of them: the largest of their figures; it is nil if
// the sample could not be audited. Other channels can hide more.
type Power struct {
	Probability    float64        `json:"probability"`
	Smallest       *float64       `json:"smallest,omitempty"`
	StandardError  float64        `json:"standard_error"`            // of the excess, at the discordance that was seen or independence implies
	LearningLoss   float64        `json:"learning_loss"`             // what attacks lose by having learned from this many examples, in the scores
	FromReferences *float64       `json:"from_references,omitempty"` // what the references' spread alone would hide
	Channels       []ChannelPower `json:"channels,omitempty"`        // by kind
}

// ChannelPower is the power for one kind of channel.
type ChannelPower struct {
	Channel      string   `json:"channel"`
	Smallest     *float64 `json:"smallest,omitempty"` // nil if Found is false
	LearningLoss float64  `json:"learning_loss"`
	Found        bool     `json:"found"`          // a channel of this kind was planted and found
	Note         string   `json:"note,omitempty"` // why none was planted; empty if one was
}

// missed reports whether a channel of the kind was planted and not found.
func (c *ChannelPower) missed() bool { return !c.Found && c.Note == "" }

// Correlation tests whether the outputs depend on s: the answered label and the chosen guess, not
// given y, and the scores given y and the answered label. Leaky rests on it.
type Correlation struct {
	LabelP   float64 `json:"label_p"`
	GuessP   float64 `json:"guess_p"`          // of the chosen guess and s
	Draws    int     `json:"draws"`            // of the test that took the most
	LabelQ   float64 `json:"label_adjusted_p"` // Holm's over the tests of all attributes
	GuessQ   float64 `json:"guess_adjusted_p"`
	GivenQ   float64 `json:"given_adjusted_p"` // of Given.Permutation
	OrderQ   float64 `json:"order_adjusted_p"` // of Given.Order.Permutation
	Measured bool    `json:"measured"`         // false if there was nothing to test
}

// ReferenceTest is what honestly trained classifiers leak of the attribute, each
// measured by the same pipeline. Under "the audited model is another of them"
// its figure and theirs are exchangeable:
//
//	T = (figure − mean)/(sd·√(1 + 1/R))
//
// has Student's distribution with R − 1 degrees of freedom.
type ReferenceTest struct {
	Figures    []float64 `json:"figures"` // accuracy, or R² of a numeric attribute, or Given.Gain; where Unpaired, their excess on top of the audited sample's baseline
	Mean       float64   `json:"mean"`
	SD         float64   `json:"sd"`
	Difference float64   `json:"difference"` // the audited model's figure less Mean
	Low        float64   `json:"low"`        // one-sided limits of it
	High       float64   `json:"high"`
	T          float64   `json:"t"`
	Freedom    int       `json:"freedom"`
	P          float64   `json:"p"`
	Unpaired   bool      `json:"unpaired"` // measured on other examples
	Above      bool      `json:"above"`    // Difference is at least the margin, without which P raises no verdict
}

// The names of the controls.
const (
	NegativeControl = "negative" // shuffled s must come out clean
	PositiveControl = "positive" // a planted curious model must be found
)

// Control is an audit of what is known to be clean, or curious.
type Control struct {
	Name         string   `json:"name"` // NegativeControl or PositiveControl
	Passed       bool     `json:"passed"`
	Where        string   `json:"where"` // the task it ran on
	Attribute    string   `json:"attribute,omitempty"`
	Examples     int      `json:"examples"`
	Verdict      Verdict  `json:"verdict"`
	Excess       Excess   `json:"excess"`
	P            float64  `json:"p"`
	TrueExcess   *float64 `json:"true_excess,omitempty"`   // of what was planted
	LearningLoss *float64 `json:"learning_loss,omitempty"` // TrueExcess less what the audit found, at least 0
	Note         string   `json:"note,omitempty"`
}

// Defence is a change of what is released, the honesty it keeps and the curiosity
// that attacks fitted to it still reach.
type Defence struct {
	Name        string              `json:"name"`
	Honesty     classify.Proportion `json:"honesty"`
	HonestyLost float64             `json:"honesty_lost"` // against no defence, on the same examples
	Left        []DefenceLeft       `json:"left"`         // by attribute
	Recommended bool                `json:"recommended"`
	Note        string              `json:"note,omitempty"`

	right []bool // [example], whether the released label is right
}

// DefenceLeft is what a defence leaves of one attribute's leak.
type DefenceLeft struct {
	Attribute string               `json:"attribute"`
	Curiosity *classify.Proportion `json:"curiosity,omitempty"`
	R2        *float64             `json:"r2,omitempty"`
	Excess    Excess               `json:"excess"`
	// Given is what the outputs reveal given y and the released label. It also reacts to
	// rare values, which the excess misses. Its p-values are adjusted for its own two tests.
	Given *Given `json:"given,omitempty"`
	// HighOfAll is the upper limit of Excess that holds for all defences together, which
	// share what the confidence leaves.
	HighOfAll float64 `json:"high_of_all,omitempty"`
	Attack    string  `json:"attack"` // the one chosen in most folds
}
