package report

import "fmt"

// design adds the answer to how much noise is needed, and the frontier.
func (d *document) design(r *Report) {
	x := r.Design
	if x == nil {
		return
	}
	d.section("How much noise, on how many features")
	f, ok := newFrontier(x)
	if ok {
		d.chart(chart{Caption: "Accuracy against " + f.title, SVG: f.draw(), Keys: f.keys, Note: x.frontierNote(f)})
	}
	if x.Reproduce != "" {
		d.say("To bound that release:")
		d.add(code(x.Reproduce))
	}
	attacked := x.attacked()
	heads := []string{"numbers", "noise", "σ", "accuracy", "drop", "directions", "std"}
	if attacked {
		heads = append(heads, "mse")
	}
	row := func(l designLine, p DesignPoint) []string {
		star := ""
		if p.Meets {
			star = "* "
		}
		return append([]string{star + l.numbers(), p.Family, number(p.Sigma)}, p.cells(attacked)...)
	}
	d.on(onTerminal, func(d *document) {
		t := table{Says: x.textIntro(), Heads: heads, Words: []int{1}}
		for _, l := range x.lines() {
			t.add(row(l, x.beside(l.Points))...)
		}
		d.table(t)
	})
	d.on(onPage|onMarkdown, func(d *document) {
		t := table{Says: "*: meets the target, for " + x.For() + ".", Heads: heads, Words: []int{1}}
		for _, l := range x.lines() {
			for _, p := range l.Points {
				t.add(row(l, p)...)
			}
		}
		if len(t.Rows) > 0 {
			d.folded(fmt.Sprintf("All %s that were tried", Count(len(t.Rows), "release")))
			d.table(t)
		}
	})
}

// frontierNote says how to read the figure.
func (x *Design) frontierNote(f *frontier) string {
	right := fmt.Sprintf("right is harder for %s only. The shaded corner is the target, the ring the answer. Directions and deviations are for unbiased reconstructions. They are estimated, except for the deviation of the confirmed point.", x.For())
	if x.costOnly() {
		right = "right is more noise. The shaded area is within the limit on the cost, the ring the answer."
	}
	s := "Every line is one choice of features and family of noise, as the noise grows. Up is more accurate, " + right
	if n := len(x.lines()) - len(x.drawn()); n > 0 {
		s += fmt.Sprintf(" %s more in the table.", Count(n, "line"))
	}
	if n := f.hidden(); n > 0 {
		s += fmt.Sprintf(" Points that cost far more accuracy (%d) are in the table only.", n)
	}
	return s
}

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
	switch {
	case !x.Met:
		v.Badge, v.Tone = "Target not met", Bad
		v.Says = fmt.Sprintf("Nothing that was tried meets the target (%s); the figures are of the nearest release.", x.asked("the inputs"))
	case x.costOnly():
		v.Badge, v.Tone = "Within the accuracy limit", Calm
		v.Says = fmt.Sprintf("By estimate, no candidate with %s leaves unbiased estimators fewer directions of an input, %s.", x.asked("the inputs"), r.beyondTarget())
	default:
		v.Says = fmt.Sprintf("This release meets the target (%s), %s.", x.asked("the inputs"), r.beyondTarget())
	}
	v.Tiles = []tile{
		{"What to release", fmt.Sprint(p.Keep), plural(p.Keep, "number"), projectedWords(p.Projection) + "with " + noise},
		{"Accuracy cost", minus(bare(drop)), "points", fmt.Sprintf("95 %% interval %s to %s; accuracy %s", minus(bare(interval[0])), minus(bare(interval[1])), percent1(float64(accuracy)))},
		x.prevents(r),
	}
	v.harmed(r)
	return v
}

// beyondTarget says what an adversary does in spite of a release that meets the target.
func (r *Report) beyondTarget() string {
	s := "which does not limit an adversary who knows what inputs look like"
	if c := r.Design.Confirmed; c != nil && c.Identified != nil {
		if id := c.Identified; id.Found > 0 {
			s += fmt.Sprintf(": one with a list of %s identifies inputs", Count(id.Candidates, "candidate"))
		}
	}
	if a := r.recogniser(); a != nil {
		s += ", and " + r.recognisedSays(a)
	}
	return s
}

// harmed adds the tile of what an adversary does in spite of the release. A verdict with such a harm is
// not good.
func (v *verdictBlock) harmed(r *Report) {
	if c := r.Design.Confirmed; c != nil && c.Identified != nil {
		id := c.Identified
		share := float64(id.Found) / float64(id.Inputs)
		v.Tiles = append(v.Tiles, tile{"Not prevented", percent1(share), "", fmt.Sprintf("of %s identified among %s", Count(id.Inputs, "input"), Count(id.Candidates, "candidate"))})
		if share >= identifiedSometimes && v.Tone != Bad {
			v.Tone = Warn
		}
	}
	if r.recogniser() != nil && v.Tone != Bad {
		v.Tone = Warn
	}
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
	return tile{"Resolved", number(float64(p.Directions)), map[bool]string{true: "direction", false: "directions"}[p.Directions == 1], fmt.Sprintf("of an input, by unbiased estimators to within %s: median, estimated", number(x.within()))}
}

// projectedWords says what the released numbers are, if they are no features; empty otherwise.
func projectedWords(projection string) string {
	if projection == "" {
		return ""
	}
	return projectionWords(projection) + ", "
}
