package verify

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"

	"tattle/bound"
	"tattle/dataset"
	"tattle/internal/file"
	"tattle/measure"
	"tattle/nn"
	"tattle/onnx"
	"tattle/release"
	"tattle/report"
	"tattle/run"
)

// Options say where inputs of the run are that have moved, and what is checked. The zero
// value looks for them where the report says.
type Options struct {
	Model        string
	Data         string
	Labels       string // of Data
	TrainingData string // from which a projection or the noise was computed, and of the candidates
	Coordinates  string // file of the vectors to be reconstructed

	Independent bool  // also check bounds with package independent
	Memory      int64 // for what grows with examples and vectors; 0 is bound.DefaultMemory

	Warn     func(sentence string)              // unless nil, called for what is absent and taken as it is
	Progress func(what string, done, total int) // unless nil, called as work gets done
}

// Result is what Run found.
type Result struct {
	Verified  string             // what holds, in a sentence, if nothing was found
	Found     []string           // a line for each value or file that does not hold
	Unchecked []report.Unchecked // what could not be recomputed
}

// A MismatchError reports a run that is not as its report says.
type MismatchError struct {
	Err  error
	Hint string // what to do about it; may be empty
}

// Error implements error.
func (e *MismatchError) Error() string { return e.Err.Error() }

// Unwrap returns Err.
func (e *MismatchError) Unwrap() error { return e.Err }

// mismatch returns a MismatchError.
func mismatch(format string, a ...any) error { return &MismatchError{Err: fmt.Errorf(format, a...)} }

// Run verifies the run in the folder dir. It returns a MismatchError if the report or a
// file of the run is not what it must be, with an OptionError or an InputError of package
// measure if an option is the cause, and when ctx ends.
func Run(ctx context.Context, dir string, o Options) (*Result, error) {
	path, document, r, err := read(dir)
	if err != nil {
		return nil, err
	}
	if err := complete(dir, r); err != nil {
		return nil, err
	}
	claims := claimsOf(r)
	claims.Reading.Limit = inFolder(dir, claims.Reading.Limit)
	v, err := o.recompute(ctx, dir, claims)
	if err != nil {
		return nil, err
	}
	res := &Result{Verified: v.verified}
	if res.Found, res.Unchecked, err = v.compare(document, r); err != nil {
		return nil, mismatch("%s: %w", path, err)
	}
	if len(res.Found) == 0 {
		err = res.renderings(dir, r)
	}
	return res, err
}

// read reads the report of the run in the folder dir.
func read(dir string) (path string, document []byte, r *report.Report, err error) {
	path = filepath.Join(dir, report.FileJSON)
	if document, err = file.ReadFile(path); err != nil {
		return path, nil, nil, err
	}
	if r, err = report.ParseJSON(document); err != nil {
		return path, nil, nil, fmt.Errorf("%s: %w", path, err)
	}
	return path, document, r, nil
}

// inFolder returns the path of a file of the run in dir, which may have been moved; other paths it
// returns as they are.
func inFolder(dir, path string) string {
	if moved := filepath.Join(dir, filepath.Base(path)); path != "" && !file.Exists(path) && file.Exists(moved) {
		return moved
	}
	return path
}

// complete returns an error if a report lacks what is recomputed from.
func complete(dir string, r *report.Report) error {
	switch {
	case r.Audit != nil && len(r.Rendered) == 0:
		return lacking(dir, "rendered")
	case r.Audit != nil:
		if r.Asked == nil || r.FailOn == nil {
			return lacking(dir, "asked, fail_on")
		}
		return nil
	case r.Asked != nil || r.FailOn != nil:
		return lacking(dir, "audit")
	case !hasBounds(r) && len(r.Rendered) == 0:
		return lacking(dir, "rendered")
	case !hasBounds(r):
		return nil
	case r.Experiment == nil:
		return lacking(dir, "experiment")
	case len(r.Arrays) == 0:
		return lacking(dir, "arrays")
	case r.Release.NoBounds != "":
		return mismatch("%s: the report has bounds, and says that none holds for this release", dir)
	}
	if _, err := r.MeasuredRelease().Noise(1, 1, dir); errors.Is(err, release.ErrFamily) {
		return fmt.Errorf("%s: written by tattle %s, and this version has %w: use that version, or run the command again", filepath.Join(dir, report.FileJSON), r.Version, err)
	}
	if s := r.Data.Split; s != string(dataset.Train) && s != string(dataset.Test) {
		return mismatch("%s: data.split is %q; it must be %s or %s", dir, s, dataset.Train, dataset.Test)
	}
	for key, lacks := range map[string]bool{"rendered": len(r.Rendered) == 0, "experiment.rounding": r.Experiment.Rounding == "", "experiment.runtime_error": r.Experiment.Runtime.From == "",
		"data.range": r.Data.Range == nil, "data.stored": r.Data.Stored == nil, "release.noise.spec": r.Release.Noise.Spec == ""} {
		if lacks {
			return lacking(dir, key)
		}
	}
	return nil
}

