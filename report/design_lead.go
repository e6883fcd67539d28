package report

import (
	"fmt"
	"strings"
)

// designLead is the verdict on the limits. It is good only where they are kept and no adversary
// identifies the input or recognises its class: a target is not about such an adversary at all.
func (r *Report) designLead() verdictBlock {
	x := r.Design
	v := verdictBlock{Badge: "Promise not kept", Tone: Bad, Says: r.designHeadline(), Tiles: r.designTiles()}
	switch {
	case !x.Limits.Promise() && !x.Met:
		v.Badge = "Target not met"
	case x.Limits.CostOnly():
		v.Badge, v.Tone = "Within the accuracy limit", Calm
	case !x.Limits.Promise():
		v.Badge, v.Tone = "Target met for "+x.Limits.For()+" only", Good
	case x.Met:
		v.Badge, v.Tone = "Promise kept", Good
	}
	harm, tone := r.harm()
	if x.Met && harm != "" && !(tone == Warn && x.Limits.Identify > 0 && harm != recognisedBadge) {
		v.Tone = Warn
		if x.Limits.Promise() {
			v.Tone = tone
		}
	}
	if r.recogniser() != nil && v.Tone == Good {
		v.Tone = Warn // the limits are about inputs, and an attack recovers their class
	}
	return v
}

// designHeadline says in a sentence whether the limits are kept: which are missed, by how much, and
// what may help. The tiles have the other figures.
func (r *Report) designHeadline() string {
	x := r.Design
	kept, missed := "this release keeps the promise: "+r.asked(), "this release does not keep the promise: "
	switch {
	case x.Limits.CostOnly():
		kept = "by estimate, no candidate with an " + r.asked() + " leaves unbiased estimators fewer directions of an input, " + r.beyondTarget()
		missed = "this release does not keep the limit on the cost: "
	case !x.Limits.Promise():
		kept = "this release meets the target for " + x.Limits.For() + " only (" + r.asked() + "), " + r.beyondTarget()
		missed = "this release does not meet the target: "
	}
	if x.Released == nil {
		return sentenceOf(r.noneMeets() + "; " + otherChoices)
	}
	if limits, help := r.missed(); len(limits) > 0 {
		if times := r.moreNoise(); times > 1 {
			missed = fmt.Sprintf("this release is not shown to keep the promise, nor is it with up to %.2g times its noise: ", times)
		}
		s := missed + and(limits)
		if len(help) > 0 {
			s += "; what may help: " + strings.Join(help, ", or ")
		}
		return sentenceOf(s)
	}
	if a := r.recogniser(); a != nil {
		join := ", but "
		if !x.Limits.Promise() {
			join = "; " // after what the target does not limit
		}
		kept += join + r.recognisedSays(a)
	}
	return sentenceOf(kept)
}

// beyondTarget says what an adversary does in spite of a release that meets a target.
func (r *Report) beyondTarget() string {
	s := "which does not limit an adversary who knows what inputs look like"
	if r.Lists != nil && r.Lists.Holder != nil && beyondGuessing(r.Lists.Holder.First.Low, r.Lists.Holder.List.Inputs) >= identifiedSometimes {
		s += fmt.Sprintf(": one with a list of %s identifies inputs", Count(r.Lists.Holder.List.Inputs, "candidate"))
	}
	return s
}

// designTiles are the figures behind the verdict.
func (r *Report) designTiles() []tile {
	x := r.Design
	if x.Released == nil {
		return r.nearestTiles()
	}
	p := x.Released
	cost := "original model: " + percent1(float64(x.OriginalAccuracy))
	switch d := float64(x.Drop); {
	case d >= 0:
		cost += fmt.Sprintf(", cost: %s points", bare(x.Drop))
	case d < 0:
		cost += fmt.Sprintf(", gain: %s points", bare(-x.Drop))
	}
	t := []tile{
		{"What to release", fmt.Sprint(p.Keep), plural(p.Keep, "number"), fmt.Sprintf("of node %s, %s, %s", p.Node, p.Method, noiseOf(p.Family, p.Sigma))},
		{"Accuracy", percent1(float64(x.Accuracy)), "", cost},
	}
	t = append(t, r.targetTiles()...)
	if r.Lists == nil {
		return t
	}
	if h := r.Lists.Holder; h != nil && len(t) < 4 {
		of := "of releases"
		if n := r.Release.Queries; n > 1 {
			of = fmt.Sprintf("of inputs that are released %d times", n)
		}
		if x.Limits.Identify == 0 || x.Limits.Candidates == 0 { // else the sentence says it
			of += ", among " + Count(h.List.Inputs, "candidate")
		}
		about := of + "; guessing: " + percentOrLess(1/float64(h.List.Inputs))
		high := h.First.High
		if x := r.Lists.Hidden; x != nil {
			high = max(high, x.First.High)
		}
		title, share := "Identification", "≤ "+shareAtMost(high)
		if !x.Limits.Promise() {
			title, share = "Not prevented: identification", percentOf(h.First.Mean)
		}
		t = append(t, tile{title, share, "", about})
	}
	if r.Lists.EverySample() != nil && len(t) < 4 {
		t = append(t, r.floorTile())
	}
	return t
}

// targetTiles is the tile of the first target, or of what is left to unbiased estimators where only the
// cost is limited.
func (r *Report) targetTiles() []tile {
	x := r.Design
	switch l := x.Limits; {
	case l.Promise():
	case l.MedianStd > 0:
		return []tile{r.unbiasedTile()}
	case l.LinearMSE > 0 && l.Within == 0:
		return []tile{{"Linear attack", number(r.inUnit(float64(r.checkLinear().judged().Figure))), r.shortUnit(), "RMS error of this attack only, demonstrated"}}
	default:
		return []tile{{"Resolved", number(x.Released.Directions), map[bool]string{true: "direction", false: "directions"}[x.Released.Directions == 1],
			fmt.Sprintf("of an input, by unbiased estimators to within %s: median, estimated", number(l.Level()))}}
	}
	return nil
}

// noiseOf names noise and its strength. A promise has Gaussian noise, and no family.
func noiseOf(family string, sigma float64) string {
	s := "noise σ = " + number(sigma)
	if family != "" {
		s = familyName(family) + " " + s
	}
	return s
}
