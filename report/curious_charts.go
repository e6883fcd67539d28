package report

import (
	"fmt"
	"html/template"
	"strings"

	"tattle/curious"
)

func (d *document) planes(r *Report) {
	planes := r.runPlanes()
	if len(planes) == 0 {
		return
	}
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
		all = append(all, chart{Caption: p.title, SVG: p.draw(height), Keys: keys, Note: note})
	}
	d.on(onPage, func(d *document) {
		d.section("The honesty–curiosity plane")
		d.soft("Right: higher honesty; up: higher curiosity. A point is a run; bars are 95 % intervals or the standard deviation over seeds.")
		d.add(all)
	})
}

// baselineLine says what the full line is.
func (p *runPlane) baselineLine() string {
	return when(p.baseline.lo <= p.baseline.hi, p.baselineWords()+p.kindWords())
}

// chanceLine says what guessing at random gives.
func (p *runPlane) chanceLine() string {
	return when(p.chanceY > 0 && p.chanceS > 0, "guessing at random: honesty "+percent1(p.chanceY)+", curiosity "+percent1(p.chanceS))
}

// rocs adds the ROC curves; a terminal lists the areas under them.
func (d *document) rocs(r *Report) {
	if len(r.ROC) == 0 {
		return
	}
	d.folded("ROC curves")
	d.on(onPage, func(d *document) {
		d.say("Honesty first, then curiosity; each class against the rest (of two classes the second against the first), with the area under its curve. The dotted diagonal is chance.")
		var names []string
		for _, c := range r.ROC {
			names = append(names, c.Run)
		}
		for _, name := range unique(names) {
			d.part(name)
			var panels sideBySide
			for _, of := range []string{ofHonesty, ofCuriosity} {
				for _, c := range r.ROC {
					if c.Run == name && c.Of == of {
						panels = append(panels, chart{Caption: c.title(), SVG: c.draw(), Keys: c.keys()})
					}
				}
			}
			d.add(panels)
		}
	})
	t := table{Says: "Areas under the ROC curves, each class against the rest (.5 is chance).", Heads: []string{"run", "of", "class", "area", "95 % interval"}, Words: []int{1, 2}}
	for _, c := range r.ROC {
		for i, x := range c.Curves {
			cells := []string{c.Run, c.Of + ", " + c.Attribute}
			if i > 0 {
				cells = []string{"", ""} // as above
			}
			t.add(append(cells, x.Name, fmt.Sprintf("%.3f", x.Area), fractions(Between(x.Interval)))...)
		}
	}
	d.on(onTerminal|onMarkdown, func(d *document) { d.table(t) })
}

func (d *document) entropies(r *Report) {
	if len(r.Entropy) == 0 {
		return
	}
	of := when(r.entropyOf() != "", ", "+r.entropyOf())
	d.on(onPage, func(d *document) {
		d.folded("How certain the outputs are")
		d.say(symptom)
		d.chart(chart{Caption: "Entropy of single outputs" + of, SVG: r.drawEntropy(),
			Note: "Every row is scaled to its highest bar, whose share is at the left; the dashed line is the mean."})
	})
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
			t := table{Name: c.Run, Heads: []string{"zero", "honesty (95 %)", "curiosity (95 %)"}}
			for _, q := range c.Points {
				t.add(q.cells()...)
			}
			d.table(t)
		}
	}
}

// plane adds what a linear classifier can trade, and what mixtures release. leads: it is what the
// verdict is about.
func (d *document) plane(x *Plane, leads bool) {
	if x == nil {
		return
	}
	d.section(x.Title)
	if !leads { // else the verdict says it
		d.say(x.says())
	}
	d.chart(chart{Caption: "What a linear classifier can trade", SVG: x.draw()})
	t := table{Heads: []string{"βs", "honesty", "curiosity", "sum"}}
	for _, q := range x.TradeOff {
		t.add(number(float64(q.BetaS)), percent(float64(q.Honesty)), percent(float64(q.Curiosity)), fmt.Sprintf("%.3f", float64(q.Honesty+q.Curiosity)))
	}
	d.table(t)
	var toys sideBySide
	for _, m := range x.Mixtures {
		note := when(len(m.Marks) > 0, "Dotted: the thresholds that decode y and s.")
		toys = append(toys, chart{Caption: m.says(), SVG: m.draw(), Note: note})
	}
	if len(toys) > 0 {
		d.on(onPage, func(d *document) {
			d.say("The released values, by the true y and s. Heights are shares of these examples, each row scaled to its highest bar.")
			d.add(toys)
		})
	}
}

// ROC are the curves of one run on one attribute, a curve a class against the
// rest (B Figure 7).
type ROC struct {
	Run       string        `json:"run"` // a row of the figure
	Of        string        `json:"of"`  // ofHonesty (left) or ofCuriosity (right)
	Attribute string        `json:"attribute"`
	Curves    []curious.ROC `json:"curves"`
}

// What a ROC curve is about.
const (
	ofHonesty   = "honesty"
	ofCuriosity = "curiosity"
)

func (c ROC) title() string { return strings.TrimSuffix(sentenceOf(c.Of+": "+c.Attribute), ".") }

// rocArea prints the area under a curve, with its interval where that is known.
func rocArea(c curious.ROC) string {
	s := fmt.Sprintf("%.3f", c.Area)
	if i := Between(c.Interval); i.known() {
		s += " (" + fractions(i) + ")"
	}
	return s
}

// fractions prints an interval with three decimals.
func fractions(i Interval) string {
	if !i.known() {
		return "–"
	}
	return fmt.Sprintf("%.3f to %.3f", float64(i[0]), float64(i[1]))
}

// draw renders the curves of all classes.
func (c ROC) draw() template.HTML {
	var areas []string
	for _, x := range c.Curves {
		areas = append(areas, x.Name+": "+rocArea(x))
	}
	p := newPlot(330, "ROC of "+c.Of+", "+c.Attribute+". Area under the curve: "+strings.Join(areas, "; ")+".")
	p.percentAxes("false positives", "true positives")
	p.line("chance", 0, 0, 1, 1)
	for i, x := range c.Curves {
		var falsePositive, truePositive []float64
		for _, q := range x.Points {
			falsePositive, truePositive = append(falsePositive, q[0]), append(truePositive, q[1])
		}
		p.join("polyline", "seam "+hueOf(i), falsePositive, truePositive)
	}
	return p.done()
}

// keys name the curves, with the areas under them.
func (c ROC) keys() []legendKey {
	var keys []legendKey
	for i, x := range c.Curves {
		keys = append(keys, legendKey{strokeKey("seam " + hueOf(i)), x.Name + " " + rocArea(x)})
	}
	return keys
}

// hueOf returns the classes of colour and dashes of a chart's i-th series. Dashes are for
// readers who cannot distinguish colours. Twelve series differ.
func hueOf(i int) string { return fmt.Sprintf("h%d d%d", i%hues, i%dashes) }
