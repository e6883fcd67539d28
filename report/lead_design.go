package report

import (
	"fmt"
	"math"
)

// designLead is the verdict on a search for a release: what to release, what it costs, what it
// prevents and what it does not.
func (r *Report) designLead() verdictBlock {
	x := r.Design
	if x.Best == nil {
		return verdictBlock{Badge: "Target not met", Tone: Bad, Says: x.sentence(r.tried(r.Data.Examples))}
	}
	p := x.Best
	accuracy, drop, interval := p.Accuracy, p.Drop, p.DropInterval
	if c := x.Confirmed; c != nil {
		accuracy, drop, interval = c.Accuracy, c.Drop, c.DropInterval
	}
	noise := fmt.Sprintf("%s noise of σ = %s", familyName(p.Family), number(p.Sigma))
	v := verdictBlock{Badge: "Target met for " + x.For() + " only", Tone: Good}
	if !x.Met {
		v.Badge, v.Tone = "Target not met", Bad
		v.Says = fmt.Sprintf("Nothing that was tried meets the target (%s). The nearest is to release %s with %s: %s.", x.asked("the inputs"), p.numbers(), noise, changed(drop))
	} else {
		v.Says = fmt.Sprintf("Release %s with %s: %s. This meets the target (%s).", p.numbers(), noise, changed(drop), x.asked("the inputs"))
	}
	v.Tiles = []tile{
		{"What to release", fmt.Sprint(p.Keep), plural(p.Keep, "number"), "with " + noise},
		{"Accuracy cost", minus(bare(drop)), "points", fmt.Sprintf("95 %% interval %s to %s; accuracy %s", minus(bare(interval[0])), minus(bare(interval[1])), percent1(float64(accuracy)))},
		x.prevents(r),
	}
	v.harmed(r)
	return v
}

// harmed adds what an adversary does in spite of the release. A verdict with such a harm is not
// good.
func (v *verdictBlock) harmed(r *Report) {
	if c := r.Design.Confirmed; c != nil && c.Identified != nil {
		id := c.Identified
		share := float64(id.Found) / float64(id.Inputs)
		v.Says += fmt.Sprintf(" It does not limit an adversary who knows what inputs look like: one with a list of %s identified %s of %s.", countGrouped(id.Candidates, "candidate"), percent1(share), countGrouped(id.Inputs, "input"))
		v.Tiles = append(v.Tiles, tile{"Not prevented", percent1(share), "", fmt.Sprintf("of %s identified among %s", countGrouped(id.Inputs, "input"), countGrouped(id.Candidates, "candidate"))})
		if share >= identifiedSometimes && v.Tone == Good {
			v.Tone = Warn
		}
	} else {
		v.Says += " It does not limit an adversary who knows what inputs look like."
	}
	if words := r.recognisedWords(); words != "" {
		v.Says += " " + words
		if v.Tone == Good {
			v.Tone = Warn
		}
	}
}

// changed says by how much the accuracy falls or rises.
func changed(drop Number) string {
	if math.IsNaN(float64(drop)) {
		return "the accuracy is not known"
	}
	if drop < 0 {
		return "the accuracy rises by " + points(-drop)
	}
	return "the accuracy falls by " + points(drop)
}

// prevents is the tile of what the release prevents.
func (x *Design) prevents(r *Report) tile {
	p := x.Best
	switch t := x.Target; {
	case t.AttackMSE > 0 && t.Within == 0 && t.MedianStd == 0:
		return tile{"Prevents", number(r.inUnit(float64(p.AttackMSE))), r.shortUnit(), "RMS error of the linear attack"}
	case t.MedianStd > 0 && t.Within == 0:
		return tile{"Prevents", "≥ " + atLeastNumber(r.toUnit(float64(p.MedianStd))), r.shortUnit(), "error of unbiased estimators, median, estimated"}
	}
	return tile{"Prevents", "≤ " + number(float64(p.Directions)), "directions", fmt.Sprintf("resolved by unbiased estimators to within %s", number(x.within()))}
}
