package report

import (
	"fmt"
	"io"

	"tattle/internal/file"
)

// How much of an audit a terminal shows; the page has the rest.
const (
	fewAttacks   = 4
	fewSubgroups = 3
	fewFindings  = 4 // with tables of their own
)

// textAudit prints an audit's tables.
func (r *Report) textAudit(w io.Writer) {
	a := r.Audit
	if a == nil {
		return
	}
	foundTable(a, false).text(w, 14)
	said := false
	for i, f := range worstFirst(a) {
		if i == fewFindings {
			fmt.Fprintln(w)
			wrap(w, fmt.Sprintf("Tables of %s more: in report.html.", Count(len(a.Findings)-fewFindings, "attribute")))
			break
		}
		if len(f.Baselines) == 0 {
			continue
		}
		attacksTable(f, fewAttacks).terse(said).text(w, 34)
		baselinesTable(f).terse(said).text(w, 16)
		fmt.Fprintln(w)
		wrap(w, "Further evidence on "+file.Name(f.Attribute)+":")
		textPairs(w, evidenceRows(f))
		powerTable(a, f).terse(said).text(w, 22, 34)
		groups := subgroupsTable(f, fewSubgroups)
		groups.drop("balanced") // for want of room
		groups.terse(said).text(w, 28)
		said = true
	}
	if a.Entropy != nil {
		fmt.Fprintln(w)
		wrap(w, "How sure the outputs are. "+symptom)
		textPairs(w, entropyRows(a.Entropy))
	}
	controlsTable(a).text(w, 10, 8, 20)
	for _, c := range a.Controls {
		wrapSome(w, printable(controlNote(c)))
	}
	channelsTable(a).text(w, 22, 30)
	defencesTable(a, false).text(w, 3, 25, 13)
}

// textPairs prints figures that have names.
func textPairs(w io.Writer, rows []pair) {
	for _, p := range rows {
		wrap(w, "- "+printable(p.Key)+": "+printable(p.Value))
	}
}
