package report

import (
	"fmt"
)

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
