package report

import (
	"math"

	"tattle/promise"
	"tattle/release"
)

// A PromiseRun is a search for a release that keeps a promise, and what a report needs besides its
// answer. Accuracies are of test data.
type PromiseRun struct {
	Options      promise.Options
	Answer       *promise.Answer
	Accuracy     release.Accuracy   // of the release
	Drop         release.Accuracy   // from Clean: Fraction and Interval are differences
	Clean        release.Accuracy   // of the original model
	Tasks        []string           // beside the target
	TaskAccuracy []release.Accuracy // of each of Tasks
	Command      string             // of tattle bound, that examines the release further; empty if nothing is released
	Pack         string             // command that packs it; empty if its noise is not on a lattice
}

// PromiseTitle is the title of the report on a release that keeps a promise.
const PromiseTitle = "What to release to keep a promise"

// SetPromise reports what a search found, compares the promise with the figures of the
// report, and concludes. It is called after SetResults; if nothing is released, r has the model
// and the data only.
func (r *Report) SetPromise(p PromiseRun) {
	a, o, nan := p.Answer, p.Options, Number(math.NaN())
	x := &Promise{
		Limits: o.Limits, MaxDrop: o.MaxDrop, Queries: o.Queries,
		Accuracy: nan, Interval: [2]Number{nan, nan}, Drop: nan, DropInterval: [2]Number{nan, nan},
		OriginalAccuracy: Number(p.Clean.Fraction), OriginalInterval: numbers(p.Clean),
		ValidationAccuracy: Number(a.Clean), Points: a.Points, Nearest: a.Nearest, Cuts: a.Cuts, LeftOut: a.Left,
	}
	if b := a.Best; b != nil {
		x.Released = &PromisedRelease{Method: b.Method, Node: b.Node, Weight: b.Weight, Keep: b.Keep, Sigma: b.Sigma}
		x.Accuracy, x.Interval = Number(p.Accuracy.Fraction), numbers(p.Accuracy)
		x.Drop, x.DropInterval = Number(p.Drop.Fraction), numbers(p.Drop)
		x.Command, x.Pack = p.Command, p.Pack
	}
	for i, name := range p.Tasks {
		task := TaskAccuracy{name, nan, [2]Number{nan, nan}}
		if a.Best != nil && i < len(p.TaskAccuracy) {
			task.Accuracy, task.Interval = Number(p.TaskAccuracy[i].Fraction), numbers(p.TaskAccuracy[i])
		}
		x.Tasks = append(x.Tasks, task)
	}
	r.Promise = x
	r.CheckPromise()
}

// numbers returns the interval of an accuracy.
func numbers(a release.Accuracy) [2]Number {
	return [2]Number{Number(a.Interval.Low), Number(a.Interval.High)}
}

// CheckPromise compares the promise of r with r's limits on every adversary, its attacks and the
// drop in accuracy, and concludes.
func (r *Report) CheckPromise() {
	r.Title = PromiseTitle
	x := r.Promise
	x.Checked, x.Met = nil, false
	if x.Released != nil {
		x.Checked, x.Met = r.checkedLimits(), true
		for _, c := range x.Checked {
			x.Met = x.Met && c.Kept
		}
	}
	r.Outcome = metOrNot(x.Met)
}
