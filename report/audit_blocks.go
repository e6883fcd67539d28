package report

import (
	"fmt"
	"html/template"

	"tattle/audit"
	"tattle/internal/file"
)

// How much of an audit is shown at once.
const (
	fewAttacks     = 4 // on a terminal
	fewSubgroups   = 3 // on a terminal
	fewFindings    = 4 // with tables of their own, on a terminal
	drawnAttacks   = 8
	drawnDefences  = 4 // attributes
	shownSubgroups = 12
	openFindings   = 3 // that the page does not fold away
)

// auditLead adds the verdict with its reasons, attribute by attribute, what to do, and
// what all of it rests on.
func (d *document) auditLead(r *Report) {
	a := r.Audit
	d.add(paragraph{verdictWords(a), "verdict " + verdictClass(a.Verdict)})
	d.list(readable(a.Reasons))
	if broken := r.breaches(); len(broken) > 0 {
		d.part("Broken rules of --fail-on")
		d.add(list{broken, "broken"})
	}
	if len(a.Findings) > 0 {
		d.part("Attribute by attribute")
	}
	for i := range a.Findings {
		f := &a.Findings[i]
		d.add(labelled{file.Name(f.Attribute), string(f.Verdict), verdictClass(f.Verdict), findingReasons(f)})
	}
	if todo := todo(a); len(todo) > 0 {
		d.part("What to do")
		d.list(todo)
	}
	d.part("What was audited")
	d.say(auditedWords(a))
	d.say(uncontrolled(a))
	d.say(standing(a))
}

// audit adds all figures of an audit.
func (d *document) audit(a *audit.Result) {
	if a == nil {
		return
	}
	d.found(a)
	d.section("The evidence, attribute by attribute")
	for i, f := range worstFirst(a) {
		if len(f.Baselines) == 0 {
			continue
		}
		m := onTerminal | onPage | onMarkdown
		if i >= fewFindings {
			m = onPage | onMarkdown
		}
		d.on(m, func(d *document) { d.finding(a, f, i < openFindings) })
	}
	if n := len(a.Findings) - fewFindings; n > 0 {
		d.on(onTerminal, func(d *document) { d.say(fmt.Sprintf("Tables of %s more: in report.html.", Count(n, "attribute"))) })
	}
	if a.Entropy != nil {
		d.section("How certain the outputs are")
		d.say(symptom)
		d.settings(entropyRows(a.Entropy))
	}
	d.controls(a)
	d.defences(a)
}

func (d *document) found(a *audit.Result) {
	d.section("What was found, in figures")
	svg := drawExcess(a)
	if svg != "" {
		d.on(onPage, func(d *document) {
			d.say("The excess is the accuracy of the attacks minus that of the best guess from y and the answered label. Every example was judged by attacks that were chosen and fitted without it. Bars are one-sided limits.")
		})
	}
	d.chart(chart{Caption: "Excess of every attribute", SVG: svg, Keys: []legendKey{
		{shapeKey("h5 filled", shapes["circle"]), "this release"},
		{shapeKey("h5 hollow", shapes["dot"]), "an honest network"},
		{shapeKey("h2", shapes["stroke"]), "found, if in planted channels"},
		{strokeKey("baseline"), "no excess"},
		{strokeKey("seam level h3"), "margin, " + barePoints(a.Settings.Margin) + " points"},
	}})
	d.table(foundTable(a))
}

// finding adds the evidence on one attribute.
func (d *document) finding(a *audit.Result, f *audit.Finding, open bool) {
	d.add(details{Summary: file.Name(f.Attribute), Tag: string(f.Verdict), Class: verdictClass(f.Verdict), Open: open, Blocks: collect(func(d *document) {
		d.chart(chart{Caption: "Accuracy of each attack", Tag: StatusDemonstrated, SVG: drawAttacks(f, drawnAttacks), Note: "Filled: chosen in some fold. Full line: the best baseline; dotted: the others."})
		d.table(baselinesTable(f))
		d.settings(evidenceRows(f))
		d.table(powerTable(a, f))
		d.table(subgroupsTable(f))
		d.table(attacksTable(f))
	})})
}

func (d *document) controls(a *audit.Result) {
	d.section("Does this audit work here?")
	d.say(uncontrolled(a))
	if len(a.Controls) > 0 {
		d.say("The same audit was run on shuffled attributes, where nothing is to be found, and on a model that was trained to be curious.")
		d.table(controlsTable(a))
		for _, c := range a.Controls {
			d.soft(controlNote(c))
		}
		d.table(channelsTable(a))
	}
	d.on(onPage|onMarkdown, func(d *document) {
		d.settings(append([]Setting{{"sample", fmt.Sprintf("%s, %s, sha256 %s", file.Name(a.Sample), Count(a.Examples, "example"), a.SHA256)}, {"seed", fmt.Sprint(a.Settings.Seed)}}, settingsRows(a)...))
	})
}

func (d *document) defences(a *audit.Result) {
	t := defencesTable(a)
	if len(t.Rows) == 0 {
		return
	}
	d.section("What could be released instead")
	var drawn sideBySide
	for i := range a.Findings {
		name := a.Findings[i].Attribute
		if svg := drawDefences(a, name); svg != "" && len(drawn) < drawnDefences {
			drawn = append(drawn, chart{Caption: "Honesty kept, " + file.Name(name) + " left", SVG: svg, Keys: []legendKey{
				{shapeKey("h2 filled", shapes["diamond"]), "recommended"}, {template.HTML(""), "right: more honest; down: less curious; numbers as in the table"}}})
		}
	}
	if len(drawn) > 0 {
		d.add(drawn)
	}
	d.table(t)
	d.settings(defenceNotes(a))
}

// settingsRows say how an audit was done.
func settingsRows(a *audit.Result) []Setting {
	s, honest := a.Settings, "no honest networks"
	if s.References > 0 {
		honest = Count(s.References, "honest network")
	}
	return []Setting{
		{"audit", fmt.Sprintf("%d folds, %d permutations or more (fewer where nothing is found), at most %d examples to fit on, confidence %s, margin %s points, %s", s.Folds, s.Permutations, s.MaxFit, confidenceWords(a), barePoints(s.Margin), honest)},
		{"attacks", and(s.Attacks)},
	}
}
