package measure

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"tattle/internal/protect/bayes"
	"tattle/internal/report"
)

// What adversaries know: the groups of claims on guessing attributes.
const (
	KnowsList         = "the list"
	KnowsDistribution = "the distribution"
)

// limit is a limit from draws as a value; processed: only the upper limit holds for the release.
func (a *account) limit(l bayes.Limit, u report.Unit) report.Value {
	if a.lists.Processed {
		return report.AtMost(l.High, u).Sure(DefaultConfidence)
	}
	return report.Within(l.Mean, l.Low, l.High, u, DefaultConfidence)
}

// holder claims what the best adversary with a list of candidates achieves.
func (a *account) holder(h *ListHolder) {
	n := float64(h.List.Inputs)
	claim := func(id, subject string, v report.Value, without report.Value) {
		a.Add(report.Claim{ID: id, Subject: subject, Kind: report.WithConfidence, Value: v, N: h.Draws,
			Beside: []report.Beside{{Name: "guessing", Value: without}, {Name: "without the release", Value: without}}})
	}
	guess := report.Exactly(1/n, report.Share)
	a.Add(report.Claim{ID: "candidates", Kind: report.Measured, Value: report.Exactly(n, report.Count)})
	best, of := h.best()
	claim("identified", "", a.limit(best, report.Share), report.Exactly(1/float64(of), report.Share))
	if h.Person != nil {
		claim("holder", "person named with one guess", a.limit(best, report.Share), report.Exactly(1/float64(of), report.Share))
	}
	claim("holder", "input named with one guess", a.limit(h.First, report.Share), guess)
	curve := report.Series{ID: "identified", Name: "named with one guess, with its limits"}
	for _, s := range append(slices.Clone(h.Among), ShorterList{h.List.Inputs, h.First}) {
		if len(h.Among) == 0 || a.lists.Processed {
			break
		}
		claim("identified.among", report.Grouped(s.Inputs), a.limit(s.First, report.Share), report.Exactly(1/float64(s.Inputs), report.Share))
		curve.X, curve.Y = append(curve.X, float64(s.Inputs)), append(curve.Y, s.First.Mean)
		curve.Low, curve.High = append(curve.Low, s.First.Low), append(curve.High, s.First.High)
	}
	if len(curve.X) > 0 {
		a.Series = append(a.Series, curve)
	}
	claim("holder", "input named with ten guesses", a.limit(h.Ten, report.Share), report.Exactly(min(1, 10/n), report.Share))
	rank := a.limit(h.Rank, report.Number)
	if a.lists.Processed {
		rank = report.AtLeast(h.Rank.Low, report.Number).Sure(DefaultConfidence)
	}
	claim("holder", "mean rank of the input", rank, report.Exactly((n+1)/2, report.Number))
	claim("bits", "", a.limit(h.Bits, report.Bits), report.Exactly(0, report.Bits))
	about := "bits revealed of " + report.Exactly(math.Log2(float64(of)), report.Number).String()
	if h.Person != nil {
		about += " about the person"
	}
	claim("holder", about, a.limit(h.Bits, report.Number), report.Exactly(0, report.Number))
	if h.BitsMost != nil && *h.Fano < vacuousLimit {
		a.Add(report.Claim{ID: "bits.most", Kind: report.Certified, Value: report.AtMost(max(*h.BitsMost, leastBits), report.Bits)},
			report.Claim{ID: "identified.fano", Kind: report.Certified, Value: report.AtMost(*h.Fano, report.Share)})
		a.Find("covariance", "")
	}
	for _, f := range h.Floors {
		a.floor("floor.list", a.level(f.Band), f.Band, f.MeanSquare.Low, f.Prior, h.List.Inputs)
	}
}

// floor claims a floor on the mean-square error in a band, beside that without the release.
func (a *account) floor(id, subject, band string, square, prior float64, n int) {
	x, u := a.root(band, square)
	without, _ := a.root(band, prior)
	a.Add(report.Claim{ID: id, Subject: subject, Kind: report.WithConfidence, Value: report.AtLeast(negligible(math.Nextafter(x, 0), without), u).Sure(DefaultConfidence), N: n,
		Beside: []report.Beside{{Name: "without the release", Value: report.Exactly(without, u)}}})
}

// best is the probability that the best adversary with the list names whom the input is of, among how many: the person
// or, if each input is taken for another person, the input.
func (h *ListHolder) best() (bayes.Limit, int) {
	if h.Person != nil {
		return *h.Person, h.List.People
	}
	return h.First, h.List.Inputs
}

// named is what is named, and under which conditions: arguments of the findings on identification.
func (a *account) named() []string {
	what, condition := "person", ""
	if a.held().Person == nil {
		what, condition = "one", ", if every input is of another person"
	}
	if n := a.setup.Release.Queries; n > 1 {
		condition += fmt.Sprintf("; it sees %d of each input", n)
	}
	return []string{what, condition}
}

