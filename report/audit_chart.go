package report

import (
	"fmt"
	"html/template"
	"math"

	"tattle/audit"
	"tattle/internal/file"
)

// The rows of an audit's charts, in pixels: words above, marks below.
const (
	auditLeft  = 1. // percent: where the words of rows begin
	auditTop   = 4
	auditLine  = 50 // for an attribute
	attackLine = 34 // for an attack
	rowWords   = 16 // from a row's top to the foot of its words
	rowMark    = 15 // from there to the middle of its marks
)

// findingClass is how the verdict on an attribute is coloured.
func findingClass(f *audit.Finding) string {
	switch findingTone(f) {
	case Bad:
		return "bad"
	case Warn:
		return "leaky"
	case Good:
		return "clean"
	}
	return "unsure"
}

// besideRows makes room for rows with words of their own instead of a vertical axis.
func (p *plot) besideRows() { p.left, p.top = auditLeft+1, auditTop }

// drawExcess draws every attribute's excess with its limits, beside zero, the margin,
// what honest networks show and what is found in planted channels.
func drawExcess(a *audit.Result) template.HTML {
	var rows []*audit.Finding
	x := newSpan()
	x.add(0, a.Settings.Margin)
	for i := range a.Findings {
		f := &a.Findings[i]
		if b := f.BestBaseline(); b != nil {
			rows = append(rows, f)
			x.add(f.Excess.Low, f.Excess.High, f.Excess.Value)
			x.add(honestExcess(f, b)...)
			x.add(seenFrom(f, b))
		}
	}
	if len(rows) == 0 {
		return ""
	}
	p := newPlot(auditTop+auditLine*len(rows)+plotFoot, "Excess over the best baseline by attribute. "+excessSays(rows))
	air := max(.002, .06*(x.hi-x.lo))
	p.x0, p.x1, p.y0, p.y1 = x.lo-air, x.hi+air, 0, 1
	p.besideRows()
	p.xAxis("excess over the best guess without outputs, points", p.xTicks(), pointTick)
	for i, f := range rows {
		top := float64(auditTop + auditLine*i)
		mark := func(class string, v float64) { p.stroke(class, p.x(v), top+rowWords+4, p.x(v), top+auditLine-4) }
		for _, v := range p.xTicks() {
			mark("grid", v)
		}
		mark("baseline", 0)
		mark("seam level h3", a.Settings.Margin)
		drawExcessRow(p, f, top)
	}
	return p.done()
}

// excessKeys say what the marks mean, those that there are.
func excessKeys(a *audit.Result) []legendKey {
	keys := []legendKey{{shapeKey("h5 filled", shapes["circle"]), "this release, with one-sided limits"}}
	var honest, planted bool
	for i := range a.Findings {
		f := &a.Findings[i]
		if f.BestBaseline() == nil {
			continue
		}
		honest = honest || len(honestExcess(f, f.BestBaseline())) > 0
		planted = planted || !math.IsNaN(seenFrom(f, f.BestBaseline()))
	}
	if honest {
		keys = append(keys, legendKey{shapeKey("h5 hollow", shapes["dot"]), "an honest network"})
	}
	if planted {
		keys = append(keys, legendKey{shapeKey("h2", shapes["stroke"]), "smallest excess that is detectable"})
	}
	return append(keys, legendKey{strokeKey("baseline"), "no excess"}, legendKey{strokeKey("seam level h3"), "margin, " + barePoints(a.Settings.Margin) + " points"})
}

// rankedNote says for which attributes the finding rests on another figure than the excess.
func rankedNote(a *audit.Result) string {
	var names []string
	for _, f := range worstFirst(a) {
		if bad := f.Verdict == audit.Curious || f.Verdict == audit.LeakyBeyond; bad && evidenceOf(f) != byExcess {
			names = append(names, file.Name(f.Attribute))
		}
	}
	if len(names) == 0 {
		return ""
	}
	return "The finding on " + and(names) + " does not rest on the excess, but on how the outputs rank examples" + shown(a).Equal() + " (AUC)."
}

func drawExcessRow(p *plot, f *audit.Finding, top float64) {
	p.text("name "+findingClass(f), "start", auditLeft, top+rowWords, 0, cut(file.Name(f.Attribute), 32)+": "+string(f.Verdict))
	y := top + rowWords + rowMark
	for _, h := range honestExcess(f, f.BestBaseline()) {
		p.shape("point h5 hollow", shapes["dot"], p.x(h), y, fmt.Sprintf("an honest network: %s points", signed(Number(h))))
	}
	if s := seenFrom(f, f.BestBaseline()); !math.IsNaN(s) {
		p.shape("point h2 filled", shapes["stroke"], p.x(s), y, fmt.Sprintf("smallest excess that is detectable in channels like the planted ones: %s points", barePoints(s)))
	}
	p.whiskerAcross("thick "+findingClass(f), y, f.Excess.Low, f.Excess.High)
	p.shape("point "+findingClass(f)+" filled", shapes["circle"], p.x(f.Excess.Value), y, fmt.Sprintf("%s: %s points, %s to %s", file.Name(f.Attribute), signed(Number(f.Excess.Value)), signed(Number(f.Excess.Low)), signed(Number(f.Excess.High))))
}

