package verify

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"path/filepath"
	"slices"
	"strings"

	"tattle/bound"
	"tattle/dataset"
	"tattle/design"
	"tattle/internal/report"
	"tattle/measure"
	"tattle/release"
	"tattle/reproduce"
	"tattle/run"
)

// bounds makes a report on a release again.
func (o *Options) bounds(ctx context.Context, dir string, r *report.Report, s *measure.Setup) (*recomputed, error) {
	if err := completeBounds(dir, r, s); err != nil {
		return nil, err
	}
	s.Reading.Limit = inFolder(dir, s.Reading.Limit)
	q, split, err := o.open(ctx, dir, r, s)
	if err != nil {
		return nil, err
	}
	v := &recomputed{}
	for what, is := range map[string]bool{
		"the model is absent: --model names it": q.read == nil, "the data are absent: --data names them": q.Data == nil,
		"the training data are absent: --training-data names them": q.train == nil && (q.Spec.Learned() || s.Release.FromTraining),
	} {
		if is {
			v.absent = append(v.absent, what)
		}
	}
	m := &measure.Measured{Split: split, RMS: math.NaN()}
	if q.Data != nil {
		if m.RMS, m.Utility, err = q.SetUtility(ctx, split, dir, o.Progress); err != nil {
			return nil, err
		}
	}
	if q.read == nil { // the original model answers too
		m.Utility = nil
		v.take("THE RELEASE: that "+measure.FrontFile+" and "+measure.HeadFile+" are what the report says of the model", "the model is absent: --model names it")
	}
	if v.found, err = o.certificates(ctx, dir, q, split); err != nil || len(v.found) > 0 {
		return v, err
	}
	again := ""
	if o.Independent {
		var compared int
		if compared, v.found, err = o.independently(ctx, dir, r, q.Experiment, split.Front); err != nil || len(v.found) > 0 {
			return v, err
		}
		again = fmt.Sprintf(" (%s also by the independent check)", report.Many(compared, "bound"))
		v.take("by the independent check: figures without a stored witness, allowances for rounding and the grid of inputs", "it computes bounds and floors on pairs from stored witnesses")
	}
	v.verified = fmt.Sprintf("every bound of %s follows from its witness%s, and the other claims, but for those below, from the bounds and the files of the run", report.Many(r.Data.Examples, "example"), again)
	lists, listed, err := o.lists(ctx, dir, r, q, split)
	if err != nil {
		return v, err
	}
	if !listed {
		v.absent = append(v.absent, "the candidates are absent: --training-data names them")
	}
	if err := o.derive(ctx, dir, r, q, m, lists); err != nil {
		return v, err
	}
	_, err = run.Interruptible(ctx, func() (struct{}, error) { return struct{}{}, v.remake(ctx, dir, r, q, m) })
	if s.Release.FromTraining && q.train == nil {
		v.take("THE NOISE: that its strength was computed from training data", v.absence())
	}
	v.standing(s, r)
	return v, err
}

// take notes what is taken as it is.
func (v *recomputed) take(what, why string) {
	v.left = append(v.left, report.Difference{What: what, Why: why})
}

// standing notes what nothing in a run records.
func (v *recomputed) standing(s *measure.Setup, r *report.Report) {
	for _, f := range r.Findings {
		if f.Code == "limits.conditions" {
			v.take("THE CONDITIONS of limits without a list", r.Say(f))
		}
	}
	switch s.Bounds.Runtime.From {
	case bound.RuntimeGiven:
		v.take("THE RUNTIME ERROR: that --runtime-error gave it, and that no runtime errs by more", "the certificates are checked with it as it is")
	case bound.RuntimeMeasured:
		v.take("the runtime error", "it is measured, and processors differ: the certificates are checked with it as it is")
	}
	if s.Lists != nil {
		v.take("where lists of inputs were read", "they are found by their digests")
	}
	v.take("how witnesses were sought, what attacks and the prior learned from, and where labels were read", "searches and attacks are not run again: verify checks the witnesses, and attacks.npz")
}

