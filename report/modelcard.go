package report

import (
	"fmt"
	"io"
)

// writeModelCard writes a section for a model card about what the model's outputs reveal of
// sensitive attributes, with a heading of the second level. It returns an error if the report
// has no audit.
func (r *Report) writeModelCard(w io.Writer) error {
	a := r.Audit
	if a == nil {
		return errNoAudit
	}
	var d document
	d.section("What the outputs reveal of sensitive attributes")
	d.say(r.verdictWords())
	d.list(readable(a.Reasons))
	d.table(foundTable(a))
	d.settings(auditWords(a))
	d.say(auditedWords(a), uncontrolled(a))
	if todo := todo(a); len(todo) > 0 {
		d.part("Before the outputs are shared")
		d.list(todo)
	}
	d.part("Limits of this audit")
	d.list(readable(append([]string{
		standing(a),
		"It holds for these outputs on examples like these. Other attributes, other data and other ways to query the model were not audited.",
	}, r.Warnings...)))
	model := when(r.Model.SHA256 != "", "sha256 of the model "+r.Model.SHA256+", ")
	d.say(fmt.Sprintf("Audited with tattle (%s); %ssha256 of the sample %s, seed %d.", r.Command, model, a.SHA256, a.Settings.Seed))
	return d.writeMarkdown(w)
}
