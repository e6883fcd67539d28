package design

import (
	"cmp"
	"fmt"
	"math"
	"strings"

	"tattle/internal/protect/measure"
	"tattle/internal/protect/release"
	"tattle/internal/report"
)

// A checked limit is one of the promise beside the figure of the report.
type checked struct {
	name          string
	limit, figure report.Value
	mean          float64 // of the measurement; NaN if there is none
	lacks         string  // why it was not measured
	kept          bool
	kind          report.Kind // of the figure
	drop, floor   bool
}

// against says the figure and the limit.
func (c checked) against() string {
	if c.lacks != "" {
		return "not measured, limit " + c.limit.Asked()
	}
	return c.figure.Figure() + ", limit " + c.limit.Asked()
}

func needsNoise(c checked) bool { return !c.kept && c.lacks == "" && !c.drop }

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
		c := checked{name: name, limit: report.AtMost(limit, u), mean: math.NaN(), lacks: lacks, figure: report.AtMost(0, u), kind: report.WithConfidence, drop: name == nameDrop}
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
	most("identification", l.Identify, report.Share, lacksList, find("identified", "", ""))
	most("identification of new inputs", l.Identify, report.Share, lacksList, find("identified.new", "", ""))
	if x := l.Exposed; x != nil {
		than := report.Exactly(x.Than, report.Share).String()
		most("people named in more than "+than+" of releases", x.Share, report.Share, lacksList, find("exposed.above", than, ""))
	}
	most("bits revealed", l.Bits, report.Bits, lacksList, find("bits", "", ""))
	if l.Worst > 0 {
		among := cmp.Or(l.Among, l.Candidates)
		if among == 0 && s != nil && s.Lists != nil && s.Lists.Holder != nil {
			among = s.Lists.Holder.List.Of
		}
		worst, lacks := worstClaim(s, among)
		most(fmt.Sprintf("whatever the data: named among %s", report.Grouped(among)), l.Worst, report.Share, cmp.Or(lacks, lacksQueries), worst)
		all[len(all)-1].kind = report.Certified
	}
	if l.Floor > 0 {
		c := checked{name: "floor without a list", limit: report.AtLeast(scale*l.Floor, unit), mean: math.NaN(), lacks: lacksQueries, floor: true, kind: report.WithConfidence}
		if of := find("floor", "", ""); of == nil {
			c.lacks = cmp.Or(lacksQueries, "it was not computed")
		} else if c.lacks == "" {
			c.figure = report.AtLeast(of.Value.Low, unit).Sure(of.Value.Confidence)
			c.kept = c.figure.Low >= c.limit.Low
		}
		all = append(all, c)
	}
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

// worstClaim returns the limit that the clip of the norm proves on naming the input, for a list of this length. If it proves none,
// lacks says why.
func worstClaim(s *measure.Setup, among int) (c *report.Claim, lacks string) {
	if s == nil {
		return nil, "nothing is released"
	}
	noise, err := s.Release.Again().Noise(s.Release.Sigma, s.Features, "")
	if err != nil {
		return nil, err.Error()
	}
	w, ok := release.WorstOf(noise, s.Release.ClipNorm, s.Release.Queries)
	if !ok {
		return nil, "the norm of the release is not clipped"
	}
	return &report.Claim{Value: report.AtMost(w.Success(1/float64(among)), report.Share)}, ""
}

// nameDrop is the limit on accuracy.
const nameDrop = "accuracy drop"

// lacksList says why the limits for adversaries with the list say nothing about the promise; empty if they do.
func (p *Promise) lacksList(s *measure.Setup) string {
	if s == nil || s.Lists == nil || s.Lists.Holder == nil {
		return "no limits for adversaries with a list were computed"
	}
	list := s.Lists.Holder.List
	want := cmp.Or(p.Limits.Candidates, list.Of)
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
