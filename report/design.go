package report

import (
	"math"
	"slices"

	"tattle/design"
	"tattle/release"
)

// Design is the answer to "what release keeps these limits, at the least cost in accuracy?" Limits are
// a promise about every adversary. Points are of the search. Checked compares the limits with the figures of the rest of the
// report.
type Design struct {
	Limits  design.Limits `json:"limits"`                      // errors in the model's units
	MaxDrop float64       `json:"max_accuracy_drop,omitempty"` // a fraction; 0: none was set
	Queries int           `json:"queries,omitempty"`           // releases of each input that the promise is about; 0: one

	Met     bool           `json:"met"`
	Checked []CheckedLimit `json:"checked,omitempty"` // every limit; none if nothing is released

	Released         *DesignedRelease `json:"released,omitempty"` // nil if nothing that was tried keeps the promise
	Accuracy         Number           `json:"accuracy"`           // of the release, with noise; null if nothing is released
	Interval         [2]Number        `json:"interval"`
	Drop             Number           `json:"drop"` // from the accuracy of the original model
	DropInterval     [2]Number        `json:"drop_interval"`
	OriginalAccuracy Number           `json:"original_accuracy"` // of the original model, without noise
	OriginalInterval [2]Number        `json:"original_interval"`
	Tasks            []TaskAccuracy   `json:"tasks,omitempty"`   // beside the target; null accuracies if nothing is released
	Command          string           `json:"command,omitempty"` // that examines the release further
	Pack             string           `json:"pack,omitempty"`    // command that packs the release for deployment; empty unless its noise is on a lattice

	ValidationAccuracy Number           `json:"validation_accuracy"` // of the original model, on the training examples that measure accuracy in the search
	Points             []design.Point   `json:"points,omitempty"`
	Nearest            *design.Point    `json:"nearest,omitempty"` // to the promise, if nothing keeps it
	Cuts               []design.CutCost `json:"cuts,omitempty"`
	LeftOut            []string         `json:"left_out,omitempty"` // places that were given up, with the reasons
}

// DesignedRelease is the release that the search found.
type DesignedRelease struct {
	Method design.Method `json:"method"`
	Node   string        `json:"node"`             // of the original model
	Weight float64       `json:"weight,omitempty"` // of the penalty, if the method learns
	Keep   int           `json:"keep"`             // numbers that are released
	Sigma  float64       `json:"sigma"`
}

// TaskAccuracy is how often the release answers a task right.
type TaskAccuracy struct {
	Task     string    `json:"task"`
	Accuracy Number    `json:"accuracy"`
	Interval [2]Number `json:"interval"`
}

// A CheckedLimit is a limit of a promise beside the figure of this report.
type CheckedLimit struct {
	Kind   LimitKind `json:"kind"`
	Of     string    `json:"of,omitempty"` // the attribute; of an attack, its name
	Limit  float64   `json:"limit"`
	Figure Number    `json:"figure"`         // the limit of the measurement that does not overstate the protection; null: not measured
	Mean   Number    `json:"mean"`           // of the measurement; null: not measured
	Unit   string    `json:"unit,omitempty"` // of an error: grey levels if the inputs have them
	Kept   bool      `json:"kept"`
	Lacks  string    `json:"lacks,omitempty"` // why it was not measured
}

// LimitKind names a quantity that a promise limits.
type LimitKind string

// The kinds of limits. Of floors and attacks' errors a promise gives the least value, of the others
// the greatest.
const (
	LimitIdentify LimitKind = "identification"
	LimitHidden   LimitKind = "identification of new inputs" // which neither the model nor the search used
	LimitFloor    LimitKind = "floor"
	LimitBits     LimitKind = "bits"
	LimitAttack   LimitKind = "attack"
	LimitRight    LimitKind = "attribute right" // right guesses of an attribute
	LimitArea     LimitKind = "attribute auc"
	LimitKnown    LimitKind = "attribute bits" // revealed to who knows the target attribute and the tasks
	LimitDrop     LimitKind = "accuracy drop"
)

// least reports whether a limit is the least value, not the greatest.
func (k LimitKind) least() bool {
	return k == LimitFloor || k == LimitAttack
}

// A DesignRun is a search for a release that keeps a promise, and what a report needs besides its
// answer. Accuracies are of test data.
type DesignRun struct {
	Options design.Options
	Answer  *design.Answer
	Utility design.Utility // of the answer; zero if nothing is released
	Command string         // of tattle bound, that examines the release further; empty if nothing is released
	Pack    string         // command that packs it; empty if its noise is not on a lattice
}

// DesignTitle is the title of the report on a release that keeps limits.
const DesignTitle = "What to release"

// SetDesign reports what a search found, compares the promise with the figures of the
// report, and concludes. It is called after SetResults; if nothing is released, r has the model
// and the data only.
func (r *Report) SetDesign(p DesignRun) {
	a, o, nan := p.Answer, p.Options, Number(math.NaN())
	x := &Design{
		Limits: o.Limits, MaxDrop: o.MaxDrop, Queries: o.Queries,
		Accuracy: nan, Interval: [2]Number{nan, nan}, Drop: nan, DropInterval: [2]Number{nan, nan},
		OriginalAccuracy: Number(p.Utility.Clean.Fraction), OriginalInterval: numbers(p.Utility.Clean),
		ValidationAccuracy: Number(a.Clean), Points: a.Points, Nearest: a.Nearest, Cuts: a.Cuts, LeftOut: a.Left,
	}
	if b := a.Best; b != nil {
		x.Released = &DesignedRelease{Method: b.Method, Node: b.Node, Weight: b.Weight, Keep: b.Keep, Sigma: b.Sigma}
		x.Accuracy, x.Interval = Number(p.Utility.Released.Fraction), numbers(p.Utility.Released)
		x.Drop, x.DropInterval = Number(p.Utility.Drop.Fraction), numbers(p.Utility.Drop)
		x.Command, x.Pack = p.Command, p.Pack
	}
	for i, name := range o.Tasks {
		task := TaskAccuracy{name, nan, [2]Number{nan, nan}}
		if i < len(p.Utility.Tasks) {
			task.Accuracy, task.Interval = Number(p.Utility.Tasks[i].Fraction), numbers(p.Utility.Tasks[i])
		}
		x.Tasks = append(x.Tasks, task)
	}
	r.Design = x
	r.CheckLimits()
}

// NeedsNoise reports whether a limit on every adversary, or on attacks, was measured and is not kept:
// more noise may keep it.
func (r *Report) NeedsNoise() bool {
	return slices.ContainsFunc(r.Design.Checked, func(c CheckedLimit) bool {
		return !c.Kept && c.Lacks == "" && c.Kind != LimitDrop
	})
}

// numbers returns the interval of an accuracy.
func numbers(a release.Accuracy) [2]Number {
	return [2]Number{Number(a.Interval.Low), Number(a.Interval.High)}
}

// CheckLimits compares the promise of r with r's limits on every adversary, its attacks and the
// drop in accuracy, and concludes.
func (r *Report) CheckLimits() {
	r.Title = DesignTitle
	x := r.Design
	x.Checked, x.Met = nil, false
	if x.Released != nil {
		x.Checked, x.Met = r.checkedLimits(), true
		for _, c := range x.Checked {
			x.Met = x.Met && c.Kept
		}
	}
	r.Outcome = metOrNot(x.Met)
}
