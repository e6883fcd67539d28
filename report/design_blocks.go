package report

import (
	"fmt"
	"slices"
	"strings"

	"tattle/dataset"
	"tattle/design"
)

// design adds the chart of the search and the limits with their figures, then what to do with the
// release that was found. The other figures of the search are folded.
func (d *document) design(r *Report) {
	if r.Design == nil {
		return
	}
	first, others := r.frontiers()
	d.on(onPage, func(d *document) {
		if first != nil {
			d.section("Accuracy against protection")
			d.add(*first)
		}
	})
	d.checkedLimits(r)
	d.say(r.onDevice())
	if c := r.Design.Command; c != "" {
		d.say("To examine that release further, in the folder in which this ran:")
		d.add(code(c))
	}
	if c := r.Design.Pack; c != "" && r.Design.Met {
		n := r.Release.Noise
		d.say(fmt.Sprintf("It was measured with discrete Gaussian noise of σ = %s, %s. To deploy it with its certificate:", number(n.Sigma), n.Settings))
		d.add(code(c))
	}
	d.search(r, others)
}

// search adds the figures of the search for a release.
func (d *document) search(r *Report, others sideBySide) {
	if len(r.Design.Points) == 0 && len(r.Design.LeftOut) == 0 {
		return
	}
	d.folded("The search for the release")
	if len(r.Design.Points) > 0 {
		d.methodsAtLimit(r)
	}
	d.on(onPage, func(d *document) {
		if len(others) > 0 {
			d.add(others)
		}
	})
	d.cuts(r.Design)
	for _, why := range r.Design.LeftOut {
		d.say("Left out: " + strings.TrimSuffix(why, ".") + ".")
	}
}

// nearestTiles are the figures of the release that comes nearest to the limits in the search, if none
// meets them.
func (r *Report) nearestTiles() []tile {
	p := r.Design.Nearest
	if p == nil {
		return nil
	}
	const search = "mean over draws in the search, without limits"
	l := r.Design.Limits
	t := []tile{
		{"Nearest release", fmt.Sprint(p.Keep), plural(p.Keep, "number"), fmt.Sprintf("of node %s, %s, %s", p.Node, p.Method, noiseOf(p.Sigma))},
		{"Accuracy", percent1(targetAccuracy(*p)), "", "in the search; original model: " + percent1(float64(r.Design.ValidationAccuracy))},
	}
	if l.Identify > 0 {
		t = append(t, tile{"Identification", percentOf(max(p.Identified, p.New)), "", "limit " + percentOrLess(l.Identify) + "; " + search})
	}
	if l.Bits > 0 {
		t = append(t, tile{"Revealed", number(p.Bits), "bits", "limit " + number(l.Bits) + "; " + search})
	}
	if l.Floor > 0 {
		t = append(t, tile{"Floor without a list", number(r.inUnit(p.Floor * p.Floor)), r.shortUnit(), "limit " + number(r.inUnit(l.Floor*l.Floor)) + "; " + search})
	}
	for k, want := range l.Protect {
		t = append(t, tile{"Right guesses, " + want.Attribute, percent1(guessedRight(*p, k)), "", search})
	}
	return t[:min(len(t), 4)]
}

// shareAtMost prints an upper limit on a share with as many digits as it needs, rounded up.
func shareAtMost(x float64) string { return atMostNumber(100*x) + " %" }

// frontiers returns the charts of accuracy against what an adversary can do; nil if there is none.
func (r *Report) frontiers() (first *chart, others sideBySide) {
	for _, q := range r.quantities() {
		f, ok := r.frontier(q)
		if !ok {
			continue
		}
		c := chart{Caption: "Accuracy against " + q.title, SVG: f.draw(), Keys: f.keys}
		if first == nil {
			c.Note = r.frontierNote()
			first = &c
			continue
		}
		others = append(others, c)
	}
	return first, others
}

