package report

import (
	"fmt"
	"io"
	"slices"

	"tattle/audit"
	"tattle/internal/file"
)

// WriteMarkdown writes an audit as Markdown: the verdict and its reasons, then all
// figures. It has no times in it. It errs where the report has no audit.
func (r *Report) WriteMarkdown(w io.Writer) error {
	a := r.Audit
	if a == nil {
		return errNoAudit
	}
	d := newDocument(w)
	d.heading(1, r.Title)
	d.strong(verdictWords(a), "")
	d.list(readable(a.Reasons))
	d.broken(r.breaches())
	d.heading(2, "Attribute by attribute")
	for i := range a.Findings {
		f := &a.Findings[i]
		d.strong(fmt.Sprintf("%s: %s.", file.Name(f.Attribute), f.Verdict), findingReasons(f))
	}
	d.table(foundTable(a, true))
	d.paragraph(foundTable(a, true).About())
	d.todo(a)
	d.rests(a, r.Warnings)
	for i := range a.Findings {
		d.finding(a, &a.Findings[i])
	}
	d.entropy(a.Entropy)
	d.controls(a)
	d.defences(a)
	d.provenance(r)
	return d.err
}

func (d *document) broken(breaches []string) {
	if len(breaches) > 0 {
		d.heading(2, "Thresholds that it breaks")
		d.list(breaches)
	}
}

func (d *document) todo(a *audit.Result) {
	if list := todo(a); len(list) > 0 {
		d.heading(2, "What to do")
		d.list(list)
	}
}

// rests says on what the verdict rests, and what limits it.
func (d *document) rests(a *audit.Result, warnings []string) {
	d.heading(2, "What this rests on")
	d.paragraph(auditedWords(a))
	d.paragraph(uncontrolled(a))
	d.paragraph(standing(a))
	d.list(unique(readable(append(slices.Clone(a.Notes), warnings...))))
}

func (d *document) finding(a *audit.Result, f *audit.Finding) {
	if len(f.Baselines) == 0 {
		return
	}
	d.heading(2, "Evidence on "+file.Name(f.Attribute))
	d.pairs(evidenceRows(f))
	for _, t := range []auditTable{powerTable(a, f), baselinesTable(f), attacksTable(f, len(f.Attacks)), subgroupsTable(f, shownSubgroups)} {
		if len(t.Rows) > 0 {
			d.heading(3, t.Name)
			d.paragraph(t.About())
			d.table(t)
		}
	}
}

// pairs lists figures that have names.
func (d *document) pairs(rows []pair) {
	var items []string
	for _, p := range rows {
		items = append(items, p.Key+": "+p.Value)
	}
	d.list(items)
}

func (d *document) entropy(e *audit.EntropyShift) {
	if e != nil {
		d.heading(2, "How sure the outputs are")
		d.paragraph(symptom)
		d.pairs(entropyRows(e))
	}
}

func (d *document) controls(a *audit.Result) {
	t := controlsTable(a)
	if len(t.Rows) == 0 {
		return
	}
	d.heading(2, "Controls")
	d.paragraph(t.About())
	d.table(t)
	for _, c := range a.Controls {
		d.paragraph(controlNote(c))
	}
	if t := channelsTable(a); len(t.Rows) > 0 {
		d.heading(3, t.Name)
		d.paragraph(t.About())
		d.table(t)
	}
}

func (d *document) defences(a *audit.Result) {
	t := defencesTable(a, true)
	if len(t.Rows) == 0 {
		return
	}
	d.heading(2, "Defences")
	d.paragraph(t.About())
	d.table(t)
	d.pairs(defenceNotes(a))
}

// provenance says what was audited, how, and how to do it again.
func (d *document) provenance(r *Report) {
	a := r.Audit
	d.heading(2, "What was audited, and how")
	rows := []pair{{"command", r.Command}, {"sample", fmt.Sprintf("%s, %s", file.Name(a.Sample), Count(a.Examples, "example"))}, {"sample sha256", a.SHA256}}
	if r.Model.SHA256 != "" {
		rows = append(rows, pair{"model", file.Name(r.Model.Path)}, pair{"model sha256", r.Model.SHA256})
	}
	if r.Data.SHA256 != "" {
		rows = append(rows, pair{"data", file.Name(r.Data.Name)}, pair{"data sha256", r.Data.SHA256})
	}
	rows = append(append(rows, pair{"seed", fmt.Sprint(a.Settings.Seed)}), settingsRows(a)...)
	d.pairs(append(rows, r.SettingRows()...))
}

// settingsRows say how an audit was done.
func settingsRows(a *audit.Result) []pair {
	s, honest := a.Settings, "no honest networks"
	if s.References > 0 {
		honest = Count(s.References, "honest network")
	}
	return []pair{
		{"audit", fmt.Sprintf("%d folds, %d permutations or more (fewer where nothing is found), at most %d examples to fit on, confidence %s, margin %s points, %s", s.Folds, s.Permutations, s.MaxFit, confidenceWords(a), barePoints(s.Margin), honest)},
		{"attacks", and(slices.Clone(s.Attacks))},
	}
}
