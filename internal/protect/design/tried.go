package design

import (
	"slices"
	"strings"

	"tattle/internal/report"
)

// search adds the figures of the search: means over draws on training data, without limits.
func (p Run) search(r *report.Report) {
	if len(p.Answer.Points) == 0 && len(p.Answer.Left) == 0 {
		return
	}
	best := map[string]*Point{}
	var order []string
	for i, x := range p.Answer.Points {
		name := x.place.String()
		if _, ok := best[name]; !ok {
			order, best[name] = append(order, name), nil
		}
		if x.Meets && (best[name] == nil || x.Accuracy[0] > best[name].Accuracy[0]) {
			best[name] = &p.Answer.Points[i]
		}
		p.point(r, name, x)
	}
	for _, c := range p.Answer.Curves {
		r.Series = append(r.Series, report.Series{ID: "search/three kinds of promise, inputs named, training examples", Name: c.Name, X: c.Probability, Y: c.Accuracy})
	}
	add := func(c report.Claim) { c.Source = report.Searched; r.Add(c) }
	add(report.Claim{ID: "tried", Kind: report.Measured, Value: report.Exactly(float64(len(p.Answer.Points)), report.Count)})
	add(report.Claim{ID: "validation", Kind: report.Estimated, Value: report.Exactly(p.Answer.Clean, report.Share)})
	for _, name := range order {
		if x := best[name]; x != nil {
			p.row(add, "point", name, *x)
		}
	}
	if x := p.Answer.Nearest; x != nil {
		p.row(add, "nearest", x.place.String(), *x)
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
	if p.Options.Floor > 0 {
		add("floors/error of an adversary without a list", max(1, p.Options.GreyLevels)*x.Floor)
	}
	for k, want := range p.Options.Protect {
		if k < len(x.Guessed) {
			add("search/right guesses of "+want.Attribute, max(x.Guessed[k].Right, x.Guessed[k].Anybody))
		}
	}
}
