package cli

import (
	"context"
	"errors"
	"fmt"
	"math"
	"path/filepath"
	"strings"
	"time"

	"tattle/bound"
	"tattle/dataset"
	"tattle/internal/progress"
	"tattle/internal/simd"
	"tattle/measure"
	"tattle/nn"
	"tattle/npy"
	"tattle/release"
	"tattle/report"
	"tattle/run"
)

// A measurement is a request with what its report says of where things came from.
type measurement struct {
	measure.Request
	source
	title       string
	adversaries *adversaries // nil for neither prior nor attacks
	vectors     *report.Arrays
	resume      bool
	bar         string // what the progress bar says
}

// source says where model and data came from, and how they were read.
type source struct {
	modelPath, modelHash string
	read                 *model // how the model was read; nil for one as it is
	dataPath, split      string
	inputs               inputFlags // what of the data was read
	notes                []string   // of how the data were read
}

// measured is what a measurement came to.
type measured struct {
	report *report.Report
	result *bound.Result // nil where no bound holds
}

// bounded is a measurement whose bounds are computed.
type bounded struct {
	*measurement
	dir   string
	split *measure.Split
	files []measure.File // that the run keeps of the release
	measured
}

// run bounds and attacks the release, writing arrays into dir, and reports on it.
func (m *measurement) run(ctx context.Context, e *env, dir string) (*measured, error) {
	b, err := m.bounded(ctx, e, dir)
	if err != nil {
		return nil, err
	}
	if e.serve {
		return nil, run.ErrServed
	}
	return b.conclude(ctx, e)
}

// bounded computes the bounds, after everything that decides them. For another process's
// run it does nothing else, and returns nil.
func (m *measurement) bounded(ctx context.Context, e *env, dir string) (*bounded, error) {
	if begun(dir) && !m.resume {
		return nil, interruptedRun(dir)
	}
	if e.serve && e.skips(ctx, filepath.Join(dir, shardsDir)) {
		return nil, nil
	}
	b := &bounded{measurement: m, dir: dir}
	var err error
	if b.split, err = m.cut(ctx); err != nil {
		return nil, err
	}
	if b.files, err = m.Keep(b.split, dir); err != nil {
		return nil, m.flagged(err)
	}
	if e.serve {
		if _, err := m.SetNoise(ctx, b.split.Front, m.Data, dir, false); err != nil {
			return nil, m.flagged(err)
		}
		if ok, _ := m.Holds(m.Experiment.Noise); ok {
			_, err = b.search(ctx, e)
		}
		return nil, err
	}
	r := newReport(e, m.title, m.Seed)
	b.report = r
	if m.read != nil {
		m.read.record(r)
	}
	m.inputs.record(r)
	m.adversaries.record(r)
	stop := timed(r, "accuracy")
	if err := m.utility(ctx, e, r, b.split, dir); err != nil {
		return nil, err
	}
	stop()
	p, n := b.split.Front.Dims()
	r.Model = report.Model{Path: m.modelPath, SHA256: m.modelHash, Inputs: p, Features: n, FeatureNode: b.split.Node}
	r.Data = describe(m.Data, m.dataPath, m.source.split)
	r.Data.Examples = len(m.Indices)
	if m.read != nil {
		r.Data.Notes = m.read.notes
	}
	if r.Release.NoBounds != "" {
		return b, nil
	}
	defer timed(r, "bounds")()
	if b.result, err = b.search(ctx, e); err == nil {
		m.fill(r, b.result)
	}
	return b, err
}

// cut makes both sides of the release.
func (m *measurement) cut(ctx context.Context) (*measure.Split, error) {
	node, err := m.NodeOf(m.Graph)
	if err != nil {
		return nil, usage(fmt.Errorf("%s: %w", m.modelPath, err), "name the node whose output is released with --features")
	}
	if _, _, err := cutAt(m.Graph, node); err != nil {
		return nil, err
	}
	var train nn.Source
	if m.adversaries != nil {
		train = m.adversaries.Training
	}
	s, err := m.Split(ctx, m.Graph, train)
	if err != nil {
		if ctx.Err() == nil {
			err = usage(fmt.Errorf("%s: %w", m.Release, err), "")
		}
		return nil, err
	}
	s.LimitMemory(m.Memory)
	return s, m.flagged(m.Check(s))
}

