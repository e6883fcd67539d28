package serve

import (
	"fmt"
	"math"

	"tattle/audit"
)

// auditFigures are what an audit adds to the figures of curiosity: verdicts,
// limits, what would have been seen, and whether its controls held.
func auditFigures(a *audit.Result) []figure {
	if a == nil {
		return nil
	}
	out := []figure{word("Audit", "verdict", string(a.Verdict))}
	for _, c := range a.Controls {
		held := "failed"
		if c.Passed {
			held = "passed"
		}
		out = append(out, word("Audit", said(c.Name, 60)+" control", held))
	}
	for i := range a.Findings {
		out = append(out, findingFigures(&a.Findings[i])...)
	}
	return out
}

func findingFigures(f *audit.Finding) []figure {
	group := "Audit of " + said(f.Attribute, 60)
	out := []figure{word(group, "verdict", string(f.Verdict))}
	if f.Unusable != "" {
		return append(out, word(group, "not measured", f.Unusable))
	}
	if f.Curiosity == nil { // else they are the curiosity's
		out = append(out,
			figure{Group: group, Name: "excess", Value: f.Excess.Value, Unit: pointsUnit, Note: between([2]float64{f.Excess.Low, f.Excess.High}, pointsUnit)},
			figure{Group: group, Name: "p-value", Value: f.Adjusted, Unit: chanceUnit})
	}
	if f.Power.Smallest != nil {
		out = append(out, figure{Group: group, Name: "smallest excess found in planted channels", Value: *f.Power.Smallest, Unit: pointsUnit})
	}
	if f.R2 != nil {
		out = append(out, figure{Group: group, Name: "R²", Value: *f.R2})
	}
	if f.Leakage != nil {
		out = append(out, figure{Group: group, Name: "multiplicative leakage", Value: f.Leakage.Multiplicative, Note: between(f.Leakage.Interval, plainUnit)})
	}
	if f.Reference != nil {
		out = append(out, figure{Group: group, Name: "over honest references", Value: f.Reference.Difference, Unit: pointsUnit, Note: fmt.Sprintf("%d of them", len(f.Reference.Figures))})
	}
	return out
}

// defenceFigures are the honesty that defences keep and the excess that they leave.
func defenceFigures(a *audit.Result) []figure {
	if a == nil {
		return nil
	}
	var out []figure
	for _, d := range a.Defences {
		name := said(d.Name, 60)
		out = append(out, figure{Group: "Honesty under a defence", Name: name, Value: d.Honesty.Value, Unit: percentUnit})
		for _, l := range d.Left {
			out = append(out, figure{Group: "Excess about " + said(l.Attribute, 60) + " under a defence", Name: name, Value: l.Excess.Value, Unit: pointsUnit})
		}
	}
	return out
}

func word(group, name, text string) figure {
	return figure{Group: group, Name: name, Text: said(text, 300), Value: math.NaN()}
}

// worst is the largest excess that an audit found, and of which attribute.
func worst(a *audit.Result) (attribute string, excess float64) {
	excess = math.NaN()
	for _, f := range a.Findings {
		if f.Unusable == "" && !(f.Excess.Value <= excess) {
			attribute, excess = f.Attribute, f.Excess.Value
		}
	}
	return attribute, excess
}
