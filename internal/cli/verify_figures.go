package cli

import (
	"errors"
	"fmt"
	"math"
	"path/filepath"
	"strings"

	"tattle/bound"
	"tattle/nn"
	"tattle/release"
	"tattle/report"
	"tattle/run"
)

// bounds makes a report on bounds again.
func (c *verifyCmd) bounds(e *env, dir string, claims *report.Report) (*recomputed, error) {
	m, s, err := c.open(e, dir, claims)
	if err != nil {
		return nil, err
	}
	v := &recomputed{left: leftOfBounds, absent: absent{
		model: m.read == nil, data: m.data == nil, training: m.rungs == nil && m.spec.Projection == release.ProjectionPrincipal,
		modelMoved: c.Model != "", dataMoved: c.Data != "",
	}}
	if v.report, err = c.described(e, dir, claims, m, s); err != nil {
		return nil, err
	}
	if v.found, err = c.certificates(e, dir, claims, m, s.front); err != nil || len(v.found) > 0 {
		return v, err
	}
	v.verified = fmt.Sprintf("every bound of %s follows from its witness, and every figure of the report from the bounds", report.Count(claims.Data.Examples, "example"))
	_, err = interruptible(e.ctx, func() (struct{}, error) { return struct{}{}, c.derived(v.report, claims, dir, m) })
	return v, err
}

// described makes again what a report says of model, data, release and experiment, with
// the accuracies.
func (c *verifyCmd) described(e *env, dir string, claims *report.Report, m *measurement, s *sides) (*report.Report, error) {
	r := newReport(e, m.released.title(claims.Model.Path), claims.Seed)
	read := m.read
	if read == nil {
		read = &model{readFlags: recordedFlags(claims)}
	}
	read.record(r)
	recordedInputs(claims).record(r)
	r.Learned = claims.Learned
	p, n := s.front.Dims()
	r.Model = report.Model{Path: claims.Model.Path, SHA256: claims.Model.SHA256, Inputs: p, Features: n, FeatureNode: s.node}
	r.Data = claims.Data
	if m.data == nil {
		m.describeRelease(r, math.NaN())
		return r, nil
	}
	r.Data = describe(m.data, claims.Data.Path, claims.Data.Split)
	r.Data.Notes = m.notes
	if err := m.measure(e, r, s, dir); err != nil {
		return nil, err
	}
	return r, nil
}

// certificates computes them again.
func (c *verifyCmd) certificates(e *env, dir string, claims *report.Report, m *measurement, front *nn.Net) ([]string, error) {
	bar := newMeter(e.stderr, "verifying", int64(claims.Data.Examples), false)
	defer bar.close()
	arrays := bound.Claims{Arrays: filepath.Join(dir, arraysFile), SHA256: claims.Arrays[0].SHA256}
	var source bound.Source
	if m.data != nil {
		source = m.data
	}
	found, err := bound.Verify(e.ctx, front, source, m.experiment, arrays, func(done, total int) { bar.set(int64(done), int64(total)) })
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
	res, err := bound.Load(filepath.Join(dir, arraysFile), m.experiment)
	if err != nil {
		return finding(err, "")
	}
	res.Reason, m.indices = claims.Experiment.Reason, res.Indices
	m.vectors = claims.Experiment.Vectors
	r.Data.Examples = len(res.Indices)
	m.fill(r, res)
	at, err := attacked(claims, dir, m)
	if err != nil {
		return err
	}
	if at != nil {
		r.Bounds = append(r.Bounds, at.assumed(claims, m.experiment.Coordinates, m.experiment.Band)...)
		at.record(r, m.experiment.Coordinates, m.experiment.Band)
	}
	if r.Arrays, err = m.files(dir, claims); err != nil {
		return err
	}
	if err := m.compareMiddle(r, res); err != nil {
		return finding(err, "")
	}
	r.Bracket = bracket(r, res, at, m.experiment.Coordinates)
	if m.data != nil {
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
	if _, ok := keptFile(claims, attacksFile); ok {
		names = append(names, attacksFile)
	}
	if !m.bare() {
		names = append(names, releaseFile, headFile)
	}
	if file, ok := strings.CutPrefix(m.family, tablePrefix); ok {
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
	if err := m.show(r, res, nil); err != nil || r.Gallery != nil || claims.Gallery == nil || len(m.data.Shape) != 3 {
		return err
	}
	for i := range min(galleryPictures, len(m.indices)) { // an attack's pictures alone
		if err := r.Add(m.original(i), nil, nil, nil); err != nil {
			return err
		}
	}
	return nil
}

// attacked loads what the attacks reached, nil where none ran.
func attacked(r *report.Report, dir string, m *measurement) (*ceilings, error) {
	kept, ok := keptFile(r, attacksFile)
	if !ok {
		return nil, nil
	}
	if err := unchanged(dir, kept); err != nil {
		return nil, err
	}
	c, err := loadCeilings(filepath.Join(dir, attacksFile), r, m.experiment.Coordinates.Len())
	if err != nil {
		return nil, finding(err, "")
	}
	return c, nil
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