// flagged names the flags and the files behind an option that cannot be used.
func (m *measurement) flagged(err error) error {
	var wrong *measure.OptionError
	if !errors.As(err, &wrong) {
		return err
	}
	switch wrong.Option {
	case "Data":
		return usage(fmt.Errorf("%s, %s: %w", m.modelPath, m.dataPath, err), "choose the data the model was trained on")
	case "Labels":
		return usage(fmt.Errorf("%s, %s: %w", m.modelPath, m.dataPath, err), "choose the data the model was trained on, or their labels with --labels and --target")
	case "TopK":
		return usage(fmt.Errorf("--top-k: %w", err), "")
	case "Family":
		return usage(fmt.Errorf("--noise: %w", err), "")
	}
	return usage(fmt.Errorf("--noise, --sigma, --sigma-scale: %w", err), "")
}

// interruptedRun refuses to start in the folder of an interrupted run.
func interruptedRun(dir string) error {
	return usage(fmt.Errorf("--out %s: holds an interrupted run", dir), "continue it with --resume, or choose another folder")
}

// conclude attacks the release and finishes the report.
func (b *bounded) conclude(ctx context.Context, e *env) (*measured, error) {
	m, r := b.measurement, b.report
	learned, err := b.attack(ctx, e)
	if err != nil {
		return nil, err
	}
	for _, f := range b.files {
		r.Arrays = append(r.Arrays, report.Arrays{File: f.Name, SHA256: f.SHA256})
	}
	if err := m.compareMiddle(r, b.result); err != nil {
		return nil, err
	}
	r.SetBracket(b.result, learned, m.Experiment.Coordinates)
	if err := r.SetGallery(m.Request, b.result, learned); err != nil {
		return nil, err
	}
	m.warn(r, b.result)
	return &b.measured, nil
}

// attack runs the adversaries and writes attacks.npz; nil where none are asked for.
func (b *bounded) attack(ctx context.Context, e *env) (*measure.Attacks, error) {
	m, r, a := b.measurement, b.report, b.adversaries
	if a == nil || !a.VanTrees && len(a.Attacks) == 0 {
		return nil, nil
	}
	legal, err := measure.LegalDomain(m.Data)
	if err != nil {
		return nil, err
	}
	whole, err := nn.NewNet(m.Graph)
	if err != nil {
		return nil, err
	}
	bars := &progress.Phases{W: e.stderr}
	defer bars.Close()
	do := a.Adversaries
	do.Seed, do.Progress = m.Seed, bars.Set
	found, err := do.Run(ctx, measure.Target{
		Front: b.split.Front, Model: whole, Noise: m.Experiment.Noise, Queries: m.Experiment.Queries, Post: m.Post,
		Data: m.Data, Indices: m.Indices, Coordinates: m.Experiment.Coordinates, Legal: legal,
		Seed: m.Seed, Pictures: report.GalleryPictures,
	})
	if err != nil {
		return nil, err
	}
	for part, took := range found.Timing {
		r.Timing[part] = report.Number(took.Seconds())
	}
	for _, why := range found.LeftOut {
		r.Warnings = append(r.Warnings, fmt.Sprintf("Left out: %s.", why))
	}
	if v := found.Assumed; v != nil {
		r.Bounds = append(r.Bounds, v.Summaries(m.Experiment.Coordinates, m.Experiment.Band)...)
	}
	r.AddAttacks(found.Attacks, m.Experiment.Coordinates, m.Experiment.Band)
	hash, err := found.Write(filepath.Join(b.dir, measure.AttacksFile))
	r.Arrays = append(r.Arrays, report.Arrays{File: measure.AttacksFile, SHA256: hash})
	return found.Attacks, err
}

// skips reports that a worker need not look at a stage: its pool, if it can tell, is about
// another one, and nothing that follows depends on its shards.
func (e *env) skips(ctx context.Context, dir string) bool {
	p, ok := e.pool.(announcing)
	return ok && !p.Announced(ctx, dir)
}

