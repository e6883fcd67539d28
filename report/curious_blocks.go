package report

import (
	"fmt"
	"slices"
	"strings"
)

// curious adds all that is about honest-but-curious classifiers.
func (d *document) curious(r *Report) {
	if r.Curiosity != nil && r.Audit == nil { // which says the same and more
		d.headline(r)
	}
	d.tables(r)
	d.runs(r)
	d.rocs(r)
	d.entropies(r)
	d.prunings(r)
	d.plane(r.Plane)
}

// headline adds the figures of the run that the report is about.
func (d *document) headline(r *Report) {
	c := r.Curiosity
	t := table{
		Says:  fmt.Sprintf("Honesty: the share of %s that are answered correctly. Curiosity: the share whose sensitive attribute an attack guesses correctly from the outputs. 95 %% intervals.", Count(c.Examples, "test example")),
		Heads: []string{"figure", "share", "95 % interval", "claim"}, Words: []int{3}, Page: []string{"claim"},
	}
	if len(r.overSeeds()) > 0 {
		t.Note = fmt.Sprintf("Of seed %d alone.", r.Seed)
	}
	for _, x := range c.rows() {
		t.add(x.Name, x.Value, x.Interval, x.Claim)
		t.Kinds = append(t.Kinds, map[bool]string{true: "strong"}[x.Strong])
	}
	d.section("Honest, and how curious")
	d.table(t)
	d.on(onPage|onMarkdown, func(d *document) { d.soft(notSafety) })
	d.confusion(c.HonestyConfusion, "What the classifier answers: "+c.Target)
	for _, l := range append([]Leak{c.Leak}, c.Others...) {
		d.confusion(l.Confusion, "What the attack guesses from its outputs: "+l.Sensitive)
	}
}

// confusion adds a matrix's counts with their shares of the row.
func (d *document) confusion(c *Confusion, title string) {
	const fits = 6 // classes on a terminal
	if c == nil {
		return
	}
	name := func(i int) string {
		if i < len(c.Classes) {
			return c.Classes[i]
		}
		return fmt.Sprint(i)
	}
	build := func(shares bool) table {
		t := table{Name: title, Says: "Rows are the true class, columns the guess; counts.", Heads: []string{""}}
		for i, counts := range c.Counts {
			t.Heads = append(t.Heads, cut(name(i), 12))
			total, _ := histogramTotals(counts)
			cells := []string{name(i)}
			for _, k := range counts {
				s := fmt.Sprint(k)
				if shares {
					s += "\n" + percent1(float64(k)/float64(max(1, total)))
				}
				cells = append(cells, s)
			}
			t.add(cells...)
		}
		return t
	}
	d.on(onPage|onMarkdown, func(d *document) { d.table(build(true)) })
	if len(c.Counts) <= fits {
		d.on(onTerminal, func(d *document) { d.table(build(false)) })
	}
}

// tables adds the published tables with ours beside them: as they are on the page, a line
// for each cell on a terminal, which is too narrow for them.
func (d *document) tables(r *Report) {
	if len(r.Tables) > 0 {
		d.section("Published tables, run again")
	}
	for i := range r.Tables {
		t := &r.Tables[i]
		d.part(t.Title)
		if t.Reduced != "" {
			d.add(paragraph{"Not comparable with the published figures: " + t.Reduced, "reduced"})
		}
		d.say(t.Caption)
		d.say(t.intro())
		d.on(onTerminal, func(d *document) { d.table(t.cellByCell()) })
		d.on(onPage|onMarkdown, func(d *document) { d.table(t.whole()) })
		for _, s := range t.remarks() {
			d.soft(s)
		}
	}
}

// mostRuns is how many runs a terminal lists beside tables that sum them up.
const mostRuns = 20

