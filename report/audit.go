package report

import (
	"errors"
	"fmt"
	"math"
	"path/filepath"
	"strconv"
	"strings"

	"tattle/audit"
	"tattle/curious"
	"tattle/internal/file"
	"tattle/measure"
	"tattle/nn"
	"tattle/run"
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

// AuditTitle is the title of the report of an audit of a sample.
func AuditTitle(s *audit.Sample) string {
	names := make([]string, len(s.Sensitive))
	for i, a := range s.Sensitive {
		names[i] = a.Name
	}
	if s.Kind == audit.Vector {
		return fmt.Sprintf("Audit of vectors: do they reveal %s?", strings.Join(names, ", "))
	}
	return fmt.Sprintf("Audit of %s: do the outputs reveal %s?", s.Target, strings.Join(names, ", "))
}

// SetAuditSubject reports what was audited, and what was asked for; folds is 0 for the
// default.
func (r *Report) SetAuditSubject(q *audit.Request, s *audit.Subject, folds int) {
	r.Title = AuditTitle(s.Sample)
	r.Asked = &AuditRequest{Folds: folds, Defences: s.Defences}
	r.setAuditSettings(q, s)
	if m := s.Model; m != nil {
		r.Model = Model{Path: measure.Absolute(m.Path), SHA256: m.SHA256, Inputs: nn.Size(m.Graph.InputShape), Features: s.Sample.RowWidth()}
		r.Reading = ReadingOf(m, measure.Inputs{})
	} else if s.URL != "" {
		r.Model = Model{Path: s.URL, Features: s.Sample.RowWidth()}
	}
	if x := s.Examples; x != nil {
		r.Data = DataOf(x.Set, x.Source.Path, x.Part)
	} else {
		r.Data = Data{Name: s.Sample.Name, Path: s.File, SHA256: s.SHA256, GreyLevels: Number(math.NaN())}
	}
	r.Warnings = append(r.Warnings, s.Notes...)
}

// setAuditSettings reports what was asked for.
func (r *Report) setAuditSettings(q *audit.Request, s *audit.Subject) {
	note := func(key, value string) {
		if value != "" {
			r.Settings[key] = value
		}
	}
	note("target", q.Target)
	note("sensitive", strings.Join(q.Sensitive, " | "))
	note("reference", q.Reference)
	if s.Training != nil {
		note("references", strconv.Itoa(len(s.References)))
		note("reference sha256", s.Training.Train.Sum())
		note("reference epochs", strconv.Itoa(s.Epochs))
	}
	if x := s.Examples; x != nil {
		note("part", x.Part)
		note("examples", q.Examples)
		note("data seed", strconv.FormatUint(x.Source.Seed, 10))
	}
}

// DigestsOf lists files of a folder with their SHA-256.
func DigestsOf(dir string, names []string) (all []Arrays, err error) {
	for _, name := range names {
		hash, err := run.Digest(filepath.Join(dir, name))
		if err != nil {
			return nil, err
		}
		all = append(all, Arrays{File: name, SHA256: hash})
	}
	return all, nil
}
