package audit

import (
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"

	"tattle/internal/data/dataset"
	"tattle/internal/engine/classify"
	"tattle/internal/file"
	"tattle/internal/protect/measure"
	"tattle/internal/report"
	"tattle/internal/reveal/curious"
)

// Setup is what an audit was asked to do, beside its sample: with the files of the run it decides every claim. It is the
// request in the report of tattle audit.
type Setup struct {
	Settings Settings          `json:"settings"`
	Folds    int               `json:"folds,omitempty"` // zero for the default
	Defences bool              `json:"defences"`
	FailOn   *FailOn           `json:"fail_on,omitempty"`  // nil: beyond or worse fails
	Accepted *Accepted         `json:"accepted,omitempty"` // nil without --baseline
	Sample   string            `json:"sample,omitempty"`   // its name
	Notes    []string          `json:"notes,omitempty"`    // of the sample
	Reading  measure.Reading   `json:"reading,omitzero"`   // of the model
	Asked    map[string]string `json:"asked,omitempty"`    // on the command line
}

// Options returns what an audit was done with, to do it again.
func (s *Setup) Options() (Options, error) {
	o := s.Settings.Options
	if len(o.Attacks) == 0 || o.Permutations < 1 || o.MaxFit < 1 || o.Confidence == 0 || o.Margin == nil {
		return o, errors.New("settings: attacks, permutations, max_fit, margin and confidence must all be there, and all but margin more than zero")
	}
	o.Folds = s.Folds // those of the settings are fewer with very many examples
	return o, nil
}

// Title is the title of the report of an audit of a sample.
func Title(s *Sample) string {
	names := make([]string, len(s.Sensitive))
	for i, a := range s.Sensitive {
		names[i] = a.Name
	}
	if s.Kind == Vector {
		return fmt.Sprintf("Audit of vectors: do they reveal %s?", strings.Join(names, ", "))
	}
	return fmt.Sprintf("Audit of %s: do the outputs reveal %s?", s.Target, strings.Join(names, ", "))
}

// account makes the claims and findings of an audit.
type account struct {
	*report.Report
	a *Result
	s *Setup
}

// Report returns the claims and findings of the audit. Model, data and files are the caller's.
func (r *Result) Report(s *Setup) *report.Report {
	s.Settings = r.Settings
	x := &account{report.New("", "", r.Settings.Seed), r, s}
	x.Target, x.Data.Examples, x.Data.Name = r.Target, r.Examples, r.Sample
	for _, f := range r.Findings {
		x.attribute(f)
	}
	x.wholes()
	x.controls()
	x.defences()
	x.verdicts()
	x.meaning()
	x.advise()
	x.rules()
	for _, w := range r.Warnings {
		x.Warn(w)
	}
	for _, n := range r.Notes {
		x.Note(n)
	}
	if r.Fitted > 0 {
		x.Note(fmt.Sprintf("Each attack was fitted on at most %s examples (--max-fit), drawn at random from those that it did not judge. All %s examples were judged.", report.Grouped(r.Fitted), report.Grouped(r.Examples)))
	}
	x.SetRequest(s)
	return x.Report
}

func (x *account) claim(id, subject, group string, kind report.Kind, v report.Value, n int) {
	x.Add(report.Claim{ID: id, Subject: subject, Group: group, Kind: kind, Value: v, N: n})
}

// limits is a value with one-sided limits, each at the audit's confidence.
func (x *account) limits(v, low, high float64, u report.Unit) report.Value {
	return report.Within(v, low, high, u, x.a.Settings.Confidence)
}

// wholes claims what is about all attributes.
func (x *account) wholes() {
	a := x.a
	x.claim("examples", "", "", report.Measured, report.Exactly(float64(a.Examples), report.Count), 0)
	x.claim("margin", "", "", report.Measured, report.Exactly(*a.Settings.Margin, report.Points), 0)
	if a.Outputs != Vector {
		x.claim("honesty", "", a.target(), report.Measured, curious.Share(a.Honesty), a.Honesty.Examples)
	}
	for _, c := range a.Channels {
		if c.Planted != nil {
			x.claim("channel", c.Channel, "", report.Demonstrated, report.Exactly(upward(*c.Planted), report.Points), c.Examples)
		}
	}
}

