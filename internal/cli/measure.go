package cli

import (
	"context"
	"errors"
	"fmt"
	"time"
	"unicode"

	"tattle/dataset"
	"tattle/internal/file"
	"tattle/internal/progress"
	"tattle/internal/report"
	"tattle/measure"
	"tattle/nn"
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
	if begun(dir) && !m.resume {
		return nil, interruptedRun(dir)
	}
	if _, err := releasedPart(m.Release, m.Graph, m.origin.Model.Path); err != nil {
		return nil, err
	}
	bars := &progress.Phases{W: e.stderr}
	defer bars.Close()
	o := measure.RunOptions{
		Dir: dir, Resume: m.resume && begun(dir), // else it was interrupted before the bounds
		Hashes: map[string]string{"model": m.origin.Model.SHA256, "data": m.Data.SHA256},
		Pool:   e.pool, Name: m.name, Progress: bars.Set,
	}
	done, err := m.Begin(ctx, o)
	if err == nil {
		err = m.Bound(ctx, done, o)
	}
	if err != nil {
		return nil, m.flagged(err)
	}
	if b := done.Bounds; b != nil && b.Damaged != "" {
		e.say("%s: %s", dir, b.Damaged)
	}
	return &measured{m, done, o}, nil
}

// looked reports on the release without bounds, writing into dir.
func (m *measurement) looked(ctx context.Context, e *env, dir string) (*report.Report, error) {
	bars := &progress.Phases{W: e.stderr}
	defer bars.Close()
	o := measure.RunOptions{Dir: dir, Progress: bars.Set}
	done, err := m.Begin(ctx, o)
	if err != nil {
		return nil, m.flagged(err)
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
		Model: report.Model{Path: absolute(m.Path), SHA256: m.SHA256}, Data: measure.DataOf(set, absolute(in.Path), in.Split),
		Notes: notes, Reading: measure.ReadingOf(m, in),
	}
}

// conclude attacks the release and makes the report.
func (b *measured) conclude(ctx context.Context, e *env) (*report.Report, error) {
	bars := &progress.Phases{W: e.stderr}
	defer bars.Close()
	b.options.Progress = bars.Set
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
	r.Title, r.Command = measure.ReleaseTitle(b.Release, b.origin.Model.Path), e.command()
	return r, nil
}

// flagged names the flags and the files behind an option that cannot be used.
func (m *measurement) flagged(err error) error {
	var wrong *measure.OptionError
	if !errors.As(err, &wrong) {
		return err
	}
	from := m.origin.Model.Path + ", " + m.origin.Data.Path
	switch wrong.Option {
	case "Data":
		return usage(fmt.Errorf("%s: %w", from, err), "choose the data the model was trained on")
	case "Labels":
		return usage(fmt.Errorf("%s: %w", from, err), "choose the data the model was trained on, or their labels with --labels and --target")
	case "Release":
		return usage(fmt.Errorf("%s: %w", m.Release, err), "")
	}
	return flagged(err, optionFlags)
}

// optionFlags are the flags behind the options of package measure.
var optionFlags = map[string]string{
	"InputShape": "--input-shape", "Preprocess": "--preprocess", "TrainingData": "--training-data", "Candidates": "--candidates", "Coordinates": "--coordinates",
	"TopK": "--top-k", "Family": "--noise", "Sigma": "--noise, --sigma, --sigma-scale, --delta, --clip",
}

// flagged names the flags behind an option that cannot be used, which is wrong usage, or
// behind an input that cannot be read. Options that flags does not list have the flag of
// their name: that of ReferenceTarget is --reference-target.
func flagged(err error, flags map[string]string) error {
	named := func(option string) error {
		flag, ok := flags[option]
		if !ok {
			flag = flagOf(option)
		}
		return fmt.Errorf("%s: %w", flag, unprefixed(err))
	}
	var wrong *measure.OptionError
	var unread *measure.InputError
	switch {
	case errors.As(err, &wrong) && wrong.Option == "":
		return usage(unprefixed(err), wrong.Hint)
	case errors.As(err, &wrong):
		return usage(named(wrong.Option), wrong.Hint)
	case errors.As(err, &unread):
		return hinted(named(unread.Option), unread.Hint)
	}
	return err
}

// flagOf returns the flag of the option of that name.
func flagOf(option string) string {
	flag := "-"
	for _, c := range option {
		if unicode.IsUpper(c) {
			flag += "-"
		}
		flag += string(unicode.ToLower(c))
	}
	return flag
}

// interruptedRun refuses to start in the folder of an interrupted run.
func interruptedRun(dir string) error {
	return usage(fmt.Errorf("--out %s: holds an interrupted run", dir), "continue it with --resume, or choose another folder")
}

// command is the command line, as a report has it.
func (e *env) command() string { return "tattle " + file.CommandLine(e.args) }

// newReport starts the report of a command.
func newReport(e *env, title string, seed uint64) *report.Report {
	return report.New(title, e.command(), seed)
}

func seconds(since time.Time) float64 { return time.Since(since).Seconds() }
