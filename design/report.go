package design

import (
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strings"

	"tattle/internal/report"
	"tattle/measure"
	"tattle/release"
)

// Title is the title of the report on a release that keeps a promise.
const Title = "What to release"

// Run is a search for a release that keeps a promise, with what a report needs beside its answer. Accuracies are of test
// data.
type Run struct {
	Options Options
	Answer  *Answer
	Utility Utility // of the answer; zero if nothing is released
	Command string  // of tattle bound, that examines the release further; empty if nothing is released
	Pack    string  // command that packs it; empty if its noise is not on a lattice
}

// Promise is what a report needs to check a promise again: the request of tattle design.
type Promise struct {
	Limits   Limits           `json:"limits"` // errors in the model's units
	MaxDrop  float64          `json:"max_accuracy_drop,omitempty"`
	Queries  int              `json:"queries,omitempty"`
	Released *ReleasedNumbers `json:"released,omitempty"` // nil if nothing that was tried keeps the promise
}

// ReleasedNumbers say what the release is.
type ReleasedNumbers struct {
	Method Method  `json:"method"`
	Node   string  `json:"node"`             // of the original model
	Weight float64 `json:"weight,omitempty"` // of the penalty, if the method learns
	Keep   int     `json:"keep"`             // numbers that are released
}

// Add adds what the search found to the report of the release, or to an empty one if nothing is released, and concludes.
func (p Run) Add(r *report.Report) error {
	promise := Promise{Limits: p.Options.Limits, MaxDrop: p.Options.MaxDrop, Queries: p.Options.Queries}
	if b := p.Answer.Best; b != nil {
		promise.Released = &ReleasedNumbers{b.Method, b.Node, b.Weight, b.Keep}
		accuracy := func(id string, of release.Accuracy, u report.Unit, from report.Source) {
			r.Add(report.Claim{ID: id, Kind: report.Measured, Value: report.Within(of.Fraction, of.Interval.Low, of.Interval.High, u, release.Confidence), N: of.Trials, Source: from})
		}
		accuracy("design.accuracy", p.Utility.Released, report.Share, "")
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

// A checked limit is one of the promise beside the figure of the report.
type checked struct {
	name          string
	limit, figure report.Value
	mean          float64 // of the measurement; NaN if there is none
	lacks         string  // why it was not measured
	kept, least   bool
	drop, floor   bool
	attack        bool
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
				claim := report.Claim{ID: "figure", Subject: c.name, Kind: report.WithConfidence, Value: c.figure}
				if c.attack {
					claim.Kind = report.Demonstrated
				}
				if c.drop {
					claim.Kind, claim.Source = report.Measured, report.Searched
				}
				r.Add(claim)
			}
			r.Find(code, c.name, c.lacks)
		}
		name := string(p.Released.Method) + " at " + p.Released.Node
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

// against says the figure and the limit.
func (c checked) against() string {
	if c.lacks != "" {
		return "not measured, limit " + c.limit.Asked()
	}
	return c.figure.Figure() + ", limit " + c.limit.Asked()
}

// NeedsNoise reports whether a limit on every adversary, or on attacks, was measured in the report and is not kept: more
// noise may keep it.
func (p *Promise) NeedsNoise(r *report.Report) bool {
	s, err := measure.SetupOf(r)
	return err == nil && slices.ContainsFunc(p.checks(r, s), needsNoise)
}

func needsNoise(c checked) bool { return !c.kept && c.lacks == "" && !c.drop }

// NeedsNoise reports whether more noise may keep a limit of the promise that the report misses.
func (p Run) NeedsNoise(r *report.Report) bool {
	return (&Promise{Limits: p.Options.Limits, Queries: p.Options.Queries}).NeedsNoise(r)
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
		if times := moreNoise(s, r, all); times > 1 {
			return report.Finding{Code: "promise.missed.looks", Args: []string{report.List(missed), fmt.Sprintf("%.2g", times)}}
		}
		return report.Finding{Code: "promise.missed", Args: []string{report.List(missed)}}
	}
	code, with := "promise.kept", []string{report.List(names)}
	switch w := report.WordingOf(r.Verdict()); {
	case r.Has("recognised"), r.Has("attack.recognised"):
		code = "promise.kept.recognised"
		for _, f := range r.Findings {
			if f.Code == "recognised" || f.Code == "attack.recognised" {
				with = append(with, f.Args[0])
			}
		}
	case w.Tone == report.Bad:
		code = "promise.kept.bad"
	case w.Tone == report.Warn && (p.Limits.Identify == 0 || r.Verdict() != "identified.some" && r.Verdict() != "not_excluded"):
		code = "promise.kept.warn"
	}
	return report.Finding{Code: code, Args: with}
}

// moreNoise returns up to how many times its noise a release was measured with, none of which kept the promise; 0 if it
// was measured once, or keeps its limits on adversaries.
func moreNoise(s *measure.Setup, r *report.Report, all []checked) float64 {
	if s == nil || s.Lists == nil || s.Lists.Look != 1 || !slices.ContainsFunc(all, needsNoise) {
		return 0
	}
	tried := Strengths(s.Release.Sigma)
	return tried[len(tried)-1] / tried[0]
}

