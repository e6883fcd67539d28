package design

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"tattle/internal/protect/measure"
	"tattle/internal/report"
)

// Promise is what a report needs to check a promise again: the request of tattle design.
type Promise struct {
	Limits   Limits           `json:"limits"` // errors in the model's units
	MaxDrop  float64          `json:"max_accuracy_drop,omitempty"`
	Queries  int              `json:"queries,omitempty"`
	Released *ReleasedNumbers `json:"released,omitempty"` // nil if nothing that was tried keeps the promise
}

// ReleasedNumbers say what the release is.
type ReleasedNumbers struct {
	place     // of the original model
	Keep  int `json:"keep"` // numbers that are released
}

// Check compares the promise with the claims of the report, adds what it finds, and says first whether the promise is
// kept. The request of the report holds the promise then.
func (p *Promise) Check(r *report.Report) error {
	r.Title = Title
	r.Findings = slices.DeleteFunc(r.Findings, func(f report.Finding) bool { return strings.HasPrefix(f.Code, "advice.") })
	var s *measure.Setup
	var err error
	if len(r.Request) > 0 {
		if s, err = measure.SetupOf(r); err != nil {
			return err
		}
	}
	if p.Released == nil {
		r.Findings = append([]report.Finding{{Code: "promise.none"}}, r.Findings...)
	} else {
		all := p.checks(r, s)
		for _, c := range all {
			r.Add(report.Claim{ID: "limit", Subject: c.name, Kind: report.Measured, Value: c.limit})
			code := "limit.kept"
			switch {
			case c.lacks != "":
				code = "limit.lacks"
			case !c.kept:
				code = "limit.missed"
			}
			if c.lacks == "" {
				claim := report.Claim{ID: "figure", Subject: c.name, Kind: c.kind, Value: c.figure}
				if c.drop {
					claim.Kind, claim.Source = report.Measured, report.Searched
				}
				r.Add(claim)
			}
			r.Find(code, c.name, c.lacks)
		}
		name := p.Released.place.String()
		if s != nil && s.Release.Sigma > 0 {
			r.Add(report.Claim{ID: "released.sigma", Subject: name, Kind: report.Measured, Value: report.Exactly(s.Release.Sigma, report.Number)})
		}
		r.Add(report.Claim{ID: "released.numbers", Subject: name, Kind: report.Measured, Value: report.Exactly(float64(p.Released.Keep), report.Count)})
		r.Findings = append([]report.Finding{p.verdict(r, s, all)}, r.Findings...)
		p.advise(r, s, all)
	}
	if s == nil {
		s = &measure.Setup{}
	}
	if s.Design, err = json.Marshal(p); err != nil {
		return err
	}
	r.SetRequest(s)
	return nil
}

// verdict says first whether the promise is kept. It is good only if no adversary is shown to do harm beside it.
func (p *Promise) verdict(r *report.Report, s *measure.Setup, all []checked) report.Finding {
	var names, missed []string
	for _, c := range all {
		if names = append(names, c.name); !c.kept {
			missed = append(missed, c.name+" ("+c.against()+")")
		}
	}
	if len(missed) > 0 {
		if times := moreNoise(s, all); times > 1 {
			return report.Finding{Code: "promise.missed.looks", Args: []string{report.List(missed), fmt.Sprintf("%.2g", times)}}
		}
		return report.Finding{Code: "promise.missed", Args: []string{report.List(missed)}}
	}
	code, with := "promise.kept", []string{report.List(names) + conditions(s)}
	switch w := report.WordingOf(r.Verdict()); {
	case r.Has("recognised"), r.Has("attack.recognised"):
		code = "promise.kept.recognised"
		for _, f := range r.Findings {
			if f.Code == "recognised" || f.Code == "attack.recognised" {
				with = append(with, f.Args[0])
			}
		}
	case w.Tone == report.Bad:
		code, with = "promise.kept.bad", append(with, r.Say(r.Findings[0]))
	case w.Tone == report.Warn && (p.Limits.Identify == 0 || r.Verdict() != "identified.some" && r.Verdict() != "not_excluded"):
		code, with = "promise.kept.warn", append(with, r.Say(r.Findings[0]))
	}
	return report.Finding{Code: code, Args: with}
}

// conditions say for how many releases of an input limits hold, and whether nobody says whom the inputs are of.
func conditions(s *measure.Setup) (said string) {
	if s == nil {
		return ""
	}
	if n := s.Release.Queries; n > 1 {
		said = fmt.Sprintf(", for %d releases of each input", n)
	}
	var lists []measure.ListUsed
	if x := s.Lists; x != nil && x.Holder != nil {
		lists = append(lists, x.Holder.List)
	}
	if x := s.Lists; x != nil && x.EverySample() != nil {
		lists = append(lists, x.EverySample().List)
	}
	if slices.ContainsFunc(lists, func(l measure.ListUsed) bool { return l.People == 0 }) {
		said += ", if every input is of another person"
	}
	return said
}

// moreNoise returns the largest multiple of a release's noise that was measured, if no multiple kept the promise. It
// returns 0 if the release was measured once, or if its limits on adversaries hold.
func moreNoise(s *measure.Setup, all []checked) float64 {
	if s == nil || s.Lists == nil || s.Lists.Look != 1 || !slices.ContainsFunc(all, needsNoise) {
		return 0
	}
	tried := Strengths(s.Release.Sigma)
	return tried[len(tried)-1] / tried[0]
}

// advise says what may help to keep the limits that are missed.
func (p *Promise) advise(r *report.Report, s *measure.Setup, all []checked) {
	tried := moreNoise(s, all) > 0
	help := func(code string) {
		if !r.Has(code) {
			r.Find(code, "")
		}
	}
	for _, c := range all {
		switch {
		case c.kept:
		case c.lacks != "":
			help("help.measure")
		case c.drop:
			help("help.nodes")
		case c.floor && tried:
			help("help.data")
		case tried:
			help("help.draws")
		case c.floor:
			help("help.noise")
			help("help.data")
		case c.mean <= c.limit.High:
			help("help.draws")
		default:
			help("help.noise")
		}
	}
}
