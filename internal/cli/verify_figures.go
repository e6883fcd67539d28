package cli

import (
	"context"
	"errors"
	"fmt"
	"math"
	"path/filepath"
	"slices"

	"tattle/bound"
	"tattle/internal/progress"
	"tattle/measure"
	"tattle/nn"
	"tattle/release"
	"tattle/report"
	"tattle/run"
)

// bounds makes a report on bounds again.
func (c *verifyCmd) bounds(ctx context.Context, e *env, dir string, claims *report.Report) (*recomputed, error) {
	m, s, err := c.open(ctx, e, dir, claims)
	if err != nil {
		return nil, err
	}
	v := &recomputed{left: leftOfBounds, absent: absent{
		model: m.read == nil, data: m.Data == nil, training: m.adversaries == nil && m.Spec.Projection == release.ProjectionPrincipal,
		modelMoved: c.Model != "", dataMoved: c.Data != "",
	}}
	if v.report, err = c.described(ctx, e, dir, claims, m, s); err != nil {
		return nil, err
	}
	if v.found, err = c.certificates(ctx, e, dir, claims, m, s.Front); err != nil || len(v.found) > 0 {
		return v, err
	}
	again := ""
	if c.Independent {
		var compared int
		if compared, v.found, err = c.independently(ctx, e, dir, claims, m.Experiment, s.Front); err != nil || len(v.found) > 0 {
			return v, err
		}
		again = fmt.Sprintf(" (%s also by the independent check)", report.Count(compared, "bound"))
	}
	v.verified = fmt.Sprintf("every bound of %s follows from its witness%s, and every figure of the report from the bounds", report.Count(claims.Data.Examples, "example"), again)
	_, err = interruptible(ctx, func() (struct{}, error) { return struct{}{}, c.derived(v.report, claims, dir, m) })
	return v, err
}

// described makes again what a report says of model, data, release and experiment, with
// the accuracies.
func (c *verifyCmd) described(ctx context.Context, e *env, dir string, claims *report.Report, m *measurement, s *measure.Split) (*report.Report, error) {
	r := newReport(e, releaseTitle(m.Release, claims.Model.Path), claims.Seed)
	read := m.read
	if read == nil {
		read = &model{readFlags: recordedFlags(claims)}
	}
	read.record(r)
	recordedInputs(claims).record(r)
	r.Learned = claims.Learned
	p, n := s.Front.Dims()
	r.Model = report.Model{Path: claims.Model.Path, SHA256: claims.Model.SHA256, Inputs: p, Features: n, FeatureNode: s.Node}
	r.Data = claims.Data
	if m.Data == nil {
		m.describeRelease(r, math.NaN())
		return r, nil
	}
	r.Data = describe(m.Data, claims.Data.Path, claims.Data.Split)
	r.Data.Notes = m.notes
	if err := m.utility(ctx, e, r, s, dir); err != nil {
		return nil, err
	}
	return r, nil
}

// certificates computes them again.
func (c *verifyCmd) certificates(ctx context.Context, e *env, dir string, claims *report.Report, m *measurement, front *nn.Net) ([]string, error) {
	bar := progress.New(e.stderr, "verifying", claims.Data.Examples)
	defer bar.Close()
	arrays := bound.Claims{Arrays: filepath.Join(dir, arraysFile), SHA256: claims.Arrays[0].SHA256}
	var source bound.Source
	if m.Data != nil {
		source = m.Data
	}
	found, err := bound.Verify(ctx, front, source, m.Experiment, arrays, bar.Set)
	if misfit := (*bound.MisfitError)(nil); errors.As(err, &misfit) {
		return nil, finding(err, "")
	}
	var lines []string
	for _, d := range found {
		lines = append(lines, d.String())
	}
	return lines, err
}