// announcing is a worker's pool that can tell whether a stage is yet to be done.
type announcing interface {
	Announced(ctx context.Context, dir string) bool
}

func seconds(since time.Time) report.Number { return report.Number(time.Since(since).Seconds()) }

// timed returns a function that records how long the work since has taken.
func timed(r *report.Report, what string) func() {
	started := time.Now()
	return func() { r.Timing[what] = seconds(started) }
}

// utility settles the noise and measures what it costs, reading all the data twice.
func (m *measurement) utility(ctx context.Context, e *env, r *report.Report, s *measure.Split, dir string) error {
	passes, what := 2, "measuring accuracy"
	if !m.Data.Labelled() {
		passes, what = 1, "measuring features"
	}
	bar := progress.New(e.stderr, what, passes*m.Data.Len())
	defer bar.Close()
	data := progress.Watch(m.Data, bar)
	rms, err := m.SetNoise(ctx, s.Front, data, dir, true)
	if err != nil {
		return m.flagged(err)
	}
	m.describeRelease(r, rms)
	if !m.Data.Labelled() {
		r.Utility = unknownUtility()
		return nil
	}
	u, err := m.Utility(ctx, s, data)
	if err != nil {
		return err
	}
	r.Utility = utility(u)
	return nil
}

// describeRelease describes what is released; rms is that of what the noise is added to.
func (m *measurement) describeRelease(r *report.Report, rms float64) {
	noise := m.Experiment.Noise
	r.Release.Noise = describeNoise(m.Family, noise, rms)
	describeSurface(r, m.Release)
	if ok, reason := m.Holds(noise); ok {
		r.Release.Note = reason
	} else {
		r.Release.NoBounds = reason
	}
}

// search computes the bounds.
func (b *bounded) search(ctx context.Context, e *env) (*bound.Result, error) {
	m := b.measurement
	bar := progress.New(e.stderr, m.bar, len(m.Indices))
	defer bar.Close()
	res, err := m.Bounds(ctx, b.split, bound.RunOptions{
		Dir: b.dir, Resume: m.resume && begun(b.dir), // else it was interrupted before the bounds
		Hashes:   b.hashes(),
		Progress: bar.Set,
		Pool:     e.pool, Serve: e.serve,
	})
	if err == nil && res != nil && res.Damaged != "" {
		e.say("%s: %s", b.dir, res.Damaged)
	}
	return res, err
}

// hashes are what a resumed run must share besides the experiment.
func (b *bounded) hashes() map[string]string {
	h := map[string]string{"model": b.modelHash, "data": b.Data.SHA256, "features": b.split.Node, "release": b.Release.String()}
	for _, f := range b.files {
		h[f.Name] = f.SHA256
	}
	if b.adversaries != nil {
		h["adversaries"] = b.adversaries.String()
	}
	return h
}

// fill writes the result into the report.
func (m *measurement) fill(r *report.Report, res *bound.Result) {
	r.Experiment, r.Coordinates, r.Vectors = &res.Experiment.Settings, res.Experiment.Coordinates.Name(), m.vectors
	if m.vectors != nil {
		r.Coordinates = "vectors"
	}
	r.Bounds = res.Summaries
	r.Arrays = []report.Arrays{{File: filepath.Base(res.Path), SHA256: res.SHA256}}
	if m.Data != nil {
		r.Data.Range, r.Data.Stored = rangeOf(m.Data), stored(m.Data)
	}
	r.SetFigures(res)
}

// newReport starts the report of a command.
func newReport(e *env, title string, seed uint64) *report.Report {
	return &report.Report{
		Schema:         report.Schema,
		Version:        report.ProgramVersion(),
		Title:          title,
		Command:        "tattle " + quoted(e.args),
		Seed:           seed,
		Settings:       map[string]string{"kernels": simd.Accelerated()},
		Timing:         map[string]report.Number{},
		Warnings:       []string{},
		Reconstruction: report.Reconstruction{Bounds: []bound.Summary{}},
	}
}

