package report

import (
	"fmt"
	"html/template"
	"math"
	"strings"

	"tattle/audit"
	"tattle/internal/file"
)

// drawExcess draws every attribute's excess with its limits, beside zero, the margin,
// what honest classifiers show and what is found in planted channels.
func drawExcess(a *audit.Result) template.HTML {
	c := rowChart{label: "Excess over the best baseline by attribute.", axis: "excess over the best guess without outputs, points", tick: pointTick,
		lines: []rowLine{{"baseline", 0}, {"seam level h3", a.Settings.Margin}}}
	for i := range a.Findings {
		f := &a.Findings[i]
		b := f.BestBaseline()
		if b == nil {
			continue
		}
		name, x := file.Name(f.Attribute), f.Excess
		says := fmt.Sprintf("%s: %s points, limits %s and %s", name, change(x.Value, 2), change(x.Low, 2), change(x.High, 2))
		c.label += " " + says + "."
		row := chartRow{words: cut(name, 32) + ": " + string(f.Verdict), title: says, hue: lookOfFinding(f).colour, lo: x.Low, at: x.Value, hi: x.High}
		if f.Verdict.ExceedsTarget() && evidenceOf(f) != byExcess { // another chart shows what the finding rests on
			row.hue = verdictLooks[audit.Inconclusive].colour
		}
		for _, h := range honestExcess(f, b) {
			row.beside = append(row.beside, rowMark{"dot", "h5 hollow", h, fmt.Sprintf("an honest classifier: %s points", change(h, 2))})
		}
		s := seenFrom(f, b)
		row.beside = append(row.beside, rowMark{"stroke", "h2 filled", s, fmt.Sprintf("smallest excess that is detectable in channels like the planted ones: %s points", inPoints(s, 2))})
		c.rows = append(c.rows, row)
	}
	return c.draw()
}

// excessKeys say what the marks mean, those that there are.
func excessKeys(a *audit.Result) []legendKey {
	keys := []legendKey{{shapeKey("h5 filled", shapes["circle"]), "this release, with one-sided limits"}}
	var honest, planted bool
	for i := range a.Findings {
		f := &a.Findings[i]
		if f.BestBaseline() == nil {
			continue
		}
		honest = honest || len(honestExcess(f, f.BestBaseline())) > 0
		planted = planted || !math.IsNaN(seenFrom(f, f.BestBaseline()))
	}
	if honest {
		keys = append(keys, legendKey{shapeKey("h5 hollow", shapes["dot"]), "an honest classifier"})
	}
	if planted {
		keys = append(keys, legendKey{shapeKey("h2", shapes["stroke"]), "smallest excess that is detectable"})
	}
	return append(keys, legendKey{strokeKey("baseline"), "no excess"}, legendKey{strokeKey("seam level h3"), "margin, " + inPoints(a.Settings.Margin, 2) + " points"})
}

// otherNote says for which attributes the finding rests on another figure than the excess.
func otherNote(a *audit.Result) string {
	said := ""
	for _, f := range worstFirst(a) {
		if by := shownBy(f); by != "–" && by != evidenceNames[byExcess] {
			said += fmt.Sprintf("The finding on %s rests on the %s, not on the excess. ", file.Name(f.Attribute), by)
		}
	}
	return strings.TrimSpace(said)
}