// frontierNote says how to read the charts.
func (r *Report) frontierNote() string {
	x := r.Design
	s := "Up is more accurate, right is safer. Lines: figures of the search, " + searchMeaning
	if x.Released != nil {
		s += " Ring: the release that was found, as measured in this report, with limits."
	}
	if n := len(x.lines()) - len(x.drawn()); n > 0 {
		s += fmt.Sprintf(" %s more in the table.", Count(n, "line"))
	}
	if x.peers() {
		s += " dFIL, top-k and rounding are methods of others, for comparison."
	}
	return s + fmt.Sprintf(" Not drawn: releases with an accuracy below %s.", percent1(x.lowest()))
}

// originally says how accurate the original model is on the examples of the search, and in the report: these
// differ, because a model does better on what it was trained on.
func (r *Report) originally() string {
	s := percent(float64(r.Design.ValidationAccuracy)) + " in the search"
	if x := float64(r.Design.OriginalAccuracy); x > 0 {
		s += ", " + percent(x) + " on " + r.measuredData()
	}
	return s
}

// measuredData names the data of the report.
func (r *Report) measuredData() string {
	switch r.Data.Split {
	case string(dataset.Test):
		return "test data"
	case string(dataset.Train):
		return "training data"
	}
	return "the measured data"
}

// searchMeaning says what the figures of the search are.
const searchMeaning = "means over draws on training data, without limits. Their accuracy is that on training examples from which neither releases nor heads learned."

// A pointColumn is a column of the table of the search. Releases that do not meet the limits have a dash.
type pointColumn struct {
	head string
	cell func(p design.Point) string
}

// pointColumns are the figures of the search, and what the table says of them.
func (r *Report) pointColumns() (all []pointColumn, says string) {
	x := r.Design
	add := func(when bool, head string, cell func(p design.Point) string) {
		if when {
			all = append(all, pointColumn{head, cell})
		}
	}
	add(true, "σ", func(p design.Point) string { return number(p.Sigma) })
	add(true, "accuracy", func(p design.Point) string { return percent(targetAccuracy(p)) })
	for k, task := range x.Tasks {
		add(true, task.Task, func(p design.Point) string { return percent(taskAccuracy(p, k+1)) })
	}
	says += " Floor: error of an adversary without a list, in " + r.unit() + "."
	add(true, "identified", func(p design.Point) string { return percentOf(p.Identified) })
	if slices.ContainsFunc(x.Points, func(p design.Point) bool { return p.New > 0 }) {
		says += " New inputs: how often test inputs, set apart for the search and hidden among the candidates, are identified."
		add(true, "new inputs", func(p design.Point) string {
			if p.New == 0 {
				return "–"
			}
			return percentOf(p.New)
		})
	}
	add(true, "bits", func(p design.Point) string { return number(p.Bits) })
	add(true, "floor", func(p design.Point) string { return number(r.inUnit(p.Floor * p.Floor)) })
	for k, p := range x.Limits.Protect {
		add(true, p.Attribute+" guessed", func(p design.Point) string { return percent1(guessedRight(p, k)) })
	}
	return all, says
}

// methodsAtLimit adds a table of what each method costs at the limits.
func (d *document) methodsAtLimit(r *Report) {
	x := r.Design
	columns, says := r.pointColumns()
	several := x.severalNodes()
	t := table{Says: fmt.Sprintf("The most accurate release of each method that meets the limits in the search: %s. Figures of the search: %s Original model: %s.%s", r.asked(), searchMeaning, r.originally(), says),
		Heads: []string{"method"}}
	if x.Released != nil {
		t.Says += " *: released, after σ was adjusted with more draws."
	}
	if several {
		t.Heads, t.Words = append(t.Heads, "node"), []int{1}
	}
	t.Heads = append(t.Heads, "numbers")
	for _, c := range columns {
		t.Heads = append(t.Heads, c.head)
	}
	if x.peers() {
		t.Says += " dFIL, top-k and rounding are published methods of others with the original head, for comparison only; their σ is the root mean square over the inputs, 0 without noise."
	}
	for _, l := range x.lines() {
		name := string(l.Method)
		if x.released(l) > 0 {
			name = "* " + name
		}
		cells := []string{name}
		if several {
			cells = append(cells, l.Node)
		}
		if p := l.best; p != nil {
			cells = append(cells, fmt.Sprint(p.Keep))
			for _, c := range columns {
				cells = append(cells, c.cell(*p))
			}
		} else {
			cells = append(cells, fmt.Sprint(l.Points[0].Keep), "none meets")
		}
		for len(cells) < len(t.Heads) {
			cells = append(cells, "–")
		}
		t.add(cells...)
		t.Kinds = append(t.Kinds, map[bool]string{true: "strong"}[x.released(l) > 0])
	}
	d.table(t)
}