// advise says what may help to keep the limits that are missed.
func (p *Promise) advise(r *report.Report, s *measure.Setup, all []checked) {
	tried := moreNoise(s, r, all) > 0
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
		case !c.attack && c.mean <= c.limit.High:
			help("help.draws")
		default:
			help("help.noise")
		}
	}
}

// checks compares every limit of the promise with the claims of the report.
func (p *Promise) checks(r *report.Report, s *measure.Setup) (all []checked) {
	l, lacksList, lacksQueries := p.Limits, p.lacksList(s), p.lacksQueries(s)
	unit, scale := report.Unit("normalised units"), 1.
	if s != nil && s.Data.GreyLevels > 0 {
		unit, scale = report.Grey, s.Data.GreyLevels
	}
	find := func(id, subject, group string) *report.Claim {
		for i, c := range r.Claims {
			if c.ID == id && (subject == "" || c.Subject == subject) && c.Group == group {
				return &r.Claims[i]
			}
		}
		return nil
	}
	most := func(name string, limit float64, u report.Unit, lacks string, of ...*report.Claim) {
		if limit <= 0 {
			return
		}
		c := checked{name: name, limit: report.AtMost(limit, u), mean: math.NaN(), lacks: lacks, figure: report.AtMost(0, u), drop: name == nameDrop}
		for _, x := range of {
			if x == nil && c.lacks == "" {
				c.lacks = "it was not computed"
			}
			if x != nil && c.lacks == "" {
				c.figure.High = max(c.figure.High, x.Value.High)
				c.figure.Confidence, c.mean = x.Value.Confidence, x.Value.X
			}
		}
		c.kept = c.lacks == "" && c.figure.High <= limit
		all = append(all, c)
	}
	least := func(name string, limit float64, lacks string, of *report.Claim, value func(report.Value) float64) {
		if limit <= 0 {
			return
		}
		c := checked{name: name, limit: report.AtLeast(scale*limit, unit), mean: math.NaN(), lacks: lacks, least: true, floor: name == nameFloor, attack: name == nameAttack}
		if of == nil && lacks == "" {
			c.lacks = "it was not computed"
		} else if lacks == "" {
			c.figure = report.AtLeast(value(of.Value), unit).Sure(of.Value.Confidence)
			c.kept = c.figure.Low >= c.limit.Low
		}
		all = append(all, c)
	}
	most("identification", l.Identify, report.Share, lacksList, find("identified", "", ""))
	most("identification of new inputs", l.Identify, report.Share, lacksList, find("identified.new", "", ""))
	most("bits revealed", l.Bits, report.Bits, lacksList, find("bits", "", ""))
	least(nameFloor, l.Floor, lacksQueries, find("floor", "", ""), func(v report.Value) float64 { return v.Low })
	least(nameAttack, l.Attack, lacksQueries, find("attack", "", ""), func(v report.Value) float64 { return v.X })
	for _, x := range l.Protect {
		most("right guesses of "+x.Attribute, x.Accuracy, report.Share, lacksList, find("guess.limit", x.Attribute, measure.KnowsList), find("guess.limit", x.Attribute, measure.KnowsDistribution))
		most("AUC of "+x.Attribute, x.AUC, report.Share, lacksList, find("guess.auc", x.Attribute, measure.KnowsList))
		var given *report.Claim
		for i, c := range r.Claims {
			if c.ID == "guess.bits" && c.Subject == x.Attribute && strings.HasPrefix(c.Group, measure.KnowsList+" and ") {
				given = &r.Claims[i]
			}
		}
		most("bits about "+x.Attribute, x.Bits, report.Bits, lacksList, given)
	}
	most(nameDrop, p.MaxDrop, report.Points, "", find("design.drop", "", ""))
	return all
}

// Names of limits.
const (
	nameFloor  = "floor without a list"
	nameAttack = "error of attacks"
	nameDrop   = "accuracy drop"
)

// lacksList says why the limits for adversaries with the list say nothing about the promise; empty if they do.
func (p *Promise) lacksList(s *measure.Setup) string {
	if s == nil || s.Lists == nil || s.Lists.Holder == nil {
		return "no limits for adversaries with a list were computed"
	}
	list, want := s.Lists.Holder.List, p.Limits.Candidates
	if want == 0 {
		want = list.Of
	}
	if have := list.Inputs + list.Merged; have != want {
		return fmt.Sprintf("the list has %s, the promise is about %s", report.Many(have, "candidate"), report.Grouped(want))
	}
	return p.lacksQueries(s)
}

// lacksQueries says that fewer releases of an input were measured than the promise is about; empty if not.
func (p *Promise) lacksQueries(s *measure.Setup) string {
	if s == nil {
		return "nothing is released"
	}
	if have, want := max(s.Release.Queries, 1), max(p.Queries, 1); have < want {
		return fmt.Sprintf("%s of an input was measured, the promise is about %d", report.Many(have, "release"), want)
	}
	return ""
}

