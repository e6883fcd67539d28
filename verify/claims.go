package verify

import (
	"tattle/audit"
	"tattle/report"
)

// claimsOf returns the part of a report that decides its figures: what was measured, on what
// and how. Figures that are recomputed from it follow from this part, the model, the data
// and the files of the run.
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
		Audited:        report.Audited{Asked: r.Asked, FailOn: r.FailOn, Accepted: r.Accepted},
	}
	for _, a := range r.EachAttack() {
		c.Attacks = append(c.Attacks, attackClaim(a))
	}
	if len(r.PriorAlone) > 0 {
		c.PriorAlone = []report.Attack{attackClaim(r.PriorAlone[0])}
	}
	if len(r.Gallery) > 0 {
		c.Gallery = []report.Picture{{}}
	}
	if r.Design != nil {
		c.Design = designClaim(r.Design)
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
