package report

import (
	"fmt"
	"strings"
)

// Design is the answer to "how much noise, on how many features, at what cost?"
type Design struct {
	Target      DesignTarget  `json:"target"`
	MaxDrop     float64       `json:"max_accuracy_drop,omitempty"` // a fraction; zero where none was asked for
	Met         bool          `json:"met"`
	Near        string        `json:"near,omitempty"` // how near it came where nothing met the target, in words
	Binds       []string      `json:"binds"`          // whom the target is about: what is met limits nobody else
	Best        *DesignPoint  `json:"best,omitempty"`
	Confirmed   *Confirmation `json:"confirmed,omitempty"`
	Within      float64       `json:"within,omitempty"`  // to which directions are resolved where the target names none
	Frontier    []DesignPoint `json:"frontier"`          // along σ for every family, projection and number of features
	Reproduce   string        `json:"command,omitempty"` // that bounds the best point
	Evaluations int           `json:"evaluations"`
}

// within is the standard deviation to which the points' directions are resolved,
// zero if it is not known.
func (d *Design) within() float64 {
	if d.Target.Within > 0 {
		return d.Target.Within
	}
	return d.Within
}

// DesignTarget is what a release must keep to itself; zero fields ask nothing.
type DesignTarget struct {
	Directions int     `json:"directions,omitempty"` // at most so many resolved …
	Within     float64 `json:"within,omitempty"`     // … to within this standard deviation
	MedianStd  float64 `json:"median_std,omitempty"`
	AttackMSE  float64 `json:"attack_mse,omitempty"`
}

// DesignPoint is one release that was tried. Accuracies and drops are
// fractions, intervals at 95 %.
type DesignPoint struct {
	Family       string    `json:"family"`
	Projection   string    `json:"projection,omitempty"`
	Keep         int       `json:"keep"` // numbers that leave the device
	Sigma        float64   `json:"sigma"`
	Accuracy     Number    `json:"accuracy"`
	Drop         Number    `json:"drop"`
	DropInterval [2]Number `json:"drop_interval"`
	Directions   Number    `json:"directions"` // median resolved to within Design.within
	MedianStd    Number    `json:"median_std"`
	AbovePrior   *bool     `json:"above_prior,omitempty"` // whether MedianStd is above what guessing the mean errs by, as bound.Summary has it
	AttackMSE    Number    `json:"attack_mse"`
	Meets        bool      `json:"meets"` // what was asked for, of Design.Binds
}

// Confirmation is the best point measured again with fresh noise.
type Confirmation struct {
	Accuracy     Number    `json:"accuracy"`
	Interval     [2]Number `json:"interval"`
	Drop         Number    `json:"drop"`
	DropInterval [2]Number `json:"drop_interval"`
	MedianStd    Number    `json:"median_std"`            // certified on a sample, null where it was not
	AbovePrior   *bool     `json:"above_prior,omitempty"` // of MedianStd, as bound.Summary has it
	Examples     int       `json:"examples"`
	Seed         uint64    `json:"seed"`

	Identified *Identified `json:"identified,omitempty"` // demonstrated
}

// Identified is how often a release showed which of a list of inputs it is of, to an
// adversary who has the list and the model and takes the likeliest.
type Identified struct {
	Inputs     int `json:"inputs"`     // one release of each
	Candidates int `json:"candidates"` // the inputs among them
	Found      int `json:"found"`
}

// sentence says it in words.
func (x *Identified) sentence() string {
	return fmt.Sprintf("Demonstrated: an adversary who has a list of %d candidate inputs and takes the likeliest identified %s of %s by one release each.", x.Candidates, percent(float64(x.Found)/float64(x.Inputs)), Count(x.Inputs, "input"))
}

// Whom a design's target can be about.
const (
	bindsUnbiased = "unbiased estimators"
	bindsLinear   = "the linear attack"
)

// Binds lists whom a target is about. Without one, the answer is chosen by what unbiased
// estimators can resolve.
func (t DesignTarget) Binds() []string {
	var who []string
	if t.AttackMSE == 0 || t.Within > 0 || t.MedianStd > 0 {
		who = append(who, bindsUnbiased)
	}
	if t.AttackMSE > 0 {
		who = append(who, bindsLinear)
	}
	return who
}

// notLimited is what every answer leaves open.
const notLimited = "it does not limit an adversary who knows what inputs look like"

// costOnly reports whether the target is a limit on the cost alone.
func (d *Design) costOnly() bool { return d.Target == (DesignTarget{}) }

// For says whom what was met is about.
func (d *Design) For() string { return strings.Join(d.Target.Binds(), " and ") }