// search adds the figures of the search: means over draws on training data, without limits.
func (p Run) search(r *report.Report) {
	if len(p.Answer.Points) == 0 && len(p.Answer.Left) == 0 {
		return
	}
	tried := 0
	best, nodes := map[string]*Point{}, map[string]float64{}
	var order []string
	for i, x := range p.Answer.Points {
		name := string(x.Method) + " at " + x.Node
		if _, ok := best[name]; !ok {
			order, best[name] = append(order, name), nil
		}
		if x.Meets && (best[name] == nil || x.Accuracy[0] > best[name].Accuracy[0]) {
			best[name] = &p.Answer.Points[i]
		}
		if !x.Method.Peer() {
			tried++
			if x.Meets {
				nodes[x.Node] = max(nodes[x.Node], x.Accuracy[0])
			}
		}
		p.point(r, name, x)
	}
	add := func(c report.Claim) { c.Source = report.Searched; r.Add(c) }
	add(report.Claim{ID: "tried", Kind: report.Measured, Value: report.Exactly(float64(tried), report.Count)})
	add(report.Claim{ID: "validation", Kind: report.Estimated, Value: report.Exactly(p.Answer.Clean, report.Share)})
	for _, name := range order {
		if x := best[name]; x != nil {
			p.row(add, "point", name, *x)
		}
	}
	if x := p.Answer.Nearest; x != nil {
		p.row(add, "nearest", string(x.Method)+" at "+x.Node, *x)
	}
	for _, c := range p.Answer.Cuts {
		claim := func(id string, v report.Value) {
			r.Add(report.Claim{ID: id, Subject: c.Node, Kind: report.Measured, Value: v, Source: report.Searched})
		}
		claim("cut.share", report.Exactly(c.Share, report.Share))
		claim("cut.operations", report.Exactly(float64(c.MultiplyAdds), report.Number))
		claim("cut.parameters", report.Exactly(float64(c.Parameters), report.Count))
		claim("cut.features", report.Exactly(float64(c.Features), report.Count))
		if a, ok := nodes[c.Node]; ok {
			claim("cut.accuracy", report.Exactly(a, report.Share))
		}
		if b := p.Answer.Best; b != nil && b.Node == c.Node {
			r.Find("design.device", c.Node)
		}
	}
	for _, why := range p.Answer.Left {
		r.Find("left_out", "", strings.TrimSuffix(why, "."))
	}
}

// row adds the figures of a point.
func (p Run) row(add func(report.Claim), id, name string, x Point) {
	claim := func(what string, v report.Value) {
		add(report.Claim{ID: id + "." + what, Subject: name, Kind: report.Estimated, Value: v})
	}
	claim("numbers", report.Exactly(float64(x.Keep), report.Count))
	claim("sigma", report.Exactly(x.Sigma, report.Number))
	claim("accuracy", report.Exactly(x.Accuracy[0], report.Share))
	claim("identified", report.Exactly(max(x.Identified, x.New), report.Share))
	claim("bits", report.Exactly(x.Bits, report.Bits))
	if g := p.Options.GreyLevels; g > 0 {
		claim("floor", report.Exactly(g*x.Floor, report.Grey))
	} else {
		claim("floor", report.Exactly(x.Floor, "normalised units"))
	}
	for k, want := range p.Options.Protect {
		if k < len(x.Guessed) {
			add(report.Claim{ID: id + ".guessed", Subject: name, Group: want.Attribute, Kind: report.Estimated, Value: report.Exactly(max(x.Guessed[k].Right, x.Guessed[k].Anybody), report.Share)})
		}
	}
}

// lowestDrawn is how far below the original model's accuracy a release may be to be drawn.
const lowestDrawn = .15

// point adds a point to the curves of its line: accuracy against what adversaries can do.
func (p Run) point(r *report.Report, name string, x Point) {
	if x.Accuracy[0] < p.Answer.Clean-lowestDrawn {
		return
	}
	add := func(id string, at float64) {
		k := slices.IndexFunc(r.Series, func(s report.Series) bool { return s.ID == id && s.Name == name })
		if k < 0 {
			k = len(r.Series)
			r.Series = append(r.Series, report.Series{ID: id, Name: name})
		}
		r.Series[k].X, r.Series[k].Y = append(r.Series[k].X, at), append(r.Series[k].Y, x.Accuracy[0])
	}
	if p.Options.Identify > 0 {
		add("search/identification", max(x.Identified, x.New, 1e-6))
	}
	if p.Options.Floor > 0 || p.Options.Attack > 0 {
		add("floors/error of an adversary without a list", max(1, p.Options.GreyLevels)*x.Floor)
	}
	for k, want := range p.Options.Protect {
		if k < len(x.Guessed) {
			add("search/right guesses of "+want.Attribute, max(x.Guessed[k].Right, x.Guessed[k].Anybody))
		}
	}
}
