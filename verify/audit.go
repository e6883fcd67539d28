package verify

import (
	"context"
	"errors"
	"fmt"
	"math"
	"os"

	"tattle/audit"
	"tattle/measure"
	"tattle/nn"
	"tattle/report"
	"tattle/run"
)

// audit makes an audit again from the outputs that it kept, with those of the classifiers
// that were trained for it.
func (o *Options) audit(ctx context.Context, dir string, claims *report.Report) (*recomputed, error) {
	options, err := auditOptions(dir, claims)
	if err != nil {
		return nil, err
	}
	d, err := reopen(ctx, dir, claims)
	if err != nil {
		return nil, err
	}
	v := &recomputed{left: leftOfAudits, report: report.New("", "", claims.Audit.Settings.Seed)}
	if err := o.auditedModel(claims, d, v); err != nil {
		return nil, err
	}
	if err := o.auditedOutputs(claims, d, v); err != nil {
		return nil, err
	}
	v.absent.references, v.absent.trained = len(d.References) > 0, d.Planted != nil || d.Released != nil
	options.Progress = o.Progress
	res, err := d.Audit(ctx, options)
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	if err != nil {
		return nil, mismatch("%s: the audit cannot be done again: %w", dir, err)
	}
	r := v.report
	r.Title = report.AuditTitle(d.Sample)
	r.Asked, r.FailOn, r.Accepted = claims.Asked, claims.FailOn, claims.Accepted
	r.Warnings = append(r.Warnings, d.Notes...)
	r.Warnings = append(r.Warnings, claims.Accepted.Unused(res)...)
	r.FillAudit(res)
	r.Breaches = claims.FailOn.Judge(res, claims.Accepted)
	model := ""
	if r.Model.SHA256 != "" {
		model = ", the model is the one audited"
	}
	v.verified = fmt.Sprintf("every figure of the audit of %s follows from the outputs that it kept%s\nverdict: %s", report.Count(res.Examples, "example"), model, r.Outcome)
	r.Arrays, err = report.DigestsOf(dir, d.Files())
	return v, err
}

// reopen reads what the audit was computed from.
func reopen(ctx context.Context, dir string, r *report.Report) (*audit.Record, error) {
	for _, a := range r.Arrays {
		if err := unchanged(dir, a); err != nil {
			return nil, err
		}
	}
	d, err := audit.ReadRecord(ctx, dir)
	if err != nil {
		return nil, &MismatchError{Err: err}
	}
	d.Defences = r.Asked.Defences
	d.Sample.Name, d.Sample.Notes = r.Audit.Sample, r.Audit.Notes
	return d, nil
}

// auditOptions returns the settings that the audit was done with.
func auditOptions(dir string, r *report.Report) (audit.Options, error) {
	s := r.Audit.Settings // without the folds, which are fewer with very many examples
	o := audit.Options{
		Seed: s.Seed, Permutations: s.Permutations, MaxFit: s.MaxFit,
		Confidence: s.Confidence, Margin: &s.Margin, Attacks: s.Attacks,
	}
	if len(s.Attacks) == 0 || s.Permutations < 1 || s.MaxFit < 1 || s.Confidence == 0 {
		return o, mismatch("%s: audit.settings: attacks, permutations, max_fit and confidence must all be there, and more than zero", dir)
	}
	if o.Folds = r.Asked.Folds; o.Folds != 0 && (o.Folds < 2 || o.Folds > audit.MaxFolds) {
		return o, mismatch("%s: asked.folds is %d: it must be between 2 and %d", dir, o.Folds, audit.MaxFolds)
	}
	return o, nil
}

// auditedModel compares the model's digest, and reads the size of its inputs.
func (o *Options) auditedModel(claims *report.Report, d *audit.Record, v *recomputed) error {
	r := v.report
	if r.Model.Path = claims.Model.Path; r.Model.Path != "" || claims.Model.SHA256 != "" {
		r.Model.Features = d.Sample.RowWidth()
	}
	path := o.Model
	switch {
	case claims.Model.SHA256 == "" && o.Model != "":
		return &measure.OptionError{Option: "Model", Err: errors.New("the audit was not of a file"), Hint: "leave it out"}
	case claims.Model.SHA256 == "":
		v.absent.endpoint = claims.Model.Path != ""
		return nil
	case path == "":
		path = claims.Model.Path
	}
	hash, err := run.Digest(path)
	if errors.Is(err, os.ErrNotExist) && o.Model == "" {
		o.warn("the model is not at %s: its outputs are taken as they are", path)
		v.absent.model = true
		return nil
	}
	if err != nil {
		return unread("Model", "name the model with --model", err)
	}
	if hash != claims.Model.SHA256 {
		return unlike(path, hash, claims.Model.SHA256, "name the right model with --model")
	}
	m, err := measure.OpenModel(path, claims.Reading.OfModel())
	if err != nil {
		return &MismatchError{Err: err}
	}
	r.Model.SHA256, r.Model.Inputs, v.absent.questions = hash, nn.Size(m.Graph.InputShape), true
	return nil
}

// auditedOutputs compares the digest of the file of outputs, if there was one.
func (o *Options) auditedOutputs(claims *report.Report, d *audit.Record, v *recomputed) error {
	r := v.report
	r.Data = report.Data{Name: d.Sample.Name, Path: claims.Data.Path, GreyLevels: report.Number(math.NaN())}
	if claims.Model.Path != "" || claims.Model.SHA256 != "" {
		v.absent.data = true
		return nil
	}
	hash, err := run.Digest(claims.Data.Path)
	if errors.Is(err, os.ErrNotExist) {
		o.warn("the outputs are not at %s: those in the run's folder are taken as they are", claims.Data.Path)
		v.absent.outputs = true
		return nil
	}
	r.Data.SHA256 = hash
	return err
}
