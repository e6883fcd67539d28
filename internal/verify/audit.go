package verify

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"strings"

	"tattle/internal/protect/measure"
	"tattle/internal/report"
	"tattle/internal/reveal/audit"
)

// audit makes an audit again from the outputs that it kept, with those of the classifiers
// that were trained for it.
func (v *recomputed) audit(ctx context.Context) error {
	r, s := v.was, new(audit.Setup)
	if err := json.Unmarshal(r.Request, s); err != nil {
		return mismatch("%s: request: %w", v.dir, err)
	}
	options, err := s.Options()
	if err != nil {
		return mismatch("%s: request: %w", v.dir, err)
	}
	options.Progress = v.Progress
	if err := v.unchanged(r.Files); err != nil {
		return err
	}
	d, err := audit.ReadRecord(ctx, v.dir)
	if err != nil {
		return &MismatchError{Err: err}
	}
	d.Defences, d.Sample.Name, d.Sample.Notes = s.Defences, s.Sample, s.Notes
	model, err := v.audited(s)
	if err != nil {
		return err
	}
	if len(d.References) > 0 {
		v.take("how the references were trained", "their outputs, which the run kept, are taken as they are")
	}
	if d.Planted != nil {
		v.take("how the planted model was made", "it is not trained again: the outputs that the run kept, and trained.json on what was planted, are taken as they are")
	}
	res, err := d.Audit(ctx, options)
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case err != nil:
		return mismatch("%s: the audit cannot be done again: %w", v.dir, err)
	}
	again, data := res.Report(s), r.Data
	if r.Model == (report.Model{}) {
		data = report.Data{Name: d.Sample.Name, Path: r.Data.Path, SHA256: r.Data.SHA256}
	}
	data.Examples = again.Data.Examples
	again.Title, again.Model, again.Data = audit.Title(d.Sample), r.Model, data
	for _, w := range append(d.Notes, s.Accepted.Unused(res)...) {
		again.Warn(w)
	}
	if again.Files, err = report.Digests(v.dir, d.Files()); err != nil {
		return err
	}
	v.report = again
	v.verified = fmt.Sprintf("every figure of the audit of %s follows from the outputs that it kept%s\nverdict: %s", report.Many(res.Examples, "example"), model, res.Verdict)
	v.take("what the command line asked for", "outputs are not computed again, and nothing is trained again")
	return nil
}

// audited compares the model, or the file of outputs, with its digest. It returns what to say of a model.
func (v *recomputed) audited(s *audit.Setup) (model string, err error) {
	m, endpoint := v.was.Model, strings.Contains(v.was.Model.Path, "://")
	what, path, moved, hash := theModel, m.Path, v.Model, m.SHA256
	if hash == "" {
		switch {
		case moved != "":
			return "", &measure.OptionError{Option: "Model", Err: errors.New("the audit was not of a file"), Hint: "leave it out"}
		case endpoint:
			v.take("the endpoint: that the outputs are its", "it is not asked again")
			v.take("the data that the model was applied to", "it is not applied again")
			return "", nil
		case path != "":
			return "", mismatch("model.path: %q is neither a file with a digest nor the address of a server", path)
		}
		what, path, hash = theOutputs, v.was.Data.Path, v.was.Data.SHA256
	}
	at, err := what.file(path, moved, hash)
	why := "it is not applied again"
	switch absent := errors.Is(err, fs.ErrNotExist) && moved == ""; {
	case absent:
		why = v.missing(what, at)
	case err != nil:
		return "", err
	case what == theOutputs:
		why = "it is not read again"
	default:
		if _, err := measure.OpenModel(at, s.Reading.OfModel()); err != nil {
			return "", &MismatchError{Err: err}
		}
		model = ", the model is the one audited"
	}
	if what == theOutputs {
		v.take("the file that the outputs were read from", why)
		return "", nil
	}
	v.take("the model: that the outputs are its", why)
	v.take("the data that the model was applied to", "it is not applied again")
	return model, nil
}
