package report

import (
	"fmt"
	"strings"
)

// designLead is the verdict on the limits. It is good only where they are kept and no adversary
// identifies the input or recognises its class.
func (r *Report) designLead() verdictBlock {
	x := r.Design
	v := verdictBlock{Badge: "Promise not kept", Tone: Bad, Says: r.designHeadline(), Tiles: r.designTiles()}
	if x.Met {
		v.Badge, v.Tone = "Promise kept", Good
	}
	harm, tone := r.harm()
	if x.Met && harm != "" && !(tone == Warn && x.Limits.Identify > 0 && harm != recognisedBadge) {
		v.Tone = tone
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
		kept += ", but " + r.recognisedSays(a)
	}
	return sentenceOf(kept)
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
		{"What to release", fmt.Sprint(p.Keep), plural(p.Keep, "number"), fmt.Sprintf("of node %s, %s, %s", p.Node, p.Method, noiseOf(p.Sigma))},
		{"Accuracy", percent1(float64(x.Accuracy)), "", cost},
	}
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
		t = append(t, tile{"Identification", "≤ " + shareAtMost(high), "", about})
	}
	if r.Lists.EverySample() != nil && len(t) < 4 {
		t = append(t, r.floorTile())
	}
	return t
}

// noiseOf names noise and its strength.
func noiseOf(sigma float64) string { return "noise σ = " + number(sigma) }