// derived makes again what a report draws from the arrays: experiment, bounds, rank,
// resolvable directions, histograms, attacks, the bracket, the verdict; gallery and pairs
// where the data are there.
func (c *verifyCmd) derived(r, claims *report.Report, dir string, m *measurement) error {
	res, err := bound.Load(filepath.Join(dir, arraysFile), m.Experiment)
	if err != nil {
		return finding(err, "")
	}
	m.Indices, m.vectors = res.Indices, claims.Vectors
	r.Data.Examples = len(res.Indices)
	m.fill(r, res)
	at, err := attacked(claims, dir, m)
	if err != nil {
		return err
	}
	if at != nil {
		r.Bounds = append(r.Bounds, at.VanTreesRows(m.Experiment.Coordinates, m.Experiment.Band, assumptions(claims))...)
		r.AddAttacks(at, m.Experiment.Coordinates, m.Experiment.Band)
	}
	if r.Arrays, err = m.files(dir, claims); err != nil {
		return err
	}
	if err := m.compareMiddle(r, res); err != nil {
		return finding(err, "")
	}
	r.SetBracket(res, at, m.Experiment.Coordinates)
	if m.Data != nil {
		if err := m.showAgain(r, claims, res); err != nil {
			return err
		}
	}
	m.warn(r, res)
	return c.published(r, claims, dir, res)
}

// files lists the files that the run must have kept, with their digests as they are now.
func (m *measurement) files(dir string, claims *report.Report) ([]report.Arrays, error) {
	names := []string{arraysFile}
	if _, ok := keptFile(claims, measure.AttacksFile); ok {
		names = append(names, measure.AttacksFile)
	}
	if !m.AsIs() {
		names = append(names, measure.FrontFile, measure.HeadFile)
	}
	if file, ok := m.Table(); ok {
		names = append(names, file)
	}
	var all []report.Arrays
	for _, name := range names {
		hash, err := run.Digest(filepath.Join(dir, name))
		if err != nil {
			return nil, finding(err, "")
		}
		all = append(all, report.Arrays{File: name, SHA256: hash})
	}
	return all, nil
}

// showAgain fills the gallery and the pairs but for what attacks made.
func (m *measurement) showAgain(r, claims *report.Report, res *bound.Result) error {
	if err := r.SetGallery(m.Request, res, nil); err != nil || r.Gallery != nil || claims.Gallery == nil {
		return err
	}
	return r.SetOriginals(m.Request) // an attack's pictures alone
}

// attacked loads what the attacks reached, nil where none ran.
func attacked(r *report.Report, dir string, m *measurement) (*measure.Attacks, error) {
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
	found, err := measure.ReadAttacks(filepath.Join(dir, measure.AttacksFile), attacks, prior, m.Experiment.Coordinates.Len())
	if err != nil {
		return nil, finding(err, "")
	}
	return found, nil
}

// assumptions are the report's notes on the van Trees bound.
func assumptions(r *report.Report) []bound.Note {
	if i := slices.IndexFunc(r.Bounds, func(b bound.Summary) bool { return b.Status == bound.StatusAssumed }); i >= 0 {
		return r.Bounds[i].Notes
	}
	return nil
}

// published makes again what a reproduction sets beside the paper's figures, and its title.
func (c *verifyCmd) published(r, claims *report.Report, dir string, ours *bound.Result) error {
	name := claims.Figure
	if name == "" {
		return nil
	}
	f, known := figuresOfA[name]
	if !known {
		return finding(fmt.Errorf("%s: figure: there is no figure %q", dir, name), "")
	}
	r.Figure, r.Title = name, f.title
	if len(f.peaks()) == 0 {
		all, err := furtherAgain(dir, f, ours)
		compareFigure(r, f, all)
		return err
	}
	if name == ladderName {
		r.Title = ladderTitle
		return ladderAgain(r, dir, ours)
	}
	compareAccuracy(r, f)
	if name != "figure1" {
		return nil
	}
	var theirs *bound.Result
	if sub := filepath.Join(dir, publishedDir); exists(filepath.Join(sub, reportJSON)) {
		var err error
		if theirs, err = bound.Load(filepath.Join(sub, arraysFile), alone(ours.Experiment)); err != nil {
			return err
		}
		if len(theirs.Indices) > len(ours.Indices) {
			return finding(fmt.Errorf("%s: more examples than the run beside it", sub), "")
		}
	}
	if len(ours.Sizes) != len(publishedPeaks) {
		return finding(fmt.Errorf("%s: %d sizes, where %s has %d", dir, len(ours.Sizes), name, len(publishedPeaks)), "")
	}
	comparePeaks(r, ours, theirs)
	return nil
}
