package verify

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"tattle/internal/data/dataset"
	"tattle/internal/engine/nn"
	"tattle/internal/independent"
	"tattle/internal/paper"
	"tattle/internal/protect/bound"
	"tattle/internal/protect/design"
	"tattle/internal/protect/measure"
	"tattle/internal/protect/release"
	"tattle/internal/report"
)

// certificates computes the certificates again, and notes those that differ.
func (q *request) certificates(ctx context.Context, s *measure.Split) error {
	arrays := bound.Claims{Arrays: filepath.Join(q.dir, bound.ArraysFile), SHA256: q.was.Files[0].SHA256}
	var source nn.Source
	if q.Data != nil {
		source = q.Data
	}
	found, err := bound.Verify(ctx, s.Front, source, q.Experiment, arrays, q.Progress.Of("verifying"))
	if misfit := (*bound.MisfitError)(nil); errors.As(err, &misfit) {
		return &MismatchError{Err: err}
	}
	q.found = append(q.found, found...)
	if err != nil || len(found) > 0 {
		return err
	}
	again := ""
	if q.Independent {
		compared, err := q.independently(ctx, s.Front)
		if unsupported := (*independent.UnsupportedError)(nil); errors.As(err, &unsupported) {
			err = &measure.OptionError{Option: "Independent", Err: err, Hint: "leave --independent out: without it, verify takes any model"}
		}
		if err != nil {
			return err
		}
		again = fmt.Sprintf(" (%s also by the independent check)", report.Many(compared, "bound"))
		q.take("by the independent check: figures without a stored witness, and the grid of inputs", "it computes bounds and floors on pairs from stored witnesses")
	}
	q.verified = fmt.Sprintf("every bound of %s follows from its witness%s, and the other claims, but for those below, from the bounds and the files of the run", report.Many(q.was.Data.Examples, "example"), again)
	return nil
}

// limits computes the limits from lists of inputs again; those of candidates that are absent are left out.
func (q *request) limits(ctx context.Context, s *measure.Split) (x *measure.ListFigures, err error) {
	claimed := q.setup.Lists
	if claimed == nil {
		return nil, nil
	}
	if q.Data == nil {
		q.absent = append(q.absent, theCandidates.gone())
		return nil, nil
	}
	var candidates *dataset.Set
	if claimed.Holder != nil {
		switch u := claimed.Holder.List; {
		case u.SHA256 == q.Data.SHA256:
			candidates = q.Data
		case q.train != nil && q.train.SHA256 == u.SHA256:
			candidates = q.train
		default:
			in := q.learned(q.setup, u.Path)
			in.Part = u.Split
			if candidates, err = q.data(ctx, theCandidates, q.TrainingData, in, q.reader, u.SHA256); err != nil {
				return nil, err
			}
		}
	}
	legal, err := measure.LegalDomain(q.Data)
	if err != nil {
		return nil, err
	}
	if claimed.EverySample() != nil && claimed.NoiseFrom == measure.NothingFrom && q.Scaling != nil {
		if n := q.Shared(); n > 0 {
			return nil, mismatch("%s: the limits without a list take the noise not to depend on the sample, but it was computed from %s of the sample", q.dir, report.Many(n, "input"))
		}
	}
	again := claimed.Again(candidates, q.Data, q.Seed)
	again.Progress = q.Progress
	x, err = again.Run(ctx, measure.Target{
		Front: s.Front, Noise: q.Experiment.Noise, Queries: q.Experiment.Queries, Label: q.Label, Coordinates: q.Experiment.Coordinates, Legal: legal,
		FromData: claimed.NoiseFrom, Data: q.Data,
	})
	unknown := func(why string) bool { return !slices.Contains(claimed.LeftOut, why) }
	if err == nil && !slices.ContainsFunc(x.LeftOut, unknown) { // the others are of lists that are absent, and of attacks, which are not run again
		x.LeftOut = claimed.LeftOut
	}
	return x, err
}

// derive loads what the report draws from the files of the run: bounds, and the errors of attacks.
func (q *request) derive(m *measure.Measured, lists *measure.ListFigures) (err error) {
	if m.Bounds, err = bound.Load(filepath.Join(q.dir, bound.ArraysFile), q.Experiment); err != nil {
		return &MismatchError{Err: err}
	}
	q.Indices = m.Bounds.Indices
	var names []string
	if q.lists(measure.AttacksFile) {
		names = append(names, measure.AttacksFile)
		at, err := measure.ReadAttacks(filepath.Join(q.dir, measure.AttacksFile), q.setup.Attacks, q.setup.Prior, q.Experiment.Coordinates.Len())
		if err != nil {
			return &MismatchError{Err: err}
		}
		if q.Data != nil {
			at.CountPeople(q.Data, q.Indices)
		}
		m.Learned = &measure.Learned{Attacks: at, Listed: lists}
	}
	if !q.AsIs() {
		names = append(names, measure.FrontFile, measure.HeadFile)
	}
	if q.Spec.Covariance != nil {
		names = append(names, measure.CovarianceFile)
	}
	if table, ok := q.Table(); ok {
		names = append(names, table)
	}
	if m.Files, err = report.Digests(q.dir, names); err != nil {
		return &MismatchError{Err: err}
	}
	return nil
}

