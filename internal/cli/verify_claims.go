package cli

import (
	"tattle/audit"
	"tattle/bound"
	"tattle/report"
)

// claimsOf returns what of a report decides its figures: what was measured, on what and
// how. A figure that is recomputed from it follows from these, the model, the data and
// the files of the run.
func claimsOf(r *report.Report) *report.Report {
	c := &report.Report{
		Schema:         r.Schema,
		Seed:           r.Seed,
		Model:          r.Model,
		Data:           r.Data,
		Release:        r.Release,
		Reconstruction: report.Reconstruction{Experiment: r.Experiment, Coordinates: r.Coordinates, Vectors: r.Vectors, Lists: listClaims(r.Lists)},
		Arrays:         r.Arrays,
		Reading:        r.Reading,
		Learned:        r.Learned,
		Figure:         r.Figure,
		Audited:        report.Audited{Asked: r.Asked, FailOn: r.FailOn},
	}
	for _, a := range r.EachAttack() {
		c.Attacks = append(c.Attacks, attackClaim(a))
	}
	if len(r.PriorAlone) > 0 {
		c.PriorAlone = []report.Attack{attackClaim(r.PriorAlone[0])}
	}
	for _, b := range r.Bounds {
		if b.Status == bound.StatusAssumed && c.Bounds == nil { // what it assumes; its figures are in the arrays
			c.Bounds = []bound.Summary{{Status: b.Status, Confidence: b.Confidence, Notes: b.Notes}}
		}
	}
	if len(r.Gallery) > 0 {
		c.Gallery = []report.Picture{{}}
	}
	if a := r.Audit; a != nil {
		c.Audit = &audit.Result{Sample: a.Sample, Notes: a.Notes, Settings: a.Settings}
	}
	return c
}

// attackClaim is an attack without its figures.
func attackClaim(a report.Attack) report.Attack {
	return report.Attack{Name: a.Name, About: a.About, Draws: a.Draws, Examples: a.Examples}
}

// recomputed is a report that was made again.
type recomputed struct {
	dir      string
	report   *report.Report // nil where no figures are recomputed
	verified string         // what there is to be said where all holds
	found    []string       // what of the arrays does not hold
	left     []notChecked
	absent   absent
}

// absent says what was not there to recompute from, or was found by a flag, so that its
// place was not checked.
type absent struct {
	model, data, training bool
	candidates            bool // of the adversary who holds a list
	modelMoved, dataMoved bool
	// Of audits: a model or an endpoint was asked, and is not asked again, or the file of
	// outputs is not there.
	questions, endpoint, outputs bool
	references, trained          bool // some are there, and are not trained again
}

// notChecked is a part of reports that verify cannot recompute.
type notChecked struct {
	paths []string // as report.Unchecked has them; none for what stands in files beside the report
	name  string
	why   string
	when  func(absent) bool // nil: always
}

// unchecked are the parts of this report that are not compared.
func (v *recomputed) unchecked(recorded *report.Report) (all []report.Unchecked) {
	add := func(n notChecked) {
		for _, path := range n.paths {
			all = append(all, report.Unchecked{Path: path, Name: n.name, Why: n.why})
		}
	}
	for _, n := range v.left {
		if n.when == nil || n.when(v.absent) {
			add(n)
		}
	}
	for _, n := range v.among(recorded) {
		add(n)
	}
	return all
}

// compare compares a report with what was recomputed of it.
func (v *recomputed) compare(document []byte, recorded *report.Report) (found []string, left []report.Unchecked, err error) {
	changed, gone, err := changedFiles(v.dir, recorded)
	if err != nil {
		return nil, nil, err
	}
	if v.report != nil {
		fresh := *v.report
		fresh.Warnings = alongside(recorded.Warnings, v.report.Warnings)
		fresh.Rendered = recorded.Rendered // compared above
		if found, left, err = report.Compare(document, &fresh, append(v.unchecked(recorded), gone...)); err != nil {
			return nil, nil, err
		}
	} else {
		left = gone
	}
	found = append(found, changed...)
	for _, n := range v.left {
		if len(n.paths) == 0 && n.when(v.absent) {
			left = append(left, report.Unchecked{Name: n.name, Why: n.why})
		}
	}
	return append(v.found[:len(v.found):len(v.found)], found...), left, nil
}
