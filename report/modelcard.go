package report

import (
	"fmt"
	"io"

	"tattle/audit"
	"tattle/internal/file"
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
	d.table(cardTable(a))
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
	model := ""
	if r.Model.SHA256 != "" {
		model = "sha256 of the model " + r.Model.SHA256 + ", "
	}
	d.say(fmt.Sprintf("Audited with tattle (%s); %ssha256 of the sample %s, seed %d.", r.Command, model, a.SHA256, a.Settings.Seed))
	return d.writeMarkdown(w)
}

func cardTable(a *audit.Result) table {
	t := table{
		Says:  fmt.Sprintf("“Guessed”: the share of examples whose attribute is guessed correctly by attacks fitted without them (for numbers: R²). “Excess”: over the best guess from y and the answered label, in points, with one-sided limits at %s. “Detectable”: the smallest excess%s, in points, that is found with probability %g in channels like the planted ones; other channels can carry more and stay hidden.", confidenceWords(a), overWhom(a), audit.PowerProbability),
		Heads: []string{"attribute", "verdict", "guessed", "baseline", "excess (limits)", "detectable"}, Words: []int{1},
	}
	for i := range a.Findings {
		f := &a.Findings[i]
		cells := []string{file.Name(f.Attribute), string(f.Verdict), "–", "–", "–"}
		if b := f.BestBaseline(); b != nil {
			cells = append(cells[:2], figureOf(f.Curiosity, f.R2), figureOf(b.Accuracy, b.R2), fmt.Sprintf("%s (%s to %s)", signed(Number(f.Excess.Value)), signed(Number(f.Excess.Low)), signed(Number(f.Excess.High))))
		}
		t.add(append(cells, seen(f.Power.Smallest))...)
	}
	return t
}
