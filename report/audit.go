package report

import (
	"errors"

	"tattle/audit"
	"tattle/curious"
	"tattle/internal/file"
)

// FillAudit puts an audit into the report: its figures, its verdict, what reading
// the sample changed, its warnings, and the accuracy of the hard label. What the report
// already says of its data stays.
func (r *Report) FillAudit(a *audit.Result) {
	r.Audit = a
	r.Outcome = Outcome(a.Verdict)
	if r.Data.Name == "" {
		r.Data.Name = file.Name(a.Sample)
	}
	r.Data.Examples = a.Examples
	r.Data.Notes = unique(append(r.Data.Notes, a.Notes...))
	r.Warnings = append([]string{}, unique(append(r.Warnings, a.Warnings...))...) // a list where there are none, too
	if h := a.Honesty; h.Examples > 0 {
		r.Utility = Utility{CleanAccuracy: Number(h.Value), CleanInterval: h.Interval, ReleasedAccuracy: Number(h.Value), ReleasedInterval: h.Interval, Examples: h.Examples, Draws: 1}
	}
	if r.Release.Surface == "" {
		r.Release.Surface = surfaces[a.Outputs]
	}
}

// surfaces are a release's words for the outputs that are audited.
var surfaces = map[curious.Outputs]string{curious.Raw: "logits", curious.Soft: "probabilities", audit.Vector: "vectors"}

// errNoAudit says that a format is about audits alone.
var errNoAudit = errors.New("the report has no audit: run `tattle audit`")
