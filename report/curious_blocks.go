package report

import (
	"fmt"
	"slices"
)

// curious adds all that is about honest-but-curious classifiers.
func (d *document) curious(r *Report) {
	if r.Curiosity != nil {
		d.headline(r)
	}
	d.tables(r)
	d.runs(r)
	d.rocs(r)
	d.entropies(r)
	d.prunings(r)
	d.plane(r.Plane, r.Curiosity == nil && len(r.Tables) == 0)
}

// mostRuns is how many runs a terminal lists beside tables that sum them up.
const mostRuns = 20

// runs adds the planes and the table of the runs.
func (d *document) runs(r *Report) {
	if len(r.Runs) == 0 {
		return
	}
	all := onTerminal | onPage | onMarkdown
	if len(r.Tables) > 0 && len(r.Runs) > mostRuns {
		all = onPage | onMarkdown
		d.on(onTerminal, func(d *document) {
			d.say(fmt.Sprintf("%s, and their honesty-curiosity planes, are in report.html.", Count(len(r.Runs), "run")))
		})
	}
	d.on(all, func(d *document) {
		d.planes(r)
		d.folded("The runs in figures")
		t := table{Heads: []string{"run", "attack", "βx,y,s", "seed", "honesty", "curiosity", "base", "excess", "p", "H"}, Words: []int{1}, Page: []string{"run", "p"}}
		panel := ""
		for i, x := range r.Runs {
			if p := x.panel(); i == 0 || p != panel {
				t.add(p)
				panel = p
			}
			p := "–"
			if x.PValue != nil {
				p = briefP(*x.PValue)
			}
			cells := slices.Insert(x.cells(), 4, p)
			t.add(append([]string{x.Name, x.brand(), betaShort(x.Beta), x.seedWords()}, cells...)...)
		}
		d.table(t)
		for _, x := range r.Runs {
			if x.Failed != "" {
				d.say(x.Name + " has no figures: " + x.Failed)
			}
		}
	})
}

// runsLegend says what shapes mean, of the attacks that there are.
func (r *Curious) runsLegend() []legendKey {
	var keys []legendKey
	add := func(class, shape, name string) { keys = append(keys, legendKey{shapeKey(class, shapes[shape]), name}) }
	named := map[string]bool{}
	for _, x := range r.Runs {
		if l := lookOf(x.Attack); x.shown() && !named[l.attack] {
			named[l.attack] = true
			add(l.hue+" filled", l.shape, l.attack)
		}
	}
	of := func(is func(Run) bool) bool {
		return slices.ContainsFunc(r.Runs, func(x Run) bool { return x.shown() && is(x) })
	}
	if of(func(x Run) bool { return x.Outputs != "soft" }) {
		add("ink filled", "circle", "raw outputs")
	}
	if of(func(x Run) bool { return x.Outputs == "soft" }) {
		add("ink hollow", "circle", "soft outputs")
	}
	if slices.ContainsFunc(r.runPlanes(), (*runPlane).hasMeans) {
		add("ink filled", "cross", "mean over seeds")
	}
	return append(keys, legendKey{strokeKey("baseline"), "baseline"}, legendKey{strokeKey("chance"), "chance"})
}