// runsIntro says what the columns are.
const runsIntro = "In percent. After ±: the standard deviation over seeds; in brackets: the 95 % interval of one run. Excess: curiosity minus baseline, in points. H: mean entropy of the outputs, in bits."

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
		d.section("The runs in figures")
		t := table{Says: runsIntro, Heads: []string{"run", "attack", "βx,y,s", "seed", "honesty", "curiosity", "base", "excess", "p", "H"}, Words: []int{1}, Page: []string{"run", "p"}}
		panel := ""
		for i, x := range r.Runs {
			if p := x.panel(); i == 0 || p != panel {
				t.add(p)
				panel = p
			}
			p := "–"
			if x.PValue != nil {
				p = bareP(*x.PValue)
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

func (d *document) planes(r *Report) {
	planes := r.runPlanes()
	if len(planes) == 0 {
		return
	}
	d.section("The honesty–curiosity plane")
	d.on(onPage, func(d *document) {
		point := "Every point is a run."
		if slices.ContainsFunc(r.Runs, func(x Run) bool { return x.Seeds > 1 }) {
			point = "Every point is a run, or the mean of one setting's seeds."
		}
		d.say(point, "Right: higher honesty; up: higher curiosity. A line joins the runs of one attack from the smallest βs to the largest; bars are 95 % intervals of a run, or the standard deviation over the seeds of one setting.")
	})
	height := runsHeight
	if len(planes) > 1 {
		height = 320
	}
	keys := r.runsLegend()
	var all sideBySide
	for _, p := range planes {
		note := p.baselineLine()
		if s := p.chanceLine(); s != "" {
			note = strings.TrimPrefix(note+"; "+s, "; ")
		}
		all = append(all, chart{Caption: p.title, SVG: p.draw(height), Keys: keys, Note: note, Letters: p.text})
	}
	d.add(all)
}

// baselineLine says what the full line is.
func (p *runPlane) baselineLine() string {
	if p.baseline.lo > p.baseline.hi {
		return ""
	}
	return p.baselineWords() + p.kindWords()
}

// chanceLine says what guessing at random gives.
func (p *runPlane) chanceLine() string {
	if !(p.chanceY > 0) || !(p.chanceS > 0) {
		return ""
	}
	return "guessing at random: honesty " + percent1(p.chanceY) + ", curiosity " + percent1(p.chanceS)
}

// rocs adds the ROC curves; a terminal lists the areas under them.
func (d *document) rocs(r *Report) {
	if len(r.ROC) == 0 {
		return
	}
	d.section("ROC curves")
	d.on(onPage, func(d *document) {
		d.say("Honesty first, then curiosity; each class against the rest (of two classes the second against the first), with the area under its curve. The dotted diagonal is chance.")
		var names []string
		for _, c := range r.ROC {
			names = append(names, c.Run)
		}
		for _, name := range unique(names) {
			d.part(name)
			var panels sideBySide
			for _, of := range []string{OfHonesty, OfCuriosity} {
				for _, c := range r.ROC {
					if c.Run == name && c.Of == of {
						var areas []string
						for _, x := range c.Curves {
							areas = append(areas, x.Name+" "+rocArea(x))
						}
						panels = append(panels, chart{Caption: c.title(), SVG: c.draw(), Note: "Areas: " + strings.Join(areas, "; ") + "."})
					}
				}
			}
			d.add(panels)
		}
	})
	d.on(onTerminal|onMarkdown, func(d *document) {
		if len(r.ROC) > mostRuns {
			d.say("ROC curves: in report.html.")
			return
		}
		d.say("Areas under the ROC curves, each class against the rest (.5 is chance):")
		var items []string
		for _, c := range r.ROC {
			items = append(items, fmt.Sprintf("%s, %s of %s: %s", c.Run, c.Of, c.Attribute, c.areas()))
		}
		d.list(items)
	})
}

func (d *document) entropies(r *Report) {
	if len(r.Entropy) == 0 {
		return
	}
	d.section("How certain the outputs are")
	if r.Curiosity == nil { // which has said so
		d.say(symptom)
	}
	of := ""
	if s := r.entropyOf(); s != "" {
		of = ", " + s
	}
	d.chart(chart{Caption: "Entropy of single outputs" + of, SVG: r.drawEntropy(), Letters: r.entropyLetters,
		Note: "Every row is scaled to its highest bar, whose share is at the left; the dashed line is the mean."})
}

func (d *document) prunings(r *Report) {
	panels := r.pruningPanels()
	if len(panels) == 0 {
		return
	}
	d.section("Pruning")
	d.say("The smallest weights of every layer were set to zero, without further training; the attack was not changed.")
	keys := []legendKey{{shapeKey("h0 filled", shapes["circle"]), "honesty"}, {shapeKey("h1 filled", shapes["square"]), "curiosity"},
		{strokeKey("seam level h0"), "honesty of always answering the most frequent class"}, {strokeKey("seam level h1"), "baseline of curiosity"}}
	for _, panel := range panels {
		if name := panel[0].Panel; name != "" {
			d.part(name)
		}
		y := pruningSpan(panel)
		var charts sideBySide
		for _, c := range panel {
			charts = append(charts, chart{Caption: c.Run, SVG: c.draw(y), Keys: keys})
		}
		d.add(charts)
		for _, c := range panel {
			t := table{Heads: []string{"zero", "honesty (95 %)", "curiosity (95 %)"}}
			for _, q := range c.Points {
				t.add(q.cells()...)
			}
			d.add(details{Summary: c.Run, Blocks: []block{t}})
		}
	}
}

// plane adds what a linear classifier can trade, and what mixtures release.
func (d *document) plane(x *Plane) {
	if x == nil {
		return
	}
	d.section(x.Title)
	d.say(x.says())
	d.chart(chart{Caption: "What a linear classifier can trade", SVG: x.draw()})
	t := table{Heads: []string{"βs", "honesty", "curiosity", "sum"}}
	for _, q := range x.TradeOff {
		t.add(number(float64(q.BetaS)), percent(float64(q.Honesty)), percent(float64(q.Curiosity)), fmt.Sprintf("%.3f", float64(q.Honesty+q.Curiosity)))
	}
	d.table(t)
	var toys sideBySide
	for _, m := range x.Mixtures {
		note := ""
		if len(m.Marks) > 0 {
			note = "Dotted: the thresholds that decode y and s."
		}
		toys = append(toys, chart{Caption: m.says(), SVG: m.draw(), Note: note, Letters: m.text})
	}
	if len(toys) > 0 {
		d.on(onPage, func(d *document) {
			d.say("The released values, by the true y and s. Heights are shares of these examples, each row scaled to its highest bar.")
		})
		d.add(toys)
	}
}

// whole is the table as it was published, with our figures.
func (t *Table) whole() table {
	x := table{Name: t.Title, Heads: slices.Clone(t.Heads)}
	for i := range t.Heads {
		x.Words = append(x.Words, i)
	}
	for _, c := range t.Columns {
		x.Heads = append(x.Heads, c.words())
	}
	for _, row := range t.Rows {
		cells := slices.Clone(row.Labels)
		for len(cells) < len(t.Heads) {
			cells = append(cells, "")
		}
		for i, c := range row.Cells[:min(len(row.Cells), len(t.Columns))] {
			cells = append(cells, c.both(t.Columns[i].Unit))
		}
		for len(cells) < len(x.Heads) {
			cells = append(cells, "")
		}
		x.add(cells...)
	}
	return x
}

// both is our figure, with the published one below it and how far they are apart.
func (c TableCell) both(unit string) string {
	if c.Blank {
		return ""
	}
	s := c.ran(unit) + "\n" + c.Published.words(unit)
	if away := c.away(); away != "–" {
		s += "; " + away + " σ"
	}
	return s
}

// cellByCell has a line for each cell.
func (t *Table) cellByCell() table {
	x := table{Heads: []string{strings.Join(t.Heads, ", "), "figure", "ours", "published", "σ"}, Words: []int{1}}
	for _, row := range t.Rows {
		label := strings.Join(row.Labels, ", ")
		for i, c := range row.Cells {
			if c.Blank || i >= len(t.Columns) {
				continue
			}
			k := t.Columns[i]
			x.add(label, k.words(), c.ran(k.Unit), c.Published.words(k.Unit), c.away())
			label = ""
		}
	}
	return x
}

// A figureRow is one of the headline's figures in words.
type figureRow struct {
	Name, Value, Interval, Claim string
	Strong                       bool // what the reader looks for
}

// rows are the headline's figures: honesty, and for every sensitive attribute
// curiosity, its baselines and the excess.
func (c *Curiosity) rows() []figureRow {
	rows := []figureRow{{"honesty: " + c.Target, percent(float64(c.Honesty)), rowInterval(c.HonestyInterval), "measured", true}}
	for _, l := range append([]Leak{c.Leak}, c.Others...) {
		rows = append(rows, figureRow{"curiosity: " + l.Sensitive, percent(float64(l.Curiosity)), rowInterval(l.CuriosityInterval), StatusDemonstrated, true})
		for _, b := range l.baselines() {
			if b.Value > 0 {
				rows = append(rows, figureRow{Name: "baseline: " + b.Brief, Value: percent(float64(b.Value)), Interval: "–"})
			}
		}
		excess := figureRow{Name: "excess over the best baseline, points", Value: signed(l.Excess), Interval: "–", Claim: "not shown", Strong: true}
		if i := l.ExcessInterval; i.known() {
			if l.shown() {
				excess.Claim = StatusDemonstrated
			}
			excess.Interval = signed(i[0]) + " to " + signed(i[1])
		}
		rows = append(rows, excess)
		if l.Information > 0 || l.InformationInterval.known() {
			rows = append(rows, bitsRow("information of guess on "+l.Sensitive+", bits", l.Information, l.InformationInterval))
		}
	}
	for _, s := range c.Shared {
		rows = append(rows, bitsRow("shared by "+s.Between[0]+" and "+s.Between[1]+", bits", Number(s.Bits), Between(s.Interval)))
	}
	return rows
}

func bitsRow(name string, bits Number, i Interval) figureRow {
	x := figureRow{Name: name, Value: fmt.Sprintf("%.3f", float64(bits)), Interval: "–"}
	if i.known() {
		x.Interval = fmt.Sprintf("%.3f to %.3f", float64(i[0]), float64(i[1]))
	}
	return x
}

func rowInterval(i Interval) string {
	if !i.known() {
		return "–"
	}
	return fmt.Sprintf("%.2f to %.2f", 100*float64(i[0]), 100*float64(i[1]))
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
