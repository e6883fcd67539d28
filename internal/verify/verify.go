package verify

import (
	"context"
	"encoding/json"
	"fmt"
	"path/filepath"
	"slices"

	"tattle/internal/engine/nn"
	"tattle/internal/file"
	"tattle/internal/progress"
	"tattle/internal/protect/measure"
	"tattle/internal/protect/release"
	"tattle/internal/report"
	"tattle/internal/reveal/audit"
	"tattle/internal/run"
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

	Warn     func(sentence string) // unless nil, called for what is absent and taken as it is
	Progress progress.Func
}

// Result is what Run found.
type Result struct {
	Verified  string              // what holds, in a sentence, if nothing was found
	Found     []string            // a line for each value or file that does not hold
	Unchecked []report.Difference // what could not be recomputed
	Absent    string              // inputs of the run without which some of it could not be recomputed; empty if none
	Release   *Release            // what the bounds are about; nil for another run
}

// A Release is the release of a run of bounds, built again from the model or from what the run kept.
type Release struct {
	Report      *report.Report // as the run left it
	Setup       *measure.Setup // of the report
	Front, Head *nn.Graph
	Noise       release.Noise
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

// recomputed is a report that is made again, and what is found on the way.
type recomputed struct {
	*Options
	dir string
	was *report.Report // as the run left it

	report   *report.Report      // nil if no claims are recomputed
	release  *Release            // nil if it has none
	verified string              // what holds, if nothing differs
	found    []string            // certificates that do not hold
	left     []report.Difference // what is taken as it is, beside the claims that say so
	absent   []string            // inputs that are absent, and the option that names them
}

// absence says which inputs are absent; empty if none are.
func (v *recomputed) absence() string {
	return report.List(slices.Sorted(slices.Values(v.absent)))
}

// take notes what is taken as it is.
func (v *recomputed) take(what, why string) {
	v.left = append(v.left, report.Difference{What: what, Why: why})
}

// Run verifies the run in the folder dir. It returns a MismatchError if the report or a
// file of the run is not what it must be, with an OptionError or an InputError of package
// measure if an option is the cause, and when ctx ends.
func Run(ctx context.Context, dir string, o Options) (*Result, error) {
	document, err := file.ReadFile(filepath.Join(dir, report.FileJSON))
	if err != nil {
		return nil, err
	}
	r, err := report.Parse(document)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", filepath.Join(dir, report.FileJSON), err)
	}
	if len(r.Rendered) == 0 {
		return nil, mismatch("%s: the report lacks rendered", dir)
	}
	v, err := o.recompute(ctx, dir, r)
	if err != nil {
		return nil, err
	}
	changed, err := v.changedFiles()
	if err == nil && len(changed) == 0 {
		changed, err = v.begun()
	}
	if err != nil {
		return nil, err
	}
	res := &Result{Verified: v.verified, Found: v.found, Unchecked: v.left, Absent: v.absence(), Release: v.release}
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

// Recompute makes the report r of the run in the folder dir again, and says which inputs are absent. The report
// is nil if none of its claims are recomputed.
func (o *Options) Recompute(ctx context.Context, dir string, r *report.Report) (again *report.Report, absent string, err error) {
	v, err := o.recompute(ctx, dir, r)
	if err != nil {
		return nil, "", err
	}
	return v.report, v.absence(), nil
}

// recompute makes the report again from its request, the model, the data and the files of the run.
func (o *Options) recompute(ctx context.Context, dir string, r *report.Report) (*recomputed, error) {
	v := &recomputed{Options: o, dir: dir, was: r}
	of := map[string]json.RawMessage{} // the request
	if len(r.Request) > 0 {
		if err := json.Unmarshal(r.Request, &of); err != nil {
			return nil, mismatch("%s: request: %w", dir, err)
		}
	}
	m, _ := v.manifest()
	switch {
	case of["settings"] != nil || file.Exists(filepath.Join(dir, audit.TrainedFile)):
		return v, v.audit(ctx)
	case of["bounds"] != nil || m.Command == "bound":
		return v, v.bounds(ctx)
	}
	return v, v.files()
}

// manifest returns the manifest in the run's folder.
func (v *recomputed) manifest() (m run.Manifest, err error) {
	data, err := run.ReadManifest(v.dir)
	if err == nil {
		m, err = run.ParseManifest(data)
	}
	return m, err
}