// attribute claims the figures about a sensitive attribute.
func (x *account) attribute(f *Finding) {
	b, name := f.BestBaseline(), f.Attribute
	if b == nil { // it has a row all the same
		x.claim("guessed", name, "", report.Demonstrated, report.Exactly(math.NaN(), report.Share), 0)
		return
	}
	unitOf := excessUnit(f.Numeric)
	add := func(c report.Claim) { c.Subject = name; x.Add(c) }
	guessed, without := x.guessed(f), baselineValue(b)
	add(report.Claim{ID: "guessed", Kind: report.Demonstrated, Value: guessed, N: f.Examples, Beside: []report.Beside{{Name: "without", Value: without}}})
	x.Find("chosen", name, inFolds(f.Chosen))
	if strings.Contains(name, "*") {
		x.Find("classes", name, file.ShownNames(f.Classes))
	}
	add(report.Claim{ID: "without", Kind: report.Measured, Value: without, N: f.Examples})
	add(report.Claim{ID: "excess", Kind: report.Demonstrated, Value: x.limits(f.Excess.Value, f.Excess.Low, f.Excess.High, unitOf), N: f.Examples, P: &f.ExcessAdjusted})
	if g, unit := f.Given, gainUnit(f.Numeric); g != nil {
		add(report.Claim{ID: "gain", Kind: report.Demonstrated, Value: x.limits(g.Mean, g.Low, g.High, unit), N: f.Examples, P: &g.Adjusted, Beside: []report.Beside{{Name: "left open", Value: report.Exactly(g.Baseline, unit)}, {Name: "margin", Value: report.Exactly(g.Margin, unit)}}})
		if t := g.Order; t != nil {
			add(report.Claim{ID: "auc", Kind: report.Demonstrated, N: f.Examples, P: &t.Adjusted,
				Value:  report.Within(t.Area, t.Low, t.High, report.Share, orderConfidence),
				Beside: []report.Beside{{Name: "margin", Value: report.Exactly(t.Margin, report.Share)}}})
		}
	}
	add(report.Claim{ID: "p", Kind: report.Demonstrated, Value: report.Exactly(f.Adjusted, report.Chance), P: &f.Adjusted})
	if s := f.Power.Smallest; s != nil {
		add(report.Claim{ID: "detectable", Kind: report.Estimated, Value: report.Exactly(upward(*s), unitOf), N: f.Examples})
	}
	if t := f.Reference; t != nil {
		u := report.Share
		if t.Unpaired {
			u = unitOf
		}
		add(report.Claim{ID: "honest", Kind: report.Measured, Value: report.Within(t.Mean, t.Mean-t.SD, t.Mean+t.SD, u, 0), N: len(t.Figures)})
		add(report.Claim{ID: "above_honest", Kind: report.Demonstrated, Value: x.limits(t.Difference, t.Low, t.High, unitOf), P: &t.P, N: len(t.Figures)})
	}
	if s := f.Shuffling; s != nil {
		add(report.Claim{ID: "movable", Kind: report.Measured, Value: report.Exactly(float64(s.Movable), report.Count), N: f.Examples})
	}
	for i := range f.Baselines {
		b := &f.Baselines[i]
		x.claim("baseline", name, baselineName(b.Name, f.Numeric), report.Measured, baselineValue(b), f.Examples)
		x.Add(report.Claim{ID: "baseline.excess", Subject: name, Group: baselineName(b.Name, f.Numeric), Kind: report.Demonstrated, Value: x.limits(b.Mean, b.Low, b.High, unitOf), P: &b.P})
	}
	for i, c := range f.Power.Channels {
		if c.Smallest != nil {
			x.claim("detectable.channel", name, f.Power.Channels[i].Channel, report.Estimated, report.Exactly(upward(*c.Smallest), unitOf), f.Examples)
		}
	}
}

// excessUnit is the unit of an excess: numbers are guessed by a share of their variance.
func excessUnit(numeric bool) report.Unit {
	if numeric {
		return report.Variance
	}
	return report.Points
}

// gainUnit is the unit of a gain.
func gainUnit(numeric bool) report.Unit {
	if numeric {
		return report.Share
	}
	return report.Bits
}

// inFolds lists each name once, with the number of folds that have it.
func inFolds(names []string) string {
	times := map[string]int{}
	for _, n := range names {
		times[n]++
	}
	var said []string
	for _, n := range slices.Sorted(maps.Keys(times)) {
		said = append(said, n+" in "+report.Many(times[n], "fold"))
	}
	return report.List(said)
}

// guessed is how often attacks guess right, or the share of the variance that they explain.
func (x *account) guessed(f *Finding) report.Value {
	if f.Numeric {
		return report.Within(*f.R2, f.Interval[0], f.Interval[1], report.Share, classify.Confidence)
	}
	return curious.Share(*f.Curiosity)
}

