package verify

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"

	"tattle/audit"
	"tattle/bound"
	"tattle/internal/file"
	"tattle/internal/report"
	"tattle/measure"
	"tattle/nn"
	"tattle/onnx"
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
	Verified  string              // what holds, in a sentence, if nothing was found
	Found     []string            // a line for each value or file that does not hold
	Unchecked []report.Difference // what could not be recomputed
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

// recomputed is a report that was made again.
type recomputed struct {
	report   *report.Report      // nil if no claims are recomputed
	verified string              // what holds, if nothing differs
	found    []string            // certificates that do not hold
	left     []report.Difference // what is taken as it is, beside the claims that say so
	absent   []string            // inputs that are absent, and the option that names them
}

// absence says which inputs are absent; empty if none are.
func (v *recomputed) absence() string {
	if len(v.absent) == 0 {
		return ""
	}
	return report.List(v.absent)
}

// Run verifies the run in the folder dir. It returns a MismatchError if the report or a
// file of the run is not what it must be, with an OptionError or an InputError of package
// measure if an option is the cause, and when ctx ends.
func Run(ctx context.Context, dir string, o Options) (*Result, error) {
	r, err := read(dir)
	if err != nil {
		return nil, err
	}
	if len(r.Rendered) == 0 {
		return nil, mismatch("%s: the report lacks rendered", dir)
	}
	v, err := o.recompute(ctx, dir, r)
	if err != nil {
		return nil, err
	}
	res := &Result{Verified: v.verified, Found: v.found}
	changed, gone, err := changedFiles(dir, r)
	if err == nil && len(changed) == 0 {
		changed, err = begun(dir, r)
	}
	if err != nil {
		return nil, err
	}
	res.Unchecked = append(v.left, gone...)
	if v.report != nil {
		found, left := r.Compare(v.report, v.absence())
		for _, d := range found {
			res.Found = append(res.Found, d.String())
		}
		res.Unchecked = append(res.Unchecked, left...)
	}
	if res.Found = append(res.Found, changed...); len(res.Found) == 0 {
		err = res.renderings(dir, r)
	}
	res.Unchecked = append(res.Unchecked, report.Difference{What: "timing", Why: string(report.Timed)}, report.Difference{What: "the version of tattle", Why: "this one may be another"})
	return res, err
}

// recompute makes the report again from its request, the model, the data and the files of the run.
func (o *Options) recompute(ctx context.Context, dir string, r *report.Report) (*recomputed, error) {
	var of struct { // what the request is about
		Settings json.RawMessage `json:"settings"` // of an audit
		Bounds   json.RawMessage `json:"bounds"`   // of a release
	}
	if len(r.Request) > 0 {
		if err := json.Unmarshal(r.Request, &of); err != nil {
			return nil, mismatch("%s: request: %w", dir, err)
		}
	}
	switch {
	case len(of.Settings) > 0 || file.Exists(filepath.Join(dir, audit.TrainedFile)):
		return o.audit(ctx, dir, r)
	case len(of.Bounds) > 0 || bounded(dir):
		s, err := measure.SetupOf(r)
		if err != nil || s.Bounds == nil {
			return nil, mismatch("%s: request: the report does not say what was bounded", dir)
		}
		return o.bounds(ctx, dir, r, s)
	}
	return o.files(dir, r)
}

// bounded reports whether the manifest in a folder is that of bounds.
func bounded(dir string) bool {
	data, err := run.ReadManifest(dir)
	if err != nil {
		return false
	}
	m, err := run.ParseManifest(data)
	return err == nil && m.Command == "bound"
}

// read reads the report of the run in the folder dir.
func read(dir string) (*report.Report, error) {
	path := filepath.Join(dir, report.FileJSON)
	document, err := file.ReadFile(path)
	if err != nil {
		return nil, err
	}
	r, err := report.Parse(document)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return r, nil
}

// inFolder returns the path of a file of the run in dir, which may have been moved; other paths it
// returns as they are.
func inFolder(dir, path string) string {
	if moved := filepath.Join(dir, filepath.Base(path)); path != "" && !file.Exists(path) && file.Exists(moved) {
		return moved
	}
	return path
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
func unchanged(dir string, kept report.File) error {
	if !filepath.IsLocal(kept.Name) {
		return mismatch("%s: the report lists %q, which is not a file of its folder", dir, kept.Name)
	}
	path := filepath.Join(dir, kept.Name)
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
func keptFile(r *report.Report, name string) (report.File, bool) {
	i := slices.IndexFunc(r.Files, func(a report.File) bool { return a.Name == name })
	if i < 0 {
		return report.File{}, false
	}
	return r.Files[i], true
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

// files checks a run whose claims are not recomputed, such as a training or a table: the
// files that its report lists are as it says.
func (o *Options) files(dir string, r *report.Report) (*recomputed, error) {
	v := &recomputed{left: []report.Difference{{What: "the claims of the report", Why: "verify recomputes those of bounds and of audits only: train or search again, with the same seed, to compare them"}}}
	listed := r.Files
	if m := r.Model; m.SHA256 != "" && filepath.IsLocal(m.Path) {
		listed = append(listed[:len(listed):len(listed)], report.File{Name: m.Path, SHA256: m.SHA256})
	}
	for _, f := range listed {
		if err := unchanged(dir, f); err != nil {
			return nil, err
		}
	}
	v.verified = "the files made from report.json are as it says"
	if n := len(listed); n > 0 {
		v.verified += fmt.Sprintf(", and %s of the run", report.Many(n, "other file"))
	}
	return v, nil
}
