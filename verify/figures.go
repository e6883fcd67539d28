package verify

import (
	"context"
	"errors"
	"fmt"
	"math"
	"path/filepath"
	"slices"

	"tattle/bound"
	"tattle/measure"
	"tattle/nn"
	"tattle/report"
	"tattle/reproduce"
	"tattle/run"
)

// bounds makes a report on bounds again.
func (o *Options) bounds(ctx context.Context, dir string, claims *report.Report) (*recomputed, error) {
	q, s, err := o.open(ctx, dir, claims)
	if err != nil {
		return nil, err
	}
	v := &recomputed{left: leftOfBounds, absent: absent{
		model: q.read == nil, data: q.Data == nil, training: q.train == nil && q.Spec.Learned(),
		scaling:    q.Scaling == nil && claims.Release.Noise.FromTraining,
		modelMoved: o.Model != "", dataMoved: o.Data != "", promise: claims.Design != nil,
	}}
	_, v.absent.attacks = keptFile(claims, measure.AttacksFile)
	found, err := o.described(ctx, dir, q, s)
	if err != nil {
		return nil, err
	}
	v.report = report.New(report.ReleaseTitle(q.Release, claims.Model.Path), "", claims.Seed)
	v.report.SetSubject(&q.Request, found, q.origin(claims))
	if v.found, err = o.certificates(ctx, dir, claims, q, s.Front); err != nil || len(v.found) > 0 {
		return v, err
	}
	again := ""
	if o.Independent {
		var compared int
		if compared, v.found, err = o.independently(ctx, dir, claims, q.Experiment, s.Front); err != nil || len(v.found) > 0 {
			return v, err
		}
		v.absent.independent = true
		again = fmt.Sprintf(" (%s also by the independent check)", report.Count(compared, "bound"))
	}
	v.verified = fmt.Sprintf("every bound of %s follows from its witness%s, and the other figures, but for those below, from the bounds and the files of the run", report.Count(claims.Data.Examples, "example"), again)
	lists, listed, err := o.lists(ctx, dir, claims, q, s)
	if err != nil {
		return v, err
	}
	v.absent.candidates = !listed
	_, err = run.Interruptible(ctx, func() (struct{}, error) { return struct{}{}, derived(v.report, claims, dir, q, found, lists) })
	if err == nil && claims.Design != nil {
		err = q.designed(ctx, v.report, claims, s)
	}
	return v, err
}

// described measures the accuracies of the release again.
func (o *Options) described(ctx context.Context, dir string, q *request, s *measure.Split) (*measure.Measured, error) {
	found := &measure.Measured{Split: s, RMS: math.NaN()}
	if q.Data == nil {
		return found, nil
	}
	var err error
	found.RMS, found.Utility, err = q.SetUtility(ctx, s, dir, o.Progress)
	return found, err
}

// origin returns where claims say that model and data came from, with what is there now.
func (q *request) origin(claims *report.Report) report.Origin {
	from := report.Origin{
		Model: report.Model{Path: claims.Model.Path, SHA256: claims.Model.SHA256}, Data: claims.Data,
		Learned: claims.Learned, Vectors: claims.Vectors,
	}
	read := q.read
	if read == nil {
		read = &measure.Model{Options: claims.Reading.OfModel()}
	}
	from.Reading = report.ReadingOf(read, claims.Reading.OfInputs("", "", 0))
	if q.Data != nil {
		from.Data = report.DataOf(q.Data, claims.Data.Path, claims.Data.Split)
		from.Data.Notes = q.notes
	}
	return from
}

// certificates computes the certificates again, and returns a line for each that differs.
func (o *Options) certificates(ctx context.Context, dir string, claims *report.Report, q *request, front *nn.Net) ([]string, error) {
	arrays := bound.Claims{Arrays: filepath.Join(dir, bound.ArraysFile), SHA256: claims.Arrays[0].SHA256}
	var source bound.Source
	if q.Data != nil {
		source = q.Data
	}
	found, err := bound.Verify(ctx, front, source, q.Experiment, arrays, o.progress("verifying"))
	if misfit := (*bound.MisfitError)(nil); errors.As(err, &misfit) {
		return nil, &MismatchError{Err: err}
	}
	var lines []string
	for _, d := range found {
		lines = append(lines, d.String())
	}
	return lines, err
}

// derived makes again what a report draws from the arrays: experiment, bounds, rank,
// resolvable directions, histograms, attacks, the bracket and the verdict, and gallery and
// pairs if the data are there.
func derived(r, claims *report.Report, dir string, q *request, found *measure.Measured, lists *measure.ListFigures) error {
	res, err := bound.Load(filepath.Join(dir, bound.ArraysFile), q.Experiment)
	if err != nil {
		return &MismatchError{Err: err}
	}
	q.Indices = res.Indices
	found.Bounds = res
	at, err := attacked(claims, dir, q.Experiment.Coordinates)
	if err != nil {
		return err
	}
	if at != nil {
		if sizes := claims.Lists.Sizes(); !slices.Equal(sizes, at.Lists) {
			return mismatch("%s: lists: the report speaks of lists of %v inputs, %s of %v", dir, sizes, measure.AttacksFile, at.Lists)
		}
		found.Learned = &measure.Learned{Attacks: at, Listed: lists}
	}
	if found.Files, err = q.keptFiles(dir, claims); err != nil {
		return err
	}
	if err := r.SetResults(&q.Request, found, claims.Vectors); err != nil {
		return &MismatchError{Err: err}
	}
	if q.Data != nil && r.Gallery == nil && claims.Gallery != nil { // an attack's pictures alone
		if err := r.SetOriginals(q.Request); err != nil {
			return err
		}
	}
	return published(r, claims, dir, res)
}

// keptFiles lists the files that the run must have kept beside the arrays, with their digests
// as they are now.
func (q *request) keptFiles(dir string, claims *report.Report) (all []measure.File, err error) {
	var names []string
	if _, ok := keptFile(claims, measure.AttacksFile); ok {
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

// attacked loads what the attacks reached, nil if none ran.
func attacked(r *report.Report, dir string, c bound.Coordinates) (*measure.Attacks, error) {
	kept, ok := keptFile(r, measure.AttacksFile)
	if !ok {
		return nil, nil
	}
	if err := unchanged(dir, kept); err != nil {
		return nil, err
	}
	claim := func(a report.Attack) measure.Claim {
		return measure.Claim{Attack: a.Name, About: a.About, Examples: a.Examples, Draws: a.Draws}
	}
	var attacks []measure.Claim
	for _, a := range r.EachAttack() {
		attacks = append(attacks, claim(a))
	}
	var prior *measure.Claim
	if len(r.PriorAlone) > 0 {
		c := claim(r.PriorAlone[0])
		prior = &c
	}
	found, err := measure.ReadAttacks(filepath.Join(dir, measure.AttacksFile), attacks, prior, c.Len())
	if err != nil {
		return nil, &MismatchError{Err: err}
	}
	return found, nil
}

// published makes again the comparison of a reproduction with the paper's figures, and its
// title.
func published(r, claims *report.Report, dir string, ours *bound.Result) error {
	name := claims.Figure
	if name == "" {
		return nil
	}
	f, known := reproduce.GetFigure(name)
	if !known {
		return mismatch("%s: figure: there is no figure %q", dir, name)
	}
	r.Figure, r.Title = name, f.Title
	if err := f.Again(r, dir, ours); err != nil {
		return &MismatchError{Err: err}
	}
	return nil
}