// completeBounds returns an error if a report on bounds lacks what is recomputed from.
func completeBounds(dir string, r *report.Report, s *measure.Setup) error {
	if len(r.Files) == 0 || r.Files[0].Name != bound.ArraysFile {
		return mismatch("%s: files: the first must be %s", dir, bound.ArraysFile)
	}
	if _, err := s.Release.Of(r.Seed).Noise(1, 1, dir); errors.Is(err, release.ErrFamily) {
		return fmt.Errorf("%s: written by tattle %s, and this version has %w: use that version, or run the command again", filepath.Join(dir, report.FileJSON), r.Version, err)
	}
	if part := r.Data.Part; part != string(dataset.Train) && part != string(dataset.Test) {
		return mismatch("%s: data.part is %q; it must be %s or %s", dir, part, dataset.Train, dataset.Test)
	}
	for key, lacks := range map[string]bool{"rounding": s.Bounds.Rounding == "", "runtime_error": s.Bounds.Runtime.From == "", "data.range": s.Data.Range == nil, "data.stored": s.Data.Stored == nil, "release.noise": s.Release.Noise == ""} {
		if lacks {
			return mismatch("%s: the request lacks %s", dir, key)
		}
	}
	return nil
}

// certificates computes the certificates again, and returns a line for each that differs.
func (o *Options) certificates(ctx context.Context, dir string, q *request, s *measure.Split) ([]string, error) {
	arrays := bound.Claims{Arrays: filepath.Join(dir, bound.ArraysFile), SHA256: q.arrays.SHA256}
	var source bound.Source
	if q.Data != nil {
		source = q.Data
	}
	found, err := bound.Verify(ctx, s.Front, source, q.Experiment, arrays, o.progress("verifying"))
	if misfit := (*bound.MisfitError)(nil); errors.As(err, &misfit) {
		return nil, &MismatchError{Err: err}
	}
	var lines []string
	for _, d := range found {
		lines = append(lines, d.String())
	}
	return lines, err
}

// derive loads what the report draws from the files of the run: bounds, and the errors of attacks.
func (o *Options) derive(ctx context.Context, dir string, r *report.Report, q *request, m *measure.Measured, lists *measure.ListFigures) (err error) {
	if m.Bounds, err = bound.Load(filepath.Join(dir, bound.ArraysFile), q.Experiment); err != nil {
		return &MismatchError{Err: err}
	}
	q.Indices = m.Bounds.Indices
	if _, ok := keptFile(r, measure.AttacksFile); ok {
		if err := unchangedFile(dir, r, measure.AttacksFile); err != nil {
			return err
		}
		at, err := measure.ReadAttacks(filepath.Join(dir, measure.AttacksFile), q.setup.Attacks, q.setup.Prior, q.Experiment.Coordinates.Len())
		if err != nil {
			return &MismatchError{Err: err}
		}
		if sizes := q.setup.Lists.Sizes(); !slices.Equal(sizes, at.Lists) {
			return mismatch("%s: request: lists: the report speaks of lists of %v inputs, %s of %v", dir, sizes, measure.AttacksFile, at.Lists)
		}
		m.Learned = &measure.Learned{Attacks: at, Listed: lists}
	}
	m.Files, err = q.keptFiles(dir, r)
	return err
}

// remake makes the report again, and what a promise or a published figure adds to it.
func (v *recomputed) remake(ctx context.Context, dir string, r *report.Report, q *request, m *measure.Measured) error {
	again, err := q.Report(m, q.origin(r))
	if err != nil {
		return &MismatchError{Err: err}
	}
	again.Title = measure.ReleaseTitle(q.Release, r.Model.Path)
	if q.Data == nil {
		again.Data.Examples = r.Data.Examples
	}
	fresh, err := measure.SetupOf(again)
	if err != nil {
		return err
	}
	q.keep(fresh)
	again.SetRequest(fresh)
	for _, c := range r.Claims { // what the promise is compared with
		if c.Taken() && again.About(c) == nil {
			again.Add(c)
		}
	}
	if len(q.setup.Design) > 0 {
		if err := v.promise(ctx, again, r, q, m); err != nil {
			return err
		}
	}
	if name := q.setup.Figure; name != "" {
		f, known := reproduce.GetFigure(name)
		if !known {
			return mismatch("%s: request: there is no figure %q", dir, name)
		}
		again.Title = f.Title
		if err := f.Again(again, dir, m.Bounds); err != nil {
			return &MismatchError{Err: err}
		}
	}
	v.report = again
	return nil
}