// exposure claims how often single people are named.
func (a *account) exposure(x *ExposureFigures) {
	claim := func(id, subject, group string, kind report.Kind, v report.Value, n int) {
		a.Add(report.Claim{ID: id, Subject: subject, Group: group, Kind: kind, Value: v, N: n})
	}
	curve := report.Series{ID: "exposed", Name: "share of people, with its limits"}
	for _, s := range x.Above {
		claim("exposed.above", report.Exactly(s.Than, report.Share).String(), "", report.WithConfidence, report.Within(s.Share.Mean, s.Share.Low, s.Share.High, report.Share, DefaultConfidence), x.People)
		curve.X, curve.Y = append(curve.X, s.Than), append(curve.Y, s.Share.Mean)
		curve.Low, curve.High = append(curve.Low, s.Share.Low), append(curve.High, s.Share.High)
	}
	a.Series = append(a.Series, curve)
	for i, id := range []string{"exposed.q50", "exposed.q90", "exposed.q95", "exposed.q99"} {
		claim(id, "", "", report.Estimated, report.Exactly(x.Quantile[i], report.Share), x.People)
	}
	for _, m := range x.Most {
		claim("exposed.most", fmt.Sprintf("input %d", m.Index), "", report.Estimated, report.Exactly(m.Named, report.Share), x.Releases)
	}
	for _, g := range x.Groups {
		claim("exposed.group", g.Attribute, g.Value, report.WithConfidence, report.Within(g.Named.Mean, g.Named.Low, g.Named.High, report.Share, DefaultConfidence), g.People)
	}
	a.Find("exposed", "", map[bool]string{true: "person", false: "input"}[a.lists.Holder.Person != nil])
	for _, c := range x.Compared {
		more, less := c.Attribute+" = "+c.More, c.Attribute+" = "+c.Less
		if c.Shown {
			a.Find("exposed.more", c.Attribute, more, less)
			continue
		}
		if a.Find("exposed.alike", c.Attribute); c.Enough > 0 {
			a.Find("exposed.enough", c.Attribute, more, less, report.Grouped(c.Enough))
		}
	}
}

// leastBits is the least limit on revealed bits that is stated: below it, the sum of float64 may have lost it.
const leastBits = 1e-15

// vacuousLimit is the probability of success above which a limit on it says nothing: Fano's is not stated then.
const vacuousLimit = .99

// negligibleFloor is the share of the error without the release below which a floor is stated as 0.
const negligibleFloor = .01

func negligible(floor, prior float64) float64 {
	if !(floor > 0) || floor < negligibleFloor*prior {
		return 0
	}
	return floor
}

// anybody claims the floors for adversaries without a list.
func (a *account) anybody() {
	if h := a.lists.Hidden; h != nil {
		a.Add(report.Claim{ID: "identified.new", Kind: report.WithConfidence, Value: report.Within(h.First.Mean, h.First.Low, h.First.High, report.Share, DefaultConfidence), N: cmp.Or(h.List.People, h.List.Inputs)})
	}
	p := a.lists.EverySample()
	if p == nil {
		return
	}
	for _, f := range p.Floors {
		a.floor("floor", a.level(f.Band), f.Band, f.Anybody, f.Prior, p.List.Inputs)
	}
	if w := p.Weaker; w != nil {
		x, u := a.root(p.Floors[0].Band, w.Rows)
		a.Add(report.Claim{ID: "floor.rows", Kind: report.Estimated, Value: report.Exactly(math.Nextafter(x, 0), u), N: p.List.Inputs})
	}
	if len(a.lists.Anybody) > 1 {
		for _, p := range a.lists.Anybody {
			f := p.Floors[0]
			a.floor("floor.sample", report.Grouped(p.List.Inputs), f.Band, f.Anybody, f.Prior, p.List.Inputs)
		}
	}
}

// guesses claims the upper limits on guessing attributes.
func (a *account) guesses() {
	add := func(name, knows string, g *GuessLimit, area *float64, list bool) {
		claim := func(id string, kind report.Kind, v report.Value) {
			a.Add(report.Claim{ID: id, Subject: name, Group: knows, Kind: kind, Value: v})
		}
		atMost := func(id string, x float64, u report.Unit) {
			claim(id, report.WithConfidence, report.AtMost(x, u).Sure(DefaultConfidence))
		}
		right, bits := g.Anybody, g.AnybodyBits
		if claim("guess.majority", report.Measured, report.Exactly(g.Majority, report.Share)); list {
			if right, bits = g.Right.High, g.Bits.High; !a.lists.Processed {
				claim("guess.best", report.Estimated, report.Exactly(g.Right.Mean, report.Share))
			}
		}
		atMost("guess.limit", min(1, right), report.Share)
		if atMost("guess.bits", bits, report.Bits); area != nil {
			atMost("guess.auc", *area, report.Share)
		}
	}
	each := func(knows string, all []InferredLimit, list bool) {
		for _, l := range all {
			area := l.AnybodyAUC
			if list && l.AUC != nil {
				area = &l.AUC.High
			}
			if add(l.Name, knows, &l.GuessLimit, area, list); l.Weaker != nil {
				a.Add(report.Claim{ID: "guess.rows", Subject: l.Name, Kind: report.Estimated, Value: report.Exactly(1-l.Weaker.Rows, report.Share)})
			}
			if len(l.Attacks) > 0 {
				x := slices.MaxFunc(l.Attacks, func(a, b InferredAttack) int { return cmp.Compare(a.Right.Value, b.Right.Value) }).Right
				a.Add(report.Claim{ID: "guess.attack", Subject: l.Name, Group: knows, Kind: report.Demonstrated, Source: report.Searched, N: x.Examples,
					Value: report.Within(x.Value, x.Interval[0], x.Interval[1], report.Share, .95)})
			}
			if g := l.Given; g != nil {
				add(l.Name, knows+" and "+g.Target, &g.GuessLimit, nil, list)
			}
		}
	}
	if h := a.lists.Holder; h != nil {
		each(KnowsList, h.Inferred, true)
	}
	if p := a.lists.EverySample(); p != nil {
		each(KnowsDistribution, p.Inferred, false)
	}
}
