package serve

import (
	"fmt"
	"math"
	"strings"

	"tattle/bound"
	"tattle/report"
)

// figure is one number of a report, in a form that two runs can be compared by.
type figure struct {
	Group string // what it is about, as "Curiosity of family"
	Name  string
	Value float64 // NaN where Text is all there is
	Unit  unit
	Text  string // where it is no number
	Note  string // an interval, a count
}

type unit int

const (
	plainUnit unit = iota
	percentUnit
	pointsUnit // a difference of percentages
	bitsUnit
	chanceUnit // p-values, of which no difference is taken
)

// Said is the figure for people.
func (f figure) Said() string {
	switch {
	case f.Text != "":
		return f.Text
	case math.IsInf(f.Value, 1):
		return "unbounded"
	case math.IsNaN(f.Value):
		return "–"
	}
	return f.Unit.say(f.Value)
}

func (u unit) say(x float64) string {
	said := fmt.Sprintf("%.4g", x)
	switch {
	case u == percentUnit:
		said = fmt.Sprintf("%.1f\u00a0%%", 100*x)
	case u == pointsUnit:
		said = fmt.Sprintf("%+.1f\u00a0points", 100*x)
	case u == bitsUnit:
		said = fmt.Sprintf("%.3g\u00a0bits", x)
	case u == chanceUnit:
		said = fmt.Sprintf("%.2g", x)
	case math.Abs(x) >= 1e4 && math.Abs(x) < 1e7:
		said = fmt.Sprintf("%.0f", x)
	}
	return minus(said)
}

// minus puts the sign in the place of the hyphen, but not in exponents.
func minus(said string) string {
	if strings.HasPrefix(said, "-") {
		return "−" + said[1:]
	}
	return said
}

// difference says how far two figures are apart.
func (u unit) difference(x float64) string {
	switch u {
	case percentUnit, pointsUnit:
		return pointsUnit.say(x)
	case chanceUnit:
		return ""
	}
	return minus(fmt.Sprintf("%+.3g", x))
}

// figures lists what a report says in numbers.
func figures(r *report.Report) []figure {
	var out []figure
	out = append(out, auditFigures(r.Audit)...)
	out = append(out, utilityFigures(r)...)
	out = append(out, curiosityFigures(r.Curiosity)...)
	out = append(out, defenceFigures(r.Audit)...)
	out = append(out, designFigures(r.Design)...)
	out = append(out, boundFigures(r)...)
	return append(out, attackFigures(r)...)
}

func utilityFigures(r *report.Report) []figure {
	if r.Utility.Examples == 0 {
		return nil
	}
	u, group := r.Utility, "Accuracy"
	return []figure{
		{Group: group, Name: "of the model", Value: float64(u.CleanAccuracy), Unit: percentUnit, Note: between(u.CleanInterval, percentUnit)},
		{Group: group, Name: "of the release", Value: float64(u.ReleasedAccuracy), Unit: percentUnit, Note: between(u.ReleasedInterval, percentUnit)},
	}
}

func curiosityFigures(c *report.Curiosity) []figure {
	if c == nil {
		return nil
	}
	group := "Honesty"
	out := []figure{
		{Group: group, Name: said(c.Target, 60), Value: float64(c.Honesty), Unit: percentUnit, Note: within(c.HonestyInterval, percentUnit)},
		{Group: group, Name: "entropy of the outputs", Value: float64(c.EntropyBits), Unit: bitsUnit},
	}
	for _, l := range append([]report.Leak{c.Leak}, c.Others...) {
		out = append(out, leakFigures(l)...)
	}
	return out
}

func leakFigures(l report.Leak) []figure {
	group := "Curiosity about " + said(l.Sensitive, 60)
	p := math.NaN()
	if l.PValue != nil {
		p = *l.PValue
	}
	return []figure{
		{Group: group, Name: "curiosity", Value: float64(l.Curiosity), Unit: percentUnit, Note: within(l.CuriosityInterval, percentUnit)},
		{Group: group, Name: "best baseline", Value: float64(l.Baseline), Unit: percentUnit, Note: said(l.BaselineKind, 40)},
		{Group: group, Name: "excess", Value: float64(l.Excess), Unit: pointsUnit, Note: within(l.ExcessInterval, pointsUnit)},
		{Group: group, Name: "p-value", Value: p, Unit: chanceUnit},
		{Group: group, Name: "mutual information", Value: float64(l.Information), Unit: bitsUnit, Note: within(l.InformationInterval, bitsUnit)},
	}
}