func baselineValue(b *Baseline) report.Value {
	if b.Accuracy != nil {
		return report.Exactly(b.Accuracy.Value, report.Share)
	}
	return report.Exactly(*b.R2, report.Share)
}

// knows says in words what the target is to those who guess from it.
var knows = map[string]string{FromTarget: "true", FromLabel: "predicted", FromBoth: "true and the predicted"}

// baselineName names a baseline in a table.
func baselineName(name string, numeric bool) string {
	switch {
	case name == FromBoth:
		return "from both"
	case name != Majority:
		return "from the " + knows[name] + " target"
	case numeric:
		return "mean"
	}
	return name
}

// upward rounds a smallest detectable excess up, so that the stated one is never smaller than the computed one.
func upward(x float64) float64 { return math.Ceil(1000*x-1e-6) / 1000 }

// controls claims what the audit found where the result is known.
func (x *account) controls() {
	for _, c := range x.a.Controls {
		x.claim("control.excess", c.Name, "", report.Demonstrated, x.limits(c.Excess.Value, c.Excess.Low, c.Excess.High, report.Points), c.Examples)
		if c.TrueExcess != nil {
			x.claim("control.planted", c.Name, "", report.Measured, report.Exactly(*c.TrueExcess, report.Points), c.Examples)
		}
		kind := "positive"
		switch {
		case c.Name == NegativeControl:
			kind = "negative"
		case x.a.Outputs == Vector:
			kind = "vector"
		}
		outcome := ".failed"
		if c.Passed && kind != "negative" && c.Excess.Low <= 0 {
			outcome = ".scores"
		} else if c.Passed {
			outcome = ".passed"
		}
		x.Find("control."+kind+outcome, c.Name, c.Where, c.Note)
	}
	if len(x.a.Controls) == 0 {
		x.Find("uncontrolled", "")
	}
}

// defences claims what each defence leaves.
func (x *account) defences() {
	for _, d := range x.a.Defences {
		name := d.Name
		if name == NoDefence {
			name = "none, by these quicker attacks"
		}
		for _, l := range d.Left {
			add := func(id string, v report.Value) {
				x.claim(id, name, l.Attribute, report.Demonstrated, v, d.Honesty.Examples)
			}
			add("defence.excess", x.limits(l.Excess.Value, l.Excess.Low, l.Excess.High, excessUnit(l.Numeric)))
			add("defence.honesty", curious.Share(d.Honesty))
			if g := l.Given; g != nil {
				add("defence.gain", x.limits(g.Mean, g.Low, g.High, gainUnit(l.Numeric)))
				if g.Order != nil {
					add("defence.auc", report.Exactly(g.Order.Area, report.Share))
				}
			}
		}
		if d.Note != "" {
			x.Find("defence.note", name, d.Note)
		}
	}
}

// Setup returns what was asked for; folds is 0 for the default.
func (s *Subject) Setup(q *Request, rules *FailOn, accepted *Accepted, folds int) *Setup {
	x := &Setup{Folds: folds, Defences: s.Defences, FailOn: rules, Accepted: accepted, Sample: s.Sample.Name, Notes: s.Sample.Notes, Asked: map[string]string{}}
	note := func(key, value string) {
		if value != "" {
			x.Asked[key] = value
		}
	}
	note("target", q.Target)
	note("sensitive", strings.Join(q.Sensitive, " | "))
	note("reference", q.Reference)
	if s.Training != nil {
		note("references", strconv.Itoa(len(s.References)))
		note("reference sha256", s.Training.Train.Sum())
		note("reference epochs", strconv.Itoa(s.Epochs))
	}
	if e := s.Examples; e != nil {
		note("part", string(e.Part))
		if q.Limit != (dataset.Limit{}) {
			note("limit", q.Limit.String())
		}
		note("data seed", strconv.FormatUint(e.Source.Seed, 10))
	}
	if s.Model != nil {
		x.Reading = measure.ReadingOf(s.Model, measure.Inputs{})
	}
	return x
}

// Describe says in the report what was audited.
func (s *Subject) Describe(r *report.Report) {
	r.Title = Title(s.Sample)
	if m := s.Model; m != nil {
		r.Model = report.Model{Path: measure.Absolute(m.Path), SHA256: m.SHA256}
	} else if s.URL != "" {
		r.Model = report.Model{Path: s.URL}
	}
	n := r.Data.Examples
	if e := s.Examples; e != nil {
		r.Data = measure.DataOf(e.Set, e.Source.Path, string(e.Part))
	} else {
		r.Data = report.Data{Name: s.Sample.Name, Path: s.File, SHA256: s.SHA256}
	}
	r.Data.Examples = n
}