// keep takes from the report's request what absent inputs would say.
func (q *request) keep(fresh *measure.Setup) {
	if q.Data == nil {
		fresh.Lists = q.setup.Lists
	}
	if q.train == nil {
		fresh.Release.FromTraining = q.setup.Release.FromTraining
	}
	if is, was := fresh.Lists, q.setup.Lists; is != nil && was != nil { // lists are found by their digests, wherever they are
		if is.Holder == nil {
			is.Holder, is.Hidden, is.Shared = was.Holder, was.Hidden, was.Shared
		} else if was.Holder != nil {
			is.Holder.List.Path = was.Holder.List.Path
		}
		for i := range min(len(is.Anybody), len(was.Anybody)) {
			is.Anybody[i].List.Path = was.Anybody[i].List.Path
		}
	}
	if q.read == nil {
		fresh.Reading = q.setup.Reading
	}
	fresh.Reading.Limit = q.setup.Reading.Limit
	fresh.Attacks, fresh.Prior, fresh.Draws = q.setup.Attacks, q.setup.Prior, q.setup.Draws
}

// promise compares the promise with the claims that were made again.
func (v *recomputed) promise(ctx context.Context, again, r *report.Report, q *request, m *measure.Measured) error {
	var p design.Promise
	if err := json.Unmarshal(q.setup.Design, &p); err != nil {
		return mismatch("request.design: %w", err)
	}
	if q.Data != nil {
		a, _, err := design.FinalAccuracy(ctx, m.Split.Front, m.Split.Head, q.Data, q.Experiment.Noise, r.Seed, nil)
		if err != nil {
			return err
		}
		again.Add(report.Claim{ID: "design.accuracy", Kind: report.Measured, Value: report.Within(a.Fraction, a.Interval.Low, a.Interval.High, report.Share, release.Confidence), N: a.Trials})
	}
	if err := p.Check(again); err != nil {
		return err
	}
	again.Series = append(again.Series, searched(r.Series)...)
	for _, f := range r.Findings {
		if begins := map[string]string{"design.examine": "tattle bound --", "design.pack": "tattle guard pack "}[f.Code]; begins != "" && len(f.Args) == 1 && strings.HasPrefix(f.Args[0], begins) && !strings.ContainsAny(f.Args[0], "|;&`$<>\n") {
			again.Findings = append(again.Findings, f)
		} else if f.Code == "design.device" {
			again.Findings = append(again.Findings, f)
		}
	}
	v.take("the search for the release, and the original model's accuracy", "the search is not run again: its limits are compared with the claims on the release")
	return nil
}

// searched are the series of a search.
func searched(all []report.Series) (found []report.Series) {
	for _, s := range all {
		if strings.HasPrefix(s.ID, "search/") || strings.HasPrefix(s.ID, "floors/") {
			found = append(found, s)
		}
	}
	return found
}

// origin returns where the report says that model and data came from, with what is there now.
func (q *request) origin(r *report.Report) measure.Origin {
	from := measure.Origin{Model: r.Model, Data: r.Data, Learned: q.setup.Learned, Vectors: q.setup.Bounds.Vectors, Reading: q.setup.Reading, Values: q.setup.Data}
	if q.read != nil {
		from.Reading = measure.ReadingOf(q.read, q.setup.Reading.OfInputs("", "", 0))
	}
	if q.Data != nil {
		from.Data = measure.DataOf(q.Data, r.Data.Path, r.Data.Part)
	}
	return from
}

// keptFiles lists the files that the run must have kept beside the arrays, with their digests as they are now.
func (q *request) keptFiles(dir string, r *report.Report) (all []measure.File, err error) {
	var names []string
	if _, ok := keptFile(r, measure.AttacksFile); ok {
		names = append(names, measure.AttacksFile)
	}
	if !q.AsIs() {
		names = append(names, measure.FrontFile, measure.HeadFile)
	}
	if q.Spec.Covariance != nil {
		names = append(names, measure.CovarianceFile)
	}
	if file, ok := q.Table(); ok {
		names = append(names, file)
	}
	for _, name := range names {
		hash, err := run.Digest(filepath.Join(dir, name))
		if err != nil {
			return nil, &MismatchError{Err: err}
		}
		all = append(all, measure.File{Name: name, SHA256: hash})
	}
	return all, nil
}
