package verify

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"strings"

	"tattle/audit"
	"tattle/internal/report"
	"tattle/measure"
	"tattle/run"
)

// audit makes an audit again from the outputs that it kept, with those of the classifiers
// that were trained for it.
func (o *Options) audit(ctx context.Context, dir string, r *report.Report) (*recomputed, error) {
	s := new(audit.Setup)
	if err := json.Unmarshal(r.Request, s); err != nil {
		return nil, mismatch("%s: request: %w", dir, err)
	}
	options, err := auditOptions(dir, s)
	if err != nil {
		return nil, err
	}
	for _, f := range r.Files {
		if err := unchanged(dir, f); err != nil {
			return nil, err
		}
	}
	d, err := audit.ReadRecord(ctx, dir)
	if err != nil {
		return nil, &MismatchError{Err: err}
	}
	d.Defences, d.Sample.Name, d.Sample.Notes = s.Defences, s.Sample, s.Notes
	v := &recomputed{}
	if err := o.auditedModel(r, s, v); err != nil {
		return nil, err
	}
	if err := o.auditedOutputs(r, v); err != nil {
		return nil, err
	}
	if len(d.References) > 0 {
		v.take("how the references were trained", "their outputs, which the run kept, are taken as they are")
	}
	if d.Planted != nil {
		v.take("how the planted model was made", "it is not trained again: the outputs that the run kept, and trained.json on what was planted, are taken as they are")
	}
	options.Progress = o.Progress
	res, err := d.Audit(ctx, options)
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	if err != nil {
		return nil, mismatch("%s: the audit cannot be done again: %w", dir, err)
	}
	asked := *s
	again := res.Report(&asked)
	again.Title, again.Model = audit.Title(d.Sample), r.Model
	examples := again.Data.Examples
	again.Data = r.Data
	if r.Model == (report.Model{}) {
		again.Data = report.Data{Name: d.Sample.Name, Path: r.Data.Path, SHA256: r.Data.SHA256}
	}
	again.Data.Examples = examples
	for _, w := range append(d.Notes, s.Accepted.Unused(res)...) {
		again.Warn(w)
	}
	if again.Files, err = report.Digests(dir, d.Files()); err != nil {
		return nil, err
	}
	v.report = again
	model := ""
	if r.Model.SHA256 != "" {
		model = ", the model is the one audited"
	}
	v.verified = fmt.Sprintf("every figure of the audit of %s follows from the outputs that it kept%s\nverdict: %s", report.Many(res.Examples, "example"), model, res.Verdict)
	v.take("what the command line asked for", "outputs are not computed again, and nothing is trained again")
	return v, nil
}

// auditOptions returns the settings that the audit was done with.
func auditOptions(dir string, q *audit.Setup) (audit.Options, error) {
	s := q.Settings // without the folds, which are fewer with very many examples
	o := audit.Options{
		Seed: s.Seed, Permutations: s.Permutations, MaxFit: s.MaxFit,
		Confidence: s.Confidence, Margin: &s.Margin, Attacks: s.Attacks,
	}
	if len(s.Attacks) == 0 || s.Permutations < 1 || s.MaxFit < 1 || s.Confidence == 0 {
		return o, mismatch("%s: request: settings: attacks, permutations, max_fit and confidence must all be there, and more than zero", dir)
	}
	if o.Folds = q.Folds; o.Folds != 0 && (o.Folds < 2 || o.Folds > audit.MaxFolds) {
		return o, mismatch("%s: request: folds is %d: it must be between 2 and %d", dir, o.Folds, audit.MaxFolds)
	}
	return o, nil
}

// auditedModel compares the model's digest.
func (o *Options) auditedModel(r *report.Report, s *audit.Setup, v *recomputed) error {
	path := o.Model
	switch {
	case r.Model.SHA256 == "" && o.Model != "":
		return &measure.OptionError{Option: "Model", Err: errors.New("the audit was not of a file"), Hint: "leave it out"}
	case r.Model.SHA256 == "":
		if r.Model.Path != "" && !strings.Contains(r.Model.Path, "://") {
			return mismatch("model.path: %q is neither a file with a digest nor the address of a server", r.Model.Path)
		}
		if r.Model.Path != "" {
			v.take("the endpoint: that the outputs are its", "it is not asked again")
		}
		return nil
	case path == "":
		path = r.Model.Path
	}
	hash, err := run.Digest(path)
	if errors.Is(err, os.ErrNotExist) && o.Model == "" {
		o.warn("the model is not at %s: its outputs are taken as they are", path)
		v.take("the model: that the outputs are its", "the model is absent; --model names it")
		return nil
	}
	if err != nil {
		return unread("Model", "name the model with --model", err)
	}
	if hash != r.Model.SHA256 {
		return unlike(path, hash, r.Model.SHA256, "name the right model with --model")
	}
	if _, err := measure.OpenModel(path, s.Reading.OfModel()); err != nil {
		return &MismatchError{Err: err}
	}
	v.take("the model: that the outputs are its", "the model is not applied again")
	return nil
}

// auditedOutputs compares the digest of the file of outputs, if there was one.
func (o *Options) auditedOutputs(r *report.Report, v *recomputed) error {
	if r.Model.Path != "" || r.Model.SHA256 != "" {
		v.take("the data that the model was applied to", "it is not applied again")
		return nil
	}
	hash, err := run.Digest(r.Data.Path)
	if errors.Is(err, os.ErrNotExist) {
		o.warn("the outputs are not at %s: those in the run's folder are taken as they are", r.Data.Path)
		v.take("the file that the outputs were read from", "it is absent")
		return nil
	}
	if err == nil && hash != r.Data.SHA256 {
		return unlike(r.Data.Path, hash, r.Data.SHA256, "the file has changed since the audit")
	}
	return err
}