// cuts adds a table of the nodes that were tried, if there are several.
func (d *document) cuts(x *Design) {
	if len(x.Cuts) < 2 {
		return
	}
	t := table{Says: "The nodes that were tried. Share: multiply-adds of the model that run on the device, before the node. Accuracy: of the most accurate release that meets the limits in the search, on training data.",
		Heads: []string{"node", "share", "multiply-adds", "parameters", "features", "accuracy"}}
	for _, c := range x.Cuts {
		accuracy := "none meets"
		best := -1.
		for _, l := range x.lines() {
			if l.Node == c.Node && !l.Method.Peer() && l.best != nil && targetAccuracy(*l.best) > best {
				best = targetAccuracy(*l.best)
				accuracy = percent(best)
			}
		}
		t.add(c.Node, percent1(c.Share), number(float64(c.MultiplyAdds)), fmt.Sprint(c.Parameters), fmt.Sprint(c.Features), accuracy)
	}
	d.part("Nodes of the model")
	d.table(t)
}

// onDevice says how much of the model runs on the device.
func (r *Report) onDevice() string {
	x := r.Design
	if x.Released == nil {
		return ""
	}
	for _, c := range x.Cuts {
		if c.Node == x.Released.Node {
			s := fmt.Sprintf("%s of the model's multiply-adds run on the device, before node %s", percent1(c.Share), c.Node)
			switch x.Released.Method {
			case design.Isotropic:
				return s + "."
			case design.Trained:
				return s + ", and so does the network that was trained for this release. What leaves are noisy answers: one number for each class. They serve no other task."
			}
			return s + ", and so does the layer that makes the released numbers."
		}
	}
	return ""
}

// checkedLimits adds a table of the limits beside the figures of the report, if there are several.
func (d *document) checkedLimits(r *Report) {
	if x := r.Design; len(x.Checked) > 1 {
		t := limitsTable(x.Checked)
		if l := r.Lists; l != nil && l.Look > 1 {
			t.Says += fmt.Sprintf(" This is look %d: with less noise, %s did not keep the promise. The confidence is that of all looks together.", l.Look, Count(l.Look-1, "earlier look"))
		}
		d.table(t)
	}
}

// limitsTable has the limits beside the figures that were computed.
func limitsTable(all []CheckedLimit) table {
	t := table{Says: "What was asked for beside the figures of this report. Figure: the limit that does not overstate the protection. Each holds with 99.9 % confidence (the accuracy drop: 95 %); the error of attacks is demonstrated, without a limit.",
		Heads: []string{"quantity", "limit", "figure", "mean", "kept"}, Words: []int{4}}
	for _, c := range all {
		promised, figure := c.words()
		kept := "no"
		switch {
		case c.Lacks != "":
			kept = "not measured"
		case c.Kept:
			kept = "yes"
		}
		t.add(c.name(), promised, figure, c.brief(float64(c.Mean), number), kept)
	}
	return t
}

// words prints the limit and the figure beside it.
func (c CheckedLimit) words() (promised, figure string) {
	if c.Kind.least() {
		return "at least " + c.brief(c.Limit, number), c.print(float64(c.Figure), atLeastNumber)
	}
	return "at most " + c.brief(c.Limit, number), c.print(float64(c.Figure), atMostNumber)
}
