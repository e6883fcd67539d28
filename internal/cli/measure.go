package cli

import (
	"cmp"
	"context"
	"fmt"

	"tattle/internal/data/dataset"
	"tattle/internal/engine/nn"
	"tattle/internal/file"
	"tattle/internal/protect/measure"
	"tattle/internal/report"
)

// A measurement is a request with what its report says of where things came from.
type measurement struct {
	measure.Request
	origin measure.Origin
	name   string // of the bounds, for the progress bar
	resume bool
}

// A measured is a measurement whose bounds are computed.
type measured struct {
	*measurement
	*measure.Measured
	options measure.RunOptions
}

// run bounds and attacks the release, writing arrays into dir, and reports on it.
func (m *measurement) run(ctx context.Context, e *env, dir string) (*report.Report, error) {
	done, err := m.bounded(ctx, e, dir)
	if err != nil {
		return nil, err
	}
	return done.conclude(ctx, e)
}

// bounded computes the bounds, after everything that decides them.
func (m *measurement) bounded(ctx context.Context, e *env, dir string) (*measured, error) {
	if _, err := releasedPart(m.Release, m.Graph, m.origin.Model.Path); err != nil {
		return nil, err
	}
	o := measure.RunOptions{
		Dir: dir, Files: e.files, Resume: m.resume, Hashes: map[string]string{"model": m.origin.Model.SHA256, "data": m.Data.SHA256},
		Pool: e.pool, Name: m.name, Progress: e.bars.Set,
	}
	done, err := m.Begin(ctx, o)
	if err == nil {
		err = m.Bound(ctx, done, o)
	}
	if err != nil {
		return nil, err
	}
	if b := done.Bounds; b != nil && b.Damaged != "" {
		e.say("%s: %s", dir, b.Damaged)
	}
	return &measured{m, done, o}, nil
}

// looked reports on the release without bounds, writing into dir.
func (m *measurement) looked(ctx context.Context, e *env, dir string) (*report.Report, error) {
	o := measure.RunOptions{Dir: dir, Files: e.files, Progress: e.bars.Set}
	done, err := m.Begin(ctx, o)
	if err != nil {
		return nil, err
	}
	return (&measured{m, done, o}).conclude(ctx, e)
}

// releasedPart returns the part of a model up to what is released.
func releasedPart(leaves measure.Release, g *nn.Graph, path string) (*nn.Graph, error) {
	node, err := leaves.NodeOf(g)
	if err != nil {
		return nil, usage(fmt.Errorf("%s: %w", file.Name(path), err), "name the node whose output is released with --features")
	}
	front, _, err := cutAt(g, node)
	return front, err
}

// originOf says where a model and its inputs came from. The notes are on how the inputs were
// read.
func originOf(m *measure.Model, in measure.Inputs, set *dataset.Set, notes []string) measure.Origin {
	return measure.Origin{
		Model: modelRead(m), Data: measure.DataOf(set, absolute(in.Path), in.Split),
		Notes: notes, Reading: measure.ReadingOf(m, in),
	}
}

// modelRead describes a model, empty for vectors without one.
func modelRead(m *measure.Model) report.Model {
	if m.Vectors() {
		return report.Model{}
	}
	return report.Model{Path: absolute(m.Path), SHA256: m.SHA256}
}

// conclude attacks the release and makes the report.
func (b *measured) conclude(ctx context.Context, e *env) (*report.Report, error) {
	if err := b.Attack(ctx, b.Measured, measure.ShownPictures, b.options); err != nil {
		return nil, err
	}
	if a := b.Adversaries; a != nil && a.Training != nil {
		b.origin.Learned = report.File{Name: a.TrainingPath, SHA256: a.TrainingSHA256}
	}
	r, err := b.Report(b.Measured, b.origin)
	if err != nil {
		return nil, err
	}
	r.Title, r.Command = measure.ReleaseTitle(b.Release, cmp.Or(b.origin.Model.Path, b.origin.Data.Path)), e.command()
	return r, nil
}

// command is the command line, as a report has it.
func (e *env) command() string { return "tattle " + file.CommandLine(e.args) }

// newReport starts the report of a command.
func newReport(e *env, title string, seed uint64) *report.Report {
	return report.New(title, e.command(), seed)
}
