package cli

import (
	"context"
	"errors"
	"fmt"
	"os"

	"tattle/audit"
	"tattle/internal/progress"
	"tattle/nn"
	"tattle/report"
	"tattle/run"
)

// audit makes an audit again from the outputs that it kept. What was trained for it is
// taken as it lies there.
func (c *verifyCmd) audit(ctx context.Context, e *env, dir string, claims *report.Report) (*recomputed, error) {
	o, err := auditOptions(dir, claims)
	if err != nil {
		return nil, err
	}
	d, err := c.reopen(ctx, dir, claims)
	if err != nil {
		return nil, err
	}
	v := &recomputed{left: leftOfAudits, report: newReport(e, "", claims.Audit.Settings.Seed)}
	if err := c.auditedModel(e, claims, d, v); err != nil {
		return nil, err
	}
	if err := c.auditedOutputs(e, claims, d, v); err != nil {
		return nil, err
	}
	v.absent.references, v.absent.trained = len(d.References) > 0, d.Planted != nil || d.Released != nil
	bars := &progress.Phases{W: e.stderr}
	o.Progress = bars.Set
	res, err := d.Audit(ctx, o)
	bars.Close()
	if err != nil {
		return nil, finding(fmt.Errorf("%s: the audit cannot be done again: %w", dir, err), "")
	}
	r := v.report
	r.Title = auditTitle(d.Sample)
	r.Asked, r.FailOn = claims.Asked, claims.FailOn
	r.Warnings = append(r.Warnings, d.Notes...)
	r.FillAudit(res)
	r.Breaches = claims.FailOn.Breaches(res)
	model := ""
	if r.Model.SHA256 != "" {
		model = ", the model is the one audited"
	}
	v.verified = fmt.Sprintf("every figure of the audit of %s follows from the outputs that it kept%s\nverdict: %s", report.Count(res.Examples, "example"), model, r.Verdict)
	r.Arrays, err = digests(dir, d)
	return v, err
}

// reopen reads what the audit was computed from.
func (c *verifyCmd) reopen(ctx context.Context, dir string, r *report.Report) (*audit.Record, error) {
	for _, a := range r.Arrays {
		if err := unchanged(dir, a); err != nil {
			return nil, err
		}
	}
	d, err := audit.ReadRecord(ctx, dir)
	if err != nil {
		return nil, finding(err, "")
	}
	d.Defences = r.Asked.Defences
	d.Sample.Name, d.Sample.Notes = r.Audit.Sample, r.Audit.Notes
	return d, nil
}

// auditOptions are the settings that the audit was done with.
func auditOptions(dir string, r *report.Report) (audit.Options, error) {
	s := r.Audit.Settings // but for the folds, which are fewer where there are many examples
	o := audit.Options{
		Seed: s.Seed, Permutations: s.Permutations, MaxFit: s.MaxFit,
		Confidence: s.Confidence, Margin: &s.Margin, Attacks: s.Attacks,
	}
	if len(s.Attacks) == 0 || s.Permutations < 1 || s.MaxFit < 1 || s.Confidence == 0 {
		return o, finding(fmt.Errorf("%s: audit.settings: attacks, permutations, max_fit and confidence must all be there, and more than zero", dir), "")
	}
	if o.Folds = r.Asked.Folds; o.Folds != 0 && (o.Folds < 2 || o.Folds > mostFolds) {
		return o, finding(fmt.Errorf("%s: asked.folds is %d: it must be between 2 and %d", dir, o.Folds, mostFolds), "")
	}
	return o, nil
}

// auditedModel compares the model's digest, and reads the size of its inputs.
func (c *verifyCmd) auditedModel(e *env, claims *report.Report, d *audit.Record, v *recomputed) error {
	r := v.report
	if r.Model.Path = claims.Model.Path; r.Model.Path != "" || claims.Model.SHA256 != "" {
		r.Model.Features = len(d.Sample.Classes)
	}
	path := c.Model
	switch {
	case claims.Model.SHA256 == "" && c.Model != "":
		return usage(errors.New("--model: the audit was not of a file"), "leave it out")
	case claims.Model.SHA256 == "":
		v.absent.endpoint = claims.Model.Path != ""
		return nil
	case path == "":
		path = claims.Model.Path
	}
	hash, err := run.Digest(path)
	if errors.Is(err, os.ErrNotExist) && c.Model == "" {
		fmt.Fprintf(e.stderr, "tattle: the model is not at %s: its outputs are taken as they are\n", path)
		v.absent.model = true
		return nil
	}
	if err != nil {
		return hinted(err, "name the model with --model")
	}
	if hash != claims.Model.SHA256 {
		return finding(fmt.Errorf("%s: sha256 %s, the report is about %s", path, hash, claims.Model.SHA256), "name the right model with --model")
	}
	m, err := openModel(path, claims.Reading.ModelOptions())
	if err != nil {
		return finding(err, "")
	}
	r.Model.SHA256, r.Model.Inputs, v.absent.questions = hash, nn.Size(m.Graph.InputShape), true
	return nil
}

// auditedOutputs compares the digest of the file of outputs, where it was one.
func (c *verifyCmd) auditedOutputs(e *env, claims *report.Report, d *audit.Record, v *recomputed) error {
	r := v.report
	r.Data = report.Data{Name: d.Sample.Name, Path: claims.Data.Path, GreyLevels: unknown}
	if claims.Model.Path != "" || claims.Model.SHA256 != "" {
		v.absent.data = true
		return nil
	}
	hash, err := run.Digest(claims.Data.Path)
	if errors.Is(err, os.ErrNotExist) {
		fmt.Fprintf(e.stderr, "tattle: the outputs are not at %s: those in the run's folder are taken as they are\n", claims.Data.Path)
		v.absent.outputs = true
		return nil
	}
	r.Data.SHA256 = hash
	return err
}