// drawOrders draws the AUC given both labels of every attribute, with 95 % intervals, beside chance and the
// margin; nothing unless a finding rests on one.
func drawOrders(a *audit.Result) template.HTML {
	c := rowChart{label: "AUC by attribute.", axis: "pairs ranked right by an attack; chance: 50 %", tick: percentTick, lines: []rowLine{{"baseline", .5}, {"seam level h3", .5 + a.Settings.Margin}}}
	rests := false
	for i := range a.Findings {
		f := &a.Findings[i]
		if f.Given == nil || f.Given.Order == nil || f.BestBaseline() == nil {
			continue
		}
		t, hue := f.Given.Order, verdictLooks[audit.Inconclusive].colour
		if shownBy(f) == evidenceNames[byOrder] {
			hue, rests = lookOfFinding(f).colour, true
		}
		words := fmt.Sprintf("%s: %s", valueOf(file.Name(f.Attribute), file.Name(t.Class)), percent1(t.Area))
		c.label += " " + words + "."
		c.rows = append(c.rows, chartRow{words: cut(words, 48), title: words, hue: hue, lo: t.Area - 1.96*t.StandardError, at: t.Area, hi: min(1, t.Area+1.96*t.StandardError)})
	}
	if !rests {
		return ""
	}
	return c.draw()
}

// honestExcess returns the curiosity of honest classifiers minus the audited model's best baseline.
func honestExcess(f *audit.Finding, b *audit.Baseline) []float64 {
	if f.Reference == nil {
		return nil
	}
	var x []float64
	for _, v := range f.Reference.Figures {
		x = append(x, v-figureOfBaseline(*b))
	}
	return x
}

// seenFrom is the excess over the best baseline from which the audit could have seen
// one: with honest classifiers it counts from their mean. It is NaN if it is not
// known.
func seenFrom(f *audit.Finding, b *audit.Baseline) float64 {
	switch s := f.Power.Smallest; {
	case s == nil:
		return math.NaN()
	case f.Reference != nil:
		return f.Reference.Mean - figureOfBaseline(*b) + *s
	default:
		return *s
	}
}

// mostAreas is how many rows the chart of areas has.
const mostAreas = 8

// drawAreas draws how often an attack ranks two examples right, with 95 % intervals, beside chance: given the
// true and the predicted target, which a verdict can rest on, then given one of them.
func drawAreas(f *audit.Finding, target string) template.HTML {
	if f.Given == nil {
		return ""
	}
	c := rowChart{label: "How often an attack on the outputs ranks two examples right.", axis: "pairs ranked right; chance: 50 %", tick: percentTick, lines: []rowLine{{"baseline", .5}}}
	add := func(class, given string, lo, at, hi float64) {
		words := fmt.Sprintf("%s, with equal %s %s: %s", file.Name(class), given, target, percent1(at))
		c.label += " " + words + "."
		if len(c.rows) < mostAreas {
			c.rows = append(c.rows, chartRow{words: cut(words, 64), title: words, hue: "h1", lo: lo, at: at, hi: hi})
		}
	}
	if t := f.Given.Order; t != nil {
		add(t.Class, "true and predicted", t.Area-1.96*t.StandardError, t.Area, min(1, t.Area+1.96*t.StandardError))
	}
	return c.draw()
}

// drawDefences draws the excess that each defence leaves on an attribute, beside the honesty that it keeps.
func drawDefences(a *audit.Result, attribute string) template.HTML {
	c := rowChart{label: "Excess left on " + file.Name(attribute) + " by each defence: in the table below.", axis: "excess left, points", tick: pointTick,
		lines: []rowLine{{"baseline", 0}, {"seam level h3", a.Settings.Margin}}}
	for _, d := range a.Defences {
		for _, l := range d.Left {
			if l.Attribute != attribute {
				continue
			}
			words := fmt.Sprintf("%s%s: honesty %s", cut(printable(d.Name), 40), when(d.Recommended, " *"), percent1(d.Honesty.Value))
			c.rows = append(c.rows, chartRow{words: words, title: fmt.Sprintf("%s, excess %s points", words, change(l.Excess.Value, 2)),
				hue: map[bool]string{true: "h2", false: "h1"}[d.Recommended], lo: l.Excess.Low, at: l.Excess.Value, hi: l.Excess.High})
		}
	}
	return c.draw()
}

func figureOfBaseline(b audit.Baseline) float64 {
	switch {
	case b.Accuracy != nil:
		return b.Accuracy.Value
	case b.R2 != nil:
		return *b.R2
	}
	return math.NaN()
}
