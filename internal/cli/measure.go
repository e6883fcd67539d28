package cli

import (
	"cmp"
	"context"
	"fmt"

	"tattle/internal/data/dataset"
	"tattle/internal/engine/nn"
	"tattle/internal/file"
	"tattle/internal/protect/measure"
	"tattle/internal/protect/release"
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

// looked reports on the release without bounds, writing into dir. It returns the limits from lists, too.
func (m *measurement) looked(ctx context.Context, e *env, dir string) (*report.Report, *measure.ListFigures, error) {
	o := measure.RunOptions{Dir: dir, Files: e.files, Progress: e.bars.Set}
	done, err := m.Begin(ctx, o)
	if err != nil {
		return nil, nil, err
	}
	r, err := (&measured{m, done, o}).conclude(ctx, e)
	if err != nil {
		return nil, nil, err
	}
	return r, done.Learned.Listed, nil
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
		Model: modelRead(m), Data: measure.DataOf(set, absolute(in.Path), in.Part),
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

// leastFit is measure.LeastFit. Tests of nets that were never trained raise it.
var leastFit = measure.LeastFit

// fitWords says how often a model is right, in comparison with the commonest class.
func fitWords(f *measure.Fit) string {
	share := func(n int) float64 { return 100 * float64(n) / float64(f.Examples) }
	class := "the commonest class"
	if f.Class != "" {
		class += fmt.Sprintf(" (%s)", f.Class)
	}
	return fmt.Sprintf("the model is right for %.1f %% of %d examples, and the guess of %s for %.1f %%", share(f.Right), f.Examples, class, share(f.Commonest))
}

// fitHint says which preprocessing makes the model right.
func fitHint(f *measure.Fit) string {
	switch {
	case f.Better == nil && f.Tried == 0:
		return "check --preprocess, --labels and --target"
	case f.Better == nil:
		return "check --preprocess, --labels and --target; none of the usual ways to scale the inputs makes the model better"
	}
	return fmt.Sprintf("with %s it is right for %.1f %%: --preprocess '%s'", f.Better.What, 100*float64(f.Better.Right)/float64(f.Examples), f.Better.Preprocess)
}

// fitOf compares the model with the guess of the commonest class; nil if there are too few examples.
func fitOf(ctx context.Context, m *measure.Model, in measure.Inputs, set *dataset.Set) (*measure.Fit, error) {
	if set.Len() < leastFit {
		return nil, nil
	}
	return m.Fits(ctx, in, set)
}

// useOf returns the use of outputs that are taken for vectors: those that answer the classes no better than a guess, and are of another
// number. The outputs of other models get the answer of sayFit.
func (e *env) useOf(ctx context.Context, m *measure.Model, in measure.Inputs, set *dataset.Set, needed bool) (*release.Use, error) {
	f, err := fitOf(ctx, m, in, set)
	if err != nil || f == nil {
		return nil, err
	}
	shapes, err := m.Graph.Shapes()
	if err != nil {
		return nil, err
	}
	if width := nn.Size(shapes[m.Graph.Output]); width > 1 && width != len(set.YNames) && f.Guesses() && f.Better == nil {
		e.say("warning: %s: the %d outputs are taken for vectors, not for scores of the %d classes (--utility %s); else %s", fitWords(f), width, len(set.YNames), release.DefaultUse, fitHint(f))
		return useFlags{Metric: release.MetricCosine, NoiseAt: release.NoiseQuery}.use(true)
	}
	return nil, e.sayFit(f, needed)
}

// sayFit says where the model is hardly better than the guess of the commonest class. If needed, a model that is not better is an error.
// So is a scaling that nobody gave, if another makes the model clearly better.
func (e *env) sayFit(f *measure.Fit, needed bool) error {
	hint := fitHint(f)
	switch {
	case f.Better != nil && f.Assumed != "":
		return usage(fmt.Errorf("--preprocess is not given, and the inputs are taken to be %s; %s, and clearly more often if they are scaled otherwise", f.Assumed, fitWords(f)), hint)
	case f.Guesses() && needed:
		return usage(fmt.Errorf("--preprocess: %s: the inputs are probably not scaled as the model needs them", fitWords(f)), hint)
	case f.Guesses() || f.Better != nil:
		e.say("warning: %s: the inputs are probably not scaled as the model needs them; %s", fitWords(f), hint)
	}
	return nil
}