// honestExcess returns the curiosity of honest networks minus the audited model's best baseline.
func honestExcess(f *audit.Finding, b *audit.Baseline) []float64 {
	if f.Reference == nil {
		return nil
	}
	var x []float64
	for _, v := range f.Reference.Figures {
		x = append(x, v-figureOfBaseline(*b))
	}
	return x
}

// seenFrom is the excess over the best baseline from which the audit could have seen
// one: with honest networks it counts from their mean. It is NaN if it is not
// known.
func seenFrom(f *audit.Finding, b *audit.Baseline) float64 {
	switch s := f.Power.Smallest; {
	case s == nil:
		return math.NaN()
	case f.Reference != nil:
		return f.Reference.Mean - figureOfBaseline(*b) + *s
	default:
		return *s
	}
}

func excessSays(rows []*audit.Finding) string {
	s := ""
	for _, f := range rows {
		s += fmt.Sprintf("%s, %s: %s points, limits %s and %s. ", file.Name(f.Attribute), f.Verdict, signed(Number(f.Excess.Value)), signed(Number(f.Excess.Low)), signed(Number(f.Excess.High)))
	}
	return s
}

// drawAttacks draws the result of each attack on an attribute, the best first, beside the
// baselines.
func drawAttacks(f *audit.Finding, most int) template.HTML {
	var drawn []audit.Attack
	x := newSpan()
	for _, k := range f.Attacks {
		if lo, v, hi := attackSpan(k); len(drawn) < most && !math.IsNaN(v) {
			drawn = append(drawn, k)
			x.add(lo, v, hi)
		}
	}
	n := len(drawn)
	for _, b := range f.Baselines {
		x.add(figureOfBaseline(b))
	}
	if n == 0 {
		return ""
	}
	p := newPlot(auditTop+attackLine*n+plotFoot, "How often attacks guess "+file.Name(f.Attribute)+", beside baselines: in the table below.")
	air := max(.006, .08*(x.hi-x.lo))
	p.x0, p.x1 = x.lo-air, x.hi+air
	p.besideRows()
	what := "guessed"
	if f.Numeric {
		what = "variance explained"
	}
	p.xAxis(what, p.xTicks(), percentTick)
	for i, k := range drawn {
		top := float64(auditTop + attackLine*i)
		mark := func(class string, v float64) { p.stroke(class, p.x(v), top+rowWords, p.x(v), top+attackLine-2) }
		for _, v := range p.xTicks() {
			mark("grid", v)
		}
		for _, b := range f.Baselines {
			class := "chance"
			if b.Name == f.Best {
				class = "baseline"
			}
			if v := figureOfBaseline(b); !math.IsNaN(v) {
				mark(class, v)
			}
		}
		drawAttack(p, k, top)
	}
	return p.done()
}

func drawAttack(p *plot, k audit.Attack, top float64) {
	lo, v, hi := attackSpan(k)
	name := printable(k.Name)
	if k.Chosen > 0 {
		name += fmt.Sprintf(", chosen in %s", Count(k.Chosen, "fold"))
	}
	p.text("", "start", auditLeft, top+rowWords-3, 0, cut(name, 48))
	class := "h1 hollow"
	if k.Chosen > 0 {
		class = "h1 filled"
	}
	y := top + rowWords + 7
	p.whiskerAcross("thick h1", y, lo, hi)
	p.shape("point "+class, shapes["circle"], p.x(v), y, printable(k.Name)+": "+figureOf(k.Accuracy, k.R2))
}

// attackSpan returns the result of an attack, with its interval if there is one.
func attackSpan(k audit.Attack) (lo, v, hi float64) {
	switch {
	case k.Accuracy != nil:
		return k.Accuracy.Interval[0], k.Accuracy.Value, k.Accuracy.Interval[1]
	case k.R2 != nil:
		return *k.R2, *k.R2, *k.R2
	}
	return math.NaN(), math.NaN(), math.NaN()
}

func figureOfBaseline(b audit.Baseline) float64 {
	switch {
	case b.Accuracy != nil:
		return b.Accuracy.Value
	case b.R2 != nil:
		return *b.R2
	}
	return math.NaN()
}