// describe says what the data are.
func describe(s *dataset.Set, path, split string) report.Data {
	levels := 0.
	for _, v := range s.Std {
		levels += 255 * float64(v) / float64(len(s.Std))
	}
	return report.Data{Name: s.Name, Path: path, Split: split, Shape: s.Shape, SHA256: s.SHA256, Examples: s.Len(), GreyLevels: report.Number(levels)}
}

// unknownUtility is that of examples without labels.
func unknownUtility() report.Utility {
	nan := report.Number(math.NaN())
	return report.Utility{CleanAccuracy: nan, CleanInterval: [2]float64{0, 1}, ReleasedAccuracy: nan, ReleasedInterval: [2]float64{0, 1}}
}

// utility reports accuracies.
func utility(u release.Utility) report.Utility {
	return report.Utility{
		CleanAccuracy: report.Number(u.Clean.Fraction), CleanInterval: [2]float64{u.Clean.Interval.Low, u.Clean.Interval.High},
		ReleasedAccuracy: report.Number(u.Released.Fraction), ReleasedInterval: [2]float64{u.Released.Interval.Low, u.Released.Interval.High},
		Examples: u.Examples, Draws: u.Draws,
	}
}

// compareMiddle compares floors with guessing the middle of the data's range, where
// guessing the mean of training data was not measured. It reads the inputs from the
// arrays, as verify does.
func (m *measurement) compareMiddle(r *report.Report, res *bound.Result) error {
	c := m.Experiment.Coordinates
	if len(r.PriorAlone) > 0 || res == nil || r.Data.Range == nil {
		return nil
	}
	legal, err := recordedRange(r.Data.Range, []int{c.Inputs()})
	if err != nil {
		return err
	}
	f, err := npy.Open(res.Path)
	if err != nil {
		return err
	}
	defer f.Close()
	theta, shape, err := f.Float64s("theta")
	if err != nil {
		return err
	}
	if len(shape) != 2 || shape[1] != c.Inputs() {
		return fmt.Errorf("%s: array %q has shape %v, expected [examples, %d]", res.Path, "theta", shape, c.Inputs())
	}
	r.MidRange = report.AttackRows(&measure.Attacks{}, measure.MiddleErrors(theta, legal, c), c, m.Experiment.Band)
	r.ComparePrior()
	return nil
}

// describeSurface fills in the report's account of the release, without the noise.
func describeSurface(r *report.Report, l measure.Release) {
	r.Release.Surface = l.Surface()
	r.Release.Temperature = l.Spec.Temperature
	if l.Spec.Keep > 0 {
		r.Release.Projection = &report.Projection{Kind: l.Spec.Projection, Keep: l.Spec.Keep}
	}
	if l.Post != (release.Post{}) {
		r.Release.Post = &report.Post{Digits: l.Post.Digits, TopK: l.Post.TopK, Label: l.Post.Label}
	}
	if l.Queries > 1 {
		r.Release.Queries = l.Queries
	}
}

// describeNoise describes noise of a family; rms is that of what it is added to.
func describeNoise(spec string, n release.Noise, rms float64) report.Noise {
	family, settings, _ := strings.Cut(spec, ":")
	switch family {
	case "student-t":
		_, degrees, _ := strings.Cut(n.String(), ":")
		settings = degrees + " degrees of freedom"
	case "table":
		settings = filepath.Base(settings)
	}
	return report.Noise{Family: family, Settings: settings, Spec: spec, Sigma: n.Std(), Scale: report.Number(n.Std() / rms), Estimated: !n.Certain()}
}

// recordedRelease reads back what describeSurface and describeNoise write.
func recordedRelease(r *report.Report) measure.Release {
	l := measure.Release{Sigma: r.Release.Noise.Sigma, Queries: max(1, r.Release.Queries), Family: r.Release.Noise.Spec}
	l.Spec = release.Spec{Surface: r.Release.Surface, Temperature: r.Release.Temperature, Seed: r.Seed}
	if p := r.Release.Projection; p != nil {
		l.Spec.Projection, l.Spec.Keep = p.Kind, p.Keep
	}
	if p := r.Release.Post; p != nil {
		l.Post = release.Post{Digits: p.Digits, TopK: p.TopK, Label: p.Label}
	}
	if l.Post.Label {
		l.Spec.Surface = release.SurfaceLogits
	}
	return l
}
