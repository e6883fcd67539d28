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
	"tattle/reproduce"
	"tattle/run"
)

// bounds makes a report on bounds again.
func (c *verifyCmd) bounds(ctx context.Context, e *env, dir string, claims *report.Report) (*recomputed, error) {
	m, s, err := c.open(ctx, e, dir, claims)
	if err != nil {
		return nil, err
	}
	v := &recomputed{left: leftOfBounds, absent: absent{
		model: m.read == nil, data: m.Data == nil, training: m.Adversaries == nil && m.Spec.Projection == release.ProjectionPrincipal,
		modelMoved: c.Model != "", dataMoved: c.Data != "",
	}}
	found, err := c.described(ctx, e, dir, m, s)
	if err != nil {
		return nil, err
	}
	v.report = newReport(e, report.ReleaseTitle(m.Release, claims.Model.Path), claims.Seed)
	v.report.SetSubject(&m.Request, found, m.origin(claims))
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
	lists, listed, err := c.lists(ctx, e, claims, m, s)
	if err != nil {
		return v, err
	}
	v.absent.candidates = !listed
	_, err = run.Interruptible(ctx, func() (struct{}, error) { return struct{}{}, c.derived(v.report, claims, dir, m, found, lists) })
	return v, err
}

// described measures the accuracies of the release again.
func (c *verifyCmd) described(ctx context.Context, e *env, dir string, m *remeasured, s *measure.Split) (*measure.Measured, error) {
	found := &measure.Measured{Split: s, RMS: math.NaN()}
	if m.Data == nil {
		return found, nil
	}
	bars := &progress.Phases{W: e.stderr}
	defer bars.Close()
	var err error
	found.RMS, found.Utility, err = m.SetUtility(ctx, s, dir, bars.Set)
	return found, flagged(err, optionFlags)
}

// origin is where claims say that model and data came from, with what is found there now.
func (m *remeasured) origin(claims *report.Report) report.Origin {
	from := report.Origin{
		Model: report.Model{Path: claims.Model.Path, SHA256: claims.Model.SHA256}, Data: claims.Data,
		Learned: claims.Learned, Vectors: claims.Vectors,
	}
	read := m.read
	if read == nil {
		read = &measure.Model{Options: claims.Reading.ModelOptions()}
	}
	from.Reading = report.ReadingOf(read, claims.Reading.Inputs("", "", 0))
	if m.Data != nil {
		from.Data = report.DataOf(m.Data, claims.Data.Path, claims.Data.Split)
		from.Data.Notes = m.notes
	}
	return from
}

// certificates computes them again.
func (c *verifyCmd) certificates(ctx context.Context, e *env, dir string, claims *report.Report, m *remeasured, front *nn.Net) ([]string, error) {
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
func (c *verifyCmd) derived(r, claims *report.Report, dir string, m *remeasured, found *measure.Measured, lists *measure.ListFigures) error {
	res, err := bound.Load(filepath.Join(dir, arraysFile), m.Experiment)
	if err != nil {
		return finding(err, "")
	}
	m.Indices = res.Indices
	found.Bounds = res
	at, err := attacked(claims, dir, m.Experiment.Coordinates)
	if err != nil {
		return err
	}
	if at != nil {
		if sizes := claims.Lists.Sizes(); !slices.Equal(sizes, at.Lists) {
			return finding(fmt.Errorf("%s: lists: the report speaks of lists of %v inputs, %s of %v", dir, sizes, measure.AttacksFile, at.Lists), "")
		}
		found.Learned = &measure.Learned{Attacks: at, Listed: lists, Assumptions: assumptions(claims)}
	}
	if found.Files, err = m.files(dir, claims); err != nil {
		return err
	}
	if err := r.SetResults(&m.Request, found, claims.Vectors); err != nil {
		return finding(err, "")
	}
	if m.Data != nil && r.Gallery == nil && claims.Gallery != nil { // an attack's pictures alone
		if err := r.SetOriginals(m.Request); err != nil {
			return err
		}
	}
	return c.published(r, claims, dir, res)
}

// files lists the files that the run must have kept beside the arrays, with their digests
// as they are now.
func (m *remeasured) files(dir string, claims *report.Report) (all []measure.File, err error) {
	var names []string
	if _, ok := keptFile(claims, measure.AttacksFile); ok {
		names = append(names, measure.AttacksFile)
	}
	if !m.AsIs() {
		names = append(names, measure.FrontFile, measure.HeadFile)
	}
	if file, ok := m.Table(); ok {
		names = append(names, file)
	}
	for _, name := range names {
		hash, err := run.Digest(filepath.Join(dir, name))
		if err != nil {
			return nil, finding(err, "")
		}
		all = append(all, measure.File{Name: name, SHA256: hash})
	}
	return all, nil
}

// attacked loads what the attacks reached, nil where none ran.
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
	f, known := reproduce.GetFigure(name)
	if !known {
		return finding(fmt.Errorf("%s: figure: there is no figure %q", dir, name), "")
	}
	r.Figure, r.Title = name, f.Title
	if err := f.Again(r, dir, ours); err != nil {
		return finding(err, "")
	}
	return nil
}
