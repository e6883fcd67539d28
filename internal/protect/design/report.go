package design

import (
	"slices"

	"tattle/internal/protect/measure"
	"tattle/internal/protect/release"
	"tattle/internal/report"
)

// Title is the title of the report on a release that keeps a promise.
const Title = "What to release"

// Run is a search for a release that keeps a promise, with what a report needs beside its answer. Accuracies are of test
// data.
type Run struct {
	Options   Options
	Answer    *Answer
	Utility   Utility // of the answer; zero if nothing is released
	Command   string  // of tattle bound, that examines the release further; empty if nothing is released
	OfVectors bool    // the inputs are vectors
	Pack      string  // command that packs it; empty if its noise is not on a lattice
}

// Add adds what the search found to the report of the release, or to an empty one if nothing is released, and concludes.
func (p Run) Add(r *report.Report) error {
	if p.Options.Use != nil {
		r.Score = p.Options.Use.Words()
	}
	promise := Promise{Limits: p.Options.Limits, MaxDrop: p.Options.MaxDrop, Queries: p.Options.Queries}
	if b := p.Answer.Best; b != nil {
		promise.Released = &ReleasedNumbers{b.place, b.Keep}
		accuracy := func(id string, of release.Accuracy, u report.Unit, from report.Source) {
			r.Add(report.Claim{ID: id, Kind: report.Measured, Value: report.Within(of.Fraction, of.Interval.Low, of.Interval.High, u, release.Confidence), N: of.Trials, Source: from})
		}
		from := report.Recomputed
		if p.Options.Use != nil && !p.OfVectors {
			from = report.Searched // the original model is not kept
		}
		accuracy("design.accuracy", p.Utility.Released, report.Share, from)
		accuracy("design.original", p.Utility.Clean, report.Share, report.Searched)
		accuracy("design.drop", p.Utility.Drop, report.Points, report.Searched)
		for i, name := range p.Options.Tasks {
			if i < len(p.Utility.Tasks) {
				of := p.Utility.Tasks[i]
				r.Add(report.Claim{ID: "task", Subject: name, Kind: report.Measured, Value: report.Within(of.Fraction, of.Interval.Low, of.Interval.High, report.Share, release.Confidence), Source: report.Searched})
			}
		}
	}
	if err := promise.Check(r); err != nil {
		return err
	}
	p.search(r)
	if p.Command != "" {
		r.Find("design.examine", "", p.Command)
	}
	if p.Pack != "" && r.Verdict() != "promise.missed" && r.Verdict() != "promise.missed.looks" {
		r.Find("design.pack", "", p.Pack)
	}
	return nil
}

// NeedsNoise reports whether a limit on every adversary was measured in the report and is not kept: more noise may keep it.
func (p Run) NeedsNoise(r *report.Report) bool {
	promise := Promise{Limits: p.Options.Limits, Queries: p.Options.Queries}
	s, err := measure.SetupOf(r)
	return err == nil && slices.ContainsFunc(promise.checks(r, s), needsNoise)
}