func designFigures(d *report.Design) []figure {
	if d == nil {
		return nil
	}
	group, met := "Design", "no"
	if d.Met {
		met = "yes"
	}
	out := []figure{{Group: group, Name: "target met", Text: met, Value: math.NaN()}}
	if b := d.Best; b != nil {
		out = append(out,
			figure{Group: group, Name: "noise", Value: b.Sigma, Note: said(b.Family, 40)},
			figure{Group: group, Name: "numbers kept", Value: float64(b.Keep)},
			figure{Group: group, Name: "drop of accuracy", Value: float64(b.Drop), Unit: pointsUnit},
			figure{Group: group, Name: "median error", Value: float64(b.MedianStd)})
	}
	return out
}

func boundFigures(r *report.Report) []figure {
	var out []figure
	if n := r.Release.Noise; n.Family != "" {
		out = append(out, figure{Group: "Noise", Name: "standard deviation", Value: n.Sigma, Note: said(n.Family, 40)})
	}
	if x := r.Resolvable; x != nil {
		out = append(out, figure{Group: "Directions", Name: "rank, median", Value: x.RankMedian, Note: fmt.Sprintf("of %d", x.Inputs)})
		for i, t := range x.Thresholds {
			if i < len(x.DirectionsMedian) {
				out = append(out, figure{Group: "Directions", Name: fmt.Sprintf("resolved to within %g", t), Value: x.DirectionsMedian[i]})
			}
		}
	}
	for _, b := range r.Bounds {
		out = append(out, boundFigure(b))
	}
	return out
}

// boundFigure is the median of a bound, in normalised units.
func boundFigure(b bound.Summary) figure {
	name := b.Method
	if b.Search != "" {
		name += ", " + b.Search
	}
	if b.Size > 0 {
		name += ", s = " + report.Fraction(b.Size)
	}
	return figure{
		Group: medianGroup(b.Status),
		Name:  said(fmt.Sprintf("%s, %s %s", name, b.Coordinates, b.Band), 120),
		Value: b.Quantile(.5),
		Note:  unboundedShare(b),
	}
}

func medianGroup(status string) string {
	return "Median error in normalised units, " + said(status, 40)
}

func unboundedShare(b bound.Summary) string {
	if b.UnboundedFraction == 0 || math.IsInf(b.Quantile(.5), 1) {
		return ""
	}
	return percentUnit.say(b.UnboundedFraction) + " unbounded"
}

// attackFigures are the root mean square errors of the attacks and of the prior alone.
func attackFigures(r *report.Report) []figure {
	var out []figure
	add := func(name string, a report.Attack, note string) {
		out = append(out, figure{
			Group: "Root mean square error in normalised units, " + said(a.Status, 40),
			Name:  said(fmt.Sprintf("%s, %s %s", name, a.Coordinates, a.Band), 120),
			Value: a.RMS(), Note: note,
		})
	}
	for _, a := range r.PriorAlone {
		add("prior alone", a, "guessing the mean, without the release")
	}
	for _, a := range r.Attacks {
		note := ""
		if !a.Closer() {
			note = "not shown to come closer than the prior alone"
		}
		add(a.Name+" attack", a, note)
	}
	return out
}

func between(i [2]float64, u unit) string {
	low := u.say(i[0])
	if at := strings.IndexRune(low, '\u00a0'); at >= 0 {
		low = low[:at] // the unit is said once
	}
	return low + " to " + u.say(i[1])
}

func within(i report.Interval, u unit) string {
	if i == (report.Interval{}) {
		return ""
	}
	return between([2]float64{float64(i[0]), float64(i[1])}, u)
}

// headline is the figure that the list shows and, where it is one of curiosity, is
// sorted by.
func headline(r *report.Report) (string, float64) {
	if r.Audit != nil {
		if attribute, excess := worst(r.Audit); !math.IsNaN(excess) {
			return fmt.Sprintf("%s: %s excess", said(attribute, 40), percentUnit.difference(excess)), excess
		}
	}
	if c := r.Curiosity; c != nil {
		excess := float64(c.Excess)
		return fmt.Sprintf("%s: %s, %s excess", said(c.Sensitive, 40), percentUnit.say(float64(c.Curiosity)), percentUnit.difference(excess)), excess
	}
	if r.Utility.Examples > 0 {
		return fmt.Sprintf("accuracy %s", percentUnit.say(float64(r.Utility.ReleasedAccuracy))), math.NaN()
	}
	return "", math.NaN()
}
