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
	"tattle/measure"
	"tattle/nn"
	"tattle/report"
)

// A measurement is a request with what its report says of where things came from.
type measurement struct {
	measure.Request
	origin report.Origin
	title  string
	name   string // of the bounds, for the progress bar
	resume bool
}

// A measured is a measurement whose bounds are computed.
type measured struct {
	*measurement
	*measure.Measured
	options measure.RunOptions
	report  *report.Report // once it is concluded
}

// run bounds and attacks the release, writing arrays into dir, and reports on it.
func (m *measurement) run(ctx context.Context, e *env, dir string) (*report.Report, error) {
	done, err := m.bounded(ctx, e, dir)
	if err != nil {
		return nil, err
	}
	return done.report, done.conclude(ctx, e)
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
	done, err := m.Run(ctx, o)
	if err != nil {
		return nil, m.flagged(err)
	}
	if b := done.Bounds; b != nil && b.Damaged != "" {
		e.say("%s: %s", dir, b.Damaged)
	}
	return &measured{m, done, o, newReport(e, m.title, m.Seed)}, nil
}

// looked reports on the release without bounds, writing into dir.
func (m *measurement) looked(ctx context.Context, e *env, dir string) (*report.Report, error) {
	bars := &progress.Phases{W: e.stderr}
	defer bars.Close()
	o := measure.RunOptions{Dir: dir, Look: true, Progress: bars.Set}
	done, err := m.Run(ctx, o)
	if err != nil {
		return nil, m.flagged(err)
	}
	b := &measured{m, done, o, newReport(e, m.title, m.Seed)}
	return b.report, b.conclude(ctx, e)
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
func originOf(m *measure.Model, in measure.Inputs, set *dataset.Set, notes []string) report.Origin {
	data := report.DataOf(set, absolute(in.Path), in.Split)
	data.Notes = notes
	return report.Origin{Model: report.Model{Path: absolute(m.Path), SHA256: m.SHA256}, Data: data, Reading: report.ReadingOf(m, in)}
}

// conclude attacks the release and finishes the report.
func (b *measured) conclude(ctx context.Context, e *env) error {
	bars := &progress.Phases{W: e.stderr}
	defer bars.Close()
	b.options.Progress = bars.Set
	if err := b.Attack(ctx, b.Measured, report.GalleryPictures, b.options); err != nil {
		return err
	}
	if a := b.Adversaries; a != nil && a.Training != nil {
		b.origin.Learned = report.Arrays{File: a.TrainingPath, SHA256: a.TrainingSHA256}
	}
	b.report.SetSubject(&b.Request, b.Measured, b.origin)
	return b.report.SetResults(&b.Request, b.Measured, b.origin.Vectors)
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

// newReport starts the report of a command.
func newReport(e *env, title string, seed uint64) *report.Report {
	return report.New(title, "tattle "+file.CommandLine(e.args), seed)
}

func seconds(since time.Time) report.Number { return report.Number(time.Since(since).Seconds()) }

// timed returns a function that records how long the work since has taken.
func timed(r *report.Report, what string) func() {
	started := time.Now()
	return func() { r.Timing[what] = seconds(started) }
}