// remake makes the report again, and what a promise or a published figure adds to it.
func (q *request) remake(ctx context.Context, m *measure.Measured) error {
	r := q.was
	again, err := q.Report(m, q.origin())
	if err != nil {
		return &MismatchError{Err: err}
	}
	again.Title = measure.ReleaseTitle(q.Release, cmp.Or(r.Model.Path, r.Data.Path))
	if q.Data == nil {
		again.Data.Examples = r.Data.Examples
	}
	fresh, err := measure.SetupOf(again)
	if err != nil {
		return err
	}
	if q.keep(fresh); fresh.Use != nil {
		again.Score = fresh.Use.Words()
	}
	again.SetRequest(fresh)
	for _, c := range r.Claims { // what the promise is compared with
		if c.Taken() && again.About(c) == nil {
			again.Add(c)
		}
	}
	if len(q.setup.Design) > 0 {
		if err := q.promise(ctx, again, m); err != nil {
			return err
		}
	}
	if name := q.setup.Figure; name != "" {
		f, known := paper.GetFigure(name)
		if !known {
			return mismatch("%s: request: there is no figure %q", q.dir, name)
		}
		again.Title = f.TitleOf(r.Model.Path)
		if err := f.Again(again, q.dir, m.Bounds); err != nil {
			return &MismatchError{Err: err}
		}
	}
	q.report = again
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
	fresh.Attacks, fresh.Prior, fresh.Draws, fresh.Use = q.setup.Attacks, q.setup.Prior, q.setup.Draws, q.setup.Use
}

// promise compares the promise with the claims that were made again.
func (q *request) promise(ctx context.Context, again *report.Report, m *measure.Measured) error {
	var p design.Promise
	if err := json.Unmarshal(q.setup.Design, &p); err != nil {
		return mismatch("request.design: %w", err)
	}
	if q.Data != nil && (q.Use == nil || q.OfVectors) {
		purpose := measure.Purpose{Use: q.Use, Data: q.Data, Views: q.Views}.Measured(q.Graph)
		original, err := q.Original(m.Split)
		if err != nil {
			return err
		}
		u, err := design.FinalAccuracy(ctx, m.Split.Front, m.Split.Head, purpose, q.Experiment.Noise, q.Seed, original)
		if err != nil {
			return err
		}
		a := u.Released
		again.Add(report.Claim{ID: "design.accuracy", Kind: report.Measured, Value: report.Within(a.Fraction, a.Interval.Low, a.Interval.High, report.Share, release.Confidence), N: a.Trials})
	}
	if err := p.Check(again); err != nil {
		return err
	}
	for _, s := range q.was.Series {
		if strings.HasPrefix(s.ID, "search/") || strings.HasPrefix(s.ID, "floors/") {
			again.Series = append(again.Series, s)
		}
	}
	for _, f := range q.was.Findings {
		begins, command := map[string]string{"design.examine": "tattle bound --", "design.pack": "tattle guard pack "}[f.Code]
		if command && len(f.Args) == 1 && strings.HasPrefix(f.Args[0], begins) && !strings.ContainsAny(f.Args[0], "|;&`$<>\n") {
			again.Findings = append(again.Findings, f)
		}
	}
	q.take("the search for the release, and the original model's accuracy", "the search is not run again: its limits are compared with the claims on the release")
	return nil
}

// origin returns where the report says that model and data came from, with what is there now.
func (q *request) origin() measure.Origin {
	from := measure.Origin{Model: q.was.Model, Data: q.was.Data, Learned: q.setup.Learned, Vectors: q.setup.Bounds.Vectors, Reading: q.setup.Reading, Values: q.setup.Data}
	if q.read != nil {
		from.Reading = measure.ReadingOf(q.read, q.setup.Reading.OfInputs("", "", 0))
	}
	if q.Data != nil {
		from.Data = measure.DataOf(q.Data, q.was.Data.Path, q.was.Data.Part)
	}
	return from
}

// standing notes what nothing in a run records.
func (q *request) standing() {
	for _, f := range q.was.Findings {
		if f.Code == "limits.conditions" {
			q.take("THE CONDITIONS of limits without a list", q.was.Say(f))
		}
	}
	switch q.setup.Bounds.Runtime.From {
	case bound.RuntimeGiven:
		q.take("THE RUNTIME ERROR: that --runtime-error gave it, and that no runtime errs by more", "the certificates are checked with it as it is")
	case bound.RuntimeMeasured:
		q.take("the runtime error", "it is measured, and processors differ: the certificates are checked with it as it is")
	}
	if q.setup.Lists != nil {
		q.take("where lists of inputs were read", "they are found by their digests")
	}
	q.take("how witnesses were sought, what attacks and the prior learned from, and where labels were read", "searches and attacks are not run again: verify checks the witnesses, and attacks.npz")
}
