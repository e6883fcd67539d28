package report

import (
	_ "embed"
	"fmt"
	"html/template"

	"tattle/audit"
	"tattle/internal/file"
)

//go:embed audit.html
var auditSource string

// How much of an audit the page draws; its tables have the rest.
const (
	drawnAttacks   = 8
	drawnDefences  = 4 // attributes
	shownSubgroups = 12
	openFindings   = 3 // of which all is shown at once, the worst
)

// auditView is an audit on the page.
type auditView struct {
	*audit.Result
	Class, Headline string
	Why             []string // the verdict's reasons
	Broken          []string // thresholds
	Said            []foundView
	About           []string // what was audited, and how the controls came out
	Todo            []string
	Excess          template.HTML
	References      bool
	Found           auditTable
	Parts           []findingView
	EntropyRows     []pair
	ControlTable    auditTable
	ChannelTable    auditTable
	ControlNotes    []string
	Defended        []defendedView
	DefenceTable    auditTable
	DefenceNotes    []pair
	How             []pair // it was audited
}

// foundView is an attribute's verdict in sentences.
type foundView struct{ Name, Verdict, Class, Words string }

// findingView is an attribute with all its figures.
type findingView struct {
	Name, Verdict, Class string
	Open                 bool
	Attacks              template.HTML
	AttackTable          auditTable
	Baselines, Subgroups auditTable
	Power                auditTable
	Evidence             []pair
}

// defendedView is one attribute's chart of the defences.
type defendedView struct {
	Name string
	SVG  template.HTML
}

// newAudit is nil where the report has no audit.
func (r *Report) newAudit() *auditView {
	a := r.Audit
	if a == nil {
		return nil
	}
	v := &auditView{
		Result: a, Class: verdictClass(a.Verdict), Headline: whole.Replace(verdictWords(a)), Why: unbreakable(readable(a.Reasons)), Broken: unbreakable(r.breaches()),
		About: unbreakable(readable([]string{auditedWords(a), uncontrolled(a), standing(a)})), Excess: drawExcess(a), Found: foundTable(a, true), EntropyRows: entropyRows(a.Entropy), ControlTable: controlsTable(a), ChannelTable: channelsTable(a), DefenceTable: defencesTable(a, true),
		Todo: unbreakable(todo(a)),
	}
	open := map[*audit.Finding]bool{}
	for i, f := range worstFirst(a) {
		open[f] = i < openFindings
	}
	for i := range a.Findings {
		v.addFinding(&a.Findings[i], open[&a.Findings[i]])
	}
	for _, c := range a.Controls {
		v.ControlNotes = append(v.ControlNotes, printable(controlNote(c)))
	}
	for _, p := range defenceNotes(a) {
		v.DefenceNotes = append(v.DefenceNotes, pair{printable(p.Key), printable(p.Value)})
	}
	v.How = append([]pair{{"sample", fmt.Sprintf("%s, sha256 %s", file.Name(a.Sample), a.SHA256)}}, settingsRows(a)...)
	return v
}

func (v *auditView) addFinding(f *audit.Finding, open bool) {
	name, class := file.Name(f.Attribute), verdictClass(f.Verdict)
	v.Said = append(v.Said, foundView{name, string(f.Verdict), class, whole.Replace(printable(findingReasons(f)))})
	v.References = v.References || f.Reference != nil
	if len(f.Baselines) > 0 {
		p := findingView{Name: name, Verdict: string(f.Verdict), Class: class, Open: open, Attacks: drawAttacks(f, drawnAttacks), AttackTable: attacksTable(f, len(f.Attacks)), Baselines: baselinesTable(f), Power: powerTable(v.Result, f), Subgroups: subgroupsTable(f, shownSubgroups)}
		for _, e := range evidenceRows(f) {
			p.Evidence = append(p.Evidence, pair{printable(e.Key), whole.Replace(printable(e.Value))})
		}
		v.Parts = append(v.Parts, p)
	}
	if svg := drawDefences(v.Result, f.Attribute); svg != "" && len(v.Defended) < drawnDefences {
		v.Defended = append(v.Defended, defendedView{name, svg})
	}
}

// EntropyIsSymptom is what a reader of entropies must know.
func (v *auditView) EntropyIsSymptom() string { return symptom }

// Margin is the excess up to which the outputs are not said to tell s beyond y, in points.
func (v *auditView) Margin() string { return barePoints(v.Settings.Margin) }