// hasBounds reports whether a report is on bounds, which are recomputed.
func hasBounds(r *report.Report) bool {
	return r.Experiment != nil || len(r.Bounds) > 0
}

// lacking returns the error of a report that lacks a field.
func lacking(dir, field string) error { return mismatch("%s: the report lacks %s", dir, field) }

// recompute makes the report again from what claims say, the model, the data and the files
// of the run. claims have what decides the figures and none of the figures, so that none can
// be copied by mistake.
func (o *Options) recompute(ctx context.Context, dir string, claims *report.Report) (*recomputed, error) {
	remake := o.files
	switch {
	case claims.Audit != nil:
		remake = o.audit
	case hasBounds(claims):
		remake = o.bounds
	}
	v, err := remake(ctx, dir, claims)
	if v != nil {
		v.dir = dir
	}
	return v, err
}

func (o *Options) warn(format string, a ...any) {
	if o.Warn != nil {
		o.Warn(fmt.Sprintf(format, a...))
	}
}

// progress returns what reports the progress of one kind of work.
func (o *Options) progress(what string) func(done, total int) {
	return func(done, total int) {
		if o.Progress != nil {
			o.Progress(what, done, total)
		}
	}
}

// memory returns the budget.
func (o *Options) memory() int64 { return cmp.Or(o.Memory, bound.DefaultMemory) }

// unread returns the error of an input that cannot be read, with the option that names it.
func unread(option, hint string, err error) error {
	if wrong := (*measure.OptionError)(nil); errors.As(err, &wrong) {
		return err
	}
	return &measure.InputError{Option: option, Err: err, Hint: hint}
}

// unlike returns the error of an input that is not the one the report is about.
func unlike(path, is, was, hint string) error {
	return &MismatchError{fmt.Errorf("%s: sha256 %s, the report is about %s", path, is, was), hint}
}

// unchanged returns an error if a file of the run is not what its report says.
func unchanged(dir string, kept report.Arrays) error {
	if !filepath.IsLocal(kept.File) {
		return mismatch("%s: the report lists %q, which is not a file of its folder", dir, kept.File)
	}
	path := filepath.Join(dir, kept.File)
	hash, err := run.Digest(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return &MismatchError{Err: err}
	case err != nil:
		return err
	case hash != kept.SHA256:
		return mismatch("%s: SHA-256 is %s, the report is about %s", path, hash, kept.SHA256)
	}
	return nil
}

// keptFile returns a file that the run left beside the report.
func keptFile(r *report.Report, name string) (report.Arrays, bool) {
	i := slices.IndexFunc(r.Arrays, func(a report.Arrays) bool { return a.File == name })
	if i < 0 {
		return report.Arrays{}, false
	}
	return r.Arrays[i], true
}

// unchangedFile returns an error if the run left no file of that name beside the report, or it is not what
// its report says.
func unchangedFile(dir string, r *report.Report, name string) error {
	kept, ok := keptFile(r, name)
	if !ok {
		return mismatch("%s: the report does not list %s", dir, name)
	}
	return unchanged(dir, kept)
}

// keptGraph reads a graph that the run left beside the report.
func keptGraph(dir string, r *report.Report, name string) (*nn.Graph, error) {
	if err := unchangedFile(dir, r, name); err != nil {
		return nil, err
	}
	return onnx.Read(filepath.Join(dir, name))
}
