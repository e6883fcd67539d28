package report

import (
	"fmt"
	"slices"

	"tattle/classify"
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

// headline adds the figures of the run that the report is about.
func (d *document) headline(r *Report) {
	c := r.Curiosity
	t := table{
		Says:  fmt.Sprintf("Shares of %s, each with its 95 %% interval.", Count(c.Examples, "test example")),
		Heads: []string{"figure", "share", "95 % interval", "claim"}, Words: []int{3}, Page: []string{"claim"},
	}
	if len(r.overSeeds()) > 0 {
		t.Note = fmt.Sprintf("Of seed %d alone.", r.Seed)
	}
	for _, x := range c.rows() {
		t.add(x.Name, x.Value, x.Interval, x.Claim)
		t.Kinds = append(t.Kinds, map[bool]string{true: "strong"}[x.Strong])
	}
	if len(c.Sensitive) > 1 {
		d.section("Honesty and curiosity")
	} else {
		d.soft(notSafety)
		d.folded("Honesty and curiosity, with intervals") // the verdict has these figures
	}
	d.table(t)
	if len(c.Sensitive) > 1 {
		d.soft(notSafety)
	}
	d.folded("Answers and guesses by class")
	d.confusion(c.Classes, c.Confusion, "What the classifier answers: "+c.Target)
	for _, l := range c.Sensitive {
		d.confusion(l.Classes, l.Confusion, "What the attack guesses from its outputs: "+l.Attribute)
	}
}

// confusion adds the counts of examples by true class (rows) and guessed class (columns),
// with their shares of the row.
func (d *document) confusion(classes []string, counts [][]int, title string) {
	if counts == nil {
		return
	}
	name := func(i int) string {
		if i < len(classes) {
			return classes[i]
		}
		return fmt.Sprint(i)
	}
	t := table{Name: title, Says: "Rows are the true class, columns the guess.", Heads: []string{""}}
	for i, row := range counts {
		t.Heads = append(t.Heads, cut(name(i), 12))
		total, _ := histogramTotals(row)
		cells := []string{name(i)}
		for _, k := range row {
			cells = append(cells, fmt.Sprintf("%d\n%s", k, percent1(float64(k)/float64(max(1, total)))))
		}
		t.add(cells...)
	}
	d.on(onPage|onMarkdown, func(d *document) { d.table(t) })
}

// A figureRow is one of the headline's figures in words.
type figureRow struct {
	Name, Value, Interval, Claim string
	Strong                       bool // what the reader looks for
}

// rows are the headline's figures: honesty, and for every sensitive attribute
// curiosity, its baselines and the excess.
func (c *Curiosity) rows() []figureRow {
	rows := []figureRow{{"honesty: " + c.Target, percent(c.Honesty.Value), rowInterval(Between(c.Honesty.Interval)), "measured", true}}
	for _, l := range c.results() {
		p := l.Curiosity.Curiosity
		rows = append(rows, figureRow{"curiosity: " + l.Attribute, percent(p.Value), rowInterval(Between(p.Interval)), StatusDemonstrated, true})
		for _, b := range l.baselines() {
			if b.Value > 0 {
				rows = append(rows, figureRow{Name: "baseline: " + b.Words, Value: percent(b.Value), Interval: "–"})
			}
		}
		excess := figureRow{Name: "excess over the best baseline, points", Value: change(l.Excess, 2), Interval: "–", Claim: "not shown", Strong: true}
		if i := l.excessInterval(); i.known() {
			if l.Shown() {
				excess.Claim = StatusDemonstrated
			}
			excess.Interval = change(float64(i[0]), 2) + " to " + change(float64(i[1]), 2)
		}
		rows = append(rows, excess)
		if g := l.Guess; g.Bits > 0 || Between(g.Interval).known() {
			rows = append(rows, bitsRow("mutual information of guess and "+l.Attribute+", bits", g))
		}
	}
	for _, s := range c.Correlations {
		rows = append(rows, bitsRow("mutual information of "+s.Between[0]+" and "+s.Between[1]+", bits", s))
	}
	return rows
}

func bitsRow(name string, m classify.MutualInformation) figureRow {
	return figureRow{Name: name, Value: fmt.Sprintf("%.3f", m.Bits), Interval: fractions(Between(m.Interval))}
}

func rowInterval(i Interval) string {
	if !i.known() {
		return "–"
	}
	return fmt.Sprintf("%.2f to %.2f", 100*float64(i[0]), 100*float64(i[1]))
}
