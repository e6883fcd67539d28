package report

import (
	"fmt"

	"tattle/audit"
	"tattle/internal/file"
)

// How much of an audit is shown at once.
const (
	fewAttacks     = 4 // on a terminal
	fewSubgroups   = 3 // on a terminal
	drawnDefences  = 4 // attributes
	shownSubgroups = 12
)

// audit adds what was found, what it means and what to do, then the evidence in folded sections.
func (d *document) audit(r *Report) {
	a := r.Audit
	if a == nil {
		return
	}
	if broken := r.breaches(); len(broken) > 0 {
		d.section("Broken rules of --fail-on")
		d.add(list{broken, "broken"})
	}
	if accepted := r.accepted(); len(accepted) > 0 {
		d.section("Accepted findings")
		d.list(accepted)
	}
	if len(a.Findings) > 1 { // else the verdict says it
		d.found(a)
	}
	if means := auditMeans(a); len(means) > 0 {
		d.section("What this means")
		d.list(means)
	}
	if todo := todo(a); len(todo) > 0 {
		d.section("What to do")
		d.list(todo)
	}
	d.defences(a)
	for _, f := range worstFirst(a) {
		d.finding(a, f)
	}
	d.controls(a)
	if a.Entropy != nil {
		d.folded("How certain the outputs are")
		d.say(symptom)
		d.settings(entropyRows(a.Entropy))
	}
}

// accepted are the sentences on findings that are accepted.
func (r *Report) accepted() []string {
	var said []string
	for i := range r.Audit.Findings {
		said = append(said, r.acceptedOf(&r.Audit.Findings[i])...)
	}
	return readable(said)
}

func (d *document) found(a *audit.Result) {
	d.section("What was found")
	d.chart(chart{Caption: "Excess of every attribute", SVG: drawExcess(a), Keys: excessKeys(a), Note: otherNote(a)})
	d.orders(a)
	d.table(foundTable(a))
}

// orders adds the AUC of every attribute if a finding rests on one.
func (d *document) orders(a *audit.Result) {
	if svg := drawOrders(a); svg != "" {
		d.chart(chart{Caption: "AUC of every attribute, given what the adversary knows", Tag: StatusDemonstrated, SVG: svg, Note: "Of two examples, one with the value and one without: how often an attack's score ranks the first higher. With 95 % intervals, beside chance and the margin."})
	}
}

// finding adds the evidence on one attribute.
func (d *document) finding(a *audit.Result, f *audit.Finding) {
	d.folded("The evidence on " + file.Name(f.Attribute))
	if len(a.Findings) == 1 {
		d.orders(a)
		d.table(foundTable(a))
	}
	d.say(findingReasons(f))
	if len(f.Baselines) == 0 {
		return
	}
	d.chart(chart{Caption: "Accuracy of each attack", Tag: StatusDemonstrated, SVG: drawAttacks(f), Note: "Filled: chosen in some fold. Full line: the best guess without outputs; dotted: other guesses."})
	d.table(baselinesTable(f))
	if svg := drawAreas(f, file.Name(a.Target)); svg != "" {
		d.chart(chart{Caption: "How well an attack on the outputs ranks examples (AUC)", Tag: StatusDemonstrated, SVG: svg, Note: "Of two examples, one with the value and one without: how often the attack's score ranks the first higher. With 95 % intervals; line: chance."})
	}
	d.settings(evidenceRows(a, f))
	d.table(powerTable(a, f))
	d.table(subgroupsTable(f))
	d.table(attacksTable(f))
}

func (d *document) controls(a *audit.Result) {
	d.folded("Does this audit work here?")
	d.say(auditedWords(a), uncontrolled(a))
	if len(a.Controls) > 0 {
		d.table(controlsTable(a))
		for _, c := range a.Controls {
			d.soft(controlNote(c))
		}
		d.table(channelsTable(a))
	}
	d.on(onPage|onMarkdown, func(d *document) {
		d.settings(append([]Setting{{"sample", fmt.Sprintf("%s, %s, sha256 of outputs and labels %s", file.Name(a.Sample), Count(a.Examples, "example"), a.SHA256)}, {"seed", fmt.Sprint(a.Settings.Seed)}}, settingsRows(a)...))
	})
}

func (d *document) defences(a *audit.Result) {
	t := defencesTable(a)
	if len(t.Rows) == 0 {
		return
	}
	d.folded("What could be released instead")
	var drawn sideBySide
	for i := range a.Findings {
		name := a.Findings[i].Attribute
		if svg := drawDefences(a, name); svg != "" && len(drawn) < drawnDefences {
			drawn = append(drawn, chart{Caption: "Excess left on " + file.Name(name), SVG: svg, Note: "With one-sided limits, beside zero and the margin. *: recommended."})
		}
	}
	if len(drawn) > 0 {
		d.add(drawn)
	}
	d.table(t)
	d.settings(defenceNotes(a))
}

// drawsWords says how many permutations the tests made.
func drawsWords(a *audit.Result) string {
	switch least, most := a.Draws(); {
	case most == 0:
		return "no permutations"
	case least < most:
		return fmt.Sprintf("%d to %d permutations for a test", least, most)
	default:
		return fmt.Sprintf("%d permutations for a test", most)
	}
}

// settingsRows say how an audit was done.
func settingsRows(a *audit.Result) []Setting {
	s, honest := a.Settings, "no honest classifiers"
	if s.References > 0 {
		honest = Count(s.References, "honest classifier")
	}
	return []Setting{
		{"audit", fmt.Sprintf("%d folds, %s, at most %d examples to fit on, confidence %s, margin %s points, %s", s.Folds, drawsWords(a), s.MaxFit, confidenceWords(a), inPoints(s.Margin, 2), honest)},
		{"attacks", and(s.Attacks)},
	}
}
