package report

import (
	"math"

	"tattle/classify"
	"tattle/curious"
)

// An Interval is a 95 % confidence interval; the zero value is one that is not
// known.
type Interval [2]Number

// Between is the interval from lo to hi as the reports' own type.
func Between(i [2]float64) Interval { return Interval{Number(i[0]), Number(i[1])} }

func (i Interval) known() bool {
	return i != Interval{} && !math.IsNaN(float64(i[0])) && !math.IsNaN(float64(i[1]))
}

// Curiosity is the headline of a curious run: how well the classifier does what
// it says (honesty, δy), and how well an attack that ran reads a sensitive
// attribute from its outputs (curiosity, δs), beyond what needs no such outputs.
// Accuracies are fractions of the test examples; intervals Clopper-Pearson.
type Curiosity struct {
	Attack   string       `json:"attack"`  // a curious.Kind, student or audit
	Outputs  string       `json:"outputs"` // raw or soft
	Beta     curious.Beta `json:"beta"`
	Target   string       `json:"target"`
	Examples int          `json:"examples"` // tested

	Honesty         Number   `json:"honesty"`
	HonestyInterval Interval `json:"honesty_interval"`

	Leak          // of the first, or the most telling, sensitive attribute
	Others []Leak `json:"others,omitempty"` // of further ones

	EntropyBits      Number     `json:"entropy_bits"` // mean entropy of the outputs, as probabilities
	EntropyMax       Number     `json:"entropy_max"`  // log2 Y
	HonestyConfusion *Confusion `json:"honesty_confusion,omitempty"`

	Shared []classify.MutualInformation `json:"shared,omitempty"` // of y and each s, and of each two s
}

// Leak is what an attack reads of one sensitive attribute.
type Leak struct {
	Sensitive         string   `json:"sensitive"`
	Guess             string   `json:"guess"`         // how s is read from the outputs: network, threshold or mixture
	Tau               Number   `json:"tau,omitempty"` // of a threshold, nats
	Curiosity         Number   `json:"curiosity"`
	CuriosityInterval Interval `json:"curiosity_interval"`

	Majority     Number `json:"majority"` // accuracies of the three baselines
	FromTarget   Number `json:"from_target"`
	FromLabel    Number `json:"from_label"`
	FromBoth     Number `json:"from_both,omitzero"`
	Baseline     Number `json:"baseline"`      // the best of them
	BaselineKind string `json:"baseline_kind"` // its name: audit.Majority, FromTarget, FromLabel or FromBoth

	Excess         Number   `json:"excess"`                  // curiosity less baseline
	ExcessInterval Interval `json:"ci"`                      // of the excess
	PValue         *float64 `json:"p_value"`                 // of "no excess"; nil where it was not tested
	Test           string   `json:"p_value_test,omitempty"`  // by which test, and, with several attributes, which correction
	Information    Number   `json:"mutual_information_bits"` // between the attack's guess and s

	InformationInterval Interval   `json:"mutual_information_interval,omitzero"`
	Confusion           *Confusion `json:"confusion,omitempty"`
}

// Confusion counts examples by true class (rows) and guessed class (columns).
type Confusion struct {
	Classes []string `json:"classes"`
	Counts  [][]int  `json:"counts"`
}
