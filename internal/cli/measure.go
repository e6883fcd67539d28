package cli

import (
	"context"
	"fmt"
	"math"
	"path/filepath"
	"time"

	"tattle/bound"
	"tattle/dataset"
	"tattle/internal/simd"
	"tattle/nn"
	"tattle/release"
	"tattle/report"
	"tattle/run"
)

const (
	lowBand      = 8  // A's Figures 1 and 3
	lowBandLarge = 32 // A's Figures 5 and 6, for inputs of 64 pixels and more
)

// A measurement is one model, one data set and one release, to be bounded.
type measurement struct {
	title     string
	modelPath string
	modelHash string
	graph     *nn.Graph
	released
	read       *model   // how the model was read; nil for one as it is
	notes      []string // of how the data were read
	data       *dataset.Set
	inputs     inputFlags // what of the data was read
	memory     int64      // in bytes; zero for the default
	dataPath   string
	split      string
	indices    []int
	draws      int // of the noise for each example's accuracy
	vectors    *report.Arrays
	experiment bound.Experiment
	rungs      *rungs // nil for neither prior nor attacks
	seed       uint64
	resume     bool
	bar        string // what the progress bar says
}

// measured is what a measurement came to.
type measured struct {
	report   *report.Report
	result   *bound.Result
	ceilings *ceilings // nil where nothing was learned or attacked
}

// run bounds and attacks the release, writing arrays into dir, and reports on it.
func (m *measurement) run(e *env, dir string) (*measured, error) {
	b, err := m.bounded(e, dir)
	if err != nil {
		return nil, err
	}
	if e.serve {
		return nil, run.ErrServed
	}
	return b.conclude(e)
}

// bounded is a measurement whose bounds are computed.
type bounded struct {
	*measurement
	dir    string
	sides  *sides
	report *report.Report
	result *bound.Result // nil where no bound holds
}

// bounded computes the bounds, after all that decides them. For somebody else's run it
// does no more, and returns nil once others may have their turn.
func (m *measurement) bounded(e *env, dir string) (*bounded, error) {
	if begun(dir) && !m.resume {
		return nil, interruptedRun(dir)
	}
	if e.serve && e.skips(filepath.Join(dir, shardsDir)) {
		return nil, nil
	}
	s, err := m.build(e, dir)
	if err != nil {
		return nil, err
	}
	m.experiment.Memory = m.memory
	if e.serve {
		return nil, m.serve(e, s, dir)
	}
	r := newReport(e, m.title, m.seed)
	if m.read != nil {
		m.read.record(r)
	}
	m.inputs.record(r)
	m.rungs.record(r)
	stop := timed(r, "accuracy")
	if err := m.measure(e, r, s, dir); err != nil {
		return nil, err
	}
	stop()
	p, n := s.front.Dims()
	r.Model = report.Model{Path: m.modelPath, SHA256: m.modelHash, Inputs: p, Features: n, FeatureNode: s.node}
	r.Data = describe(m.data, m.dataPath, m.split)
	r.Data.Examples = len(m.indices)
	if m.read != nil {
		r.Data.Notes = m.read.notes
	}
	res, err := m.bounds(e, r, s, dir)
	if err != nil {
		return nil, err
	}
	return &bounded{m, dir, s, r, res}, nil
}

// interruptedRun refuses to begin where something was begun.
func interruptedRun(dir string) error {
	return usage(fmt.Errorf("--out %s: holds an interrupted run", dir), "go on with it by --resume, or choose another folder")
}

// conclude attacks the release and reports on it.
func (b *bounded) conclude(e *env) (*measured, error) {
	m, r, res := b.measurement, b.report, b.result
	c, err := m.adversaries(e, r, b.sides, b.dir)
	if err != nil {
		return nil, err
	}
	r.Arrays = append(r.Arrays, b.sides.files...)
	if err := m.compareMiddle(r, res); err != nil {
		return nil, err
	}
	r.Bracket = bracket(r, res, c, m.experiment.Coordinates)
	if err := m.show(r, res, c); err != nil {
		return nil, err
	}
	m.warn(r, res)
	return &measured{r, res, c}, nil
}

// serve computes bounds for somebody else's run: of the noise it settles what decides
// them.
func (m *measurement) serve(e *env, s *sides, dir string) error {
	if m.sigma == 0 {
		rms, err := m.rms(e.ctx, s.front, m.data)
		if err != nil {
			return err
		}
		m.sigma = m.scale * rms
	}
	if err := m.settle(s.front, dir); err != nil {
		return err
	}
	if ok, _ := m.holds(m.experiment.Noise); !ok {
		return nil
	}
	_, err := m.search(e, s, dir)
	return err
}

// skips says that a worker need not look at a stage: its pool, if it can tell, is about
// another one, and nothing that follows depends on its shards.
func (e *env) skips(dir string) bool {
	p, ok := e.pool.(announcing)
	return ok && !p.Announced(e.ctx, dir)
}

// announcing is a worker's pool that can tell whether a stage is yet to be done.
type announcing interface {
	Announced(ctx context.Context, dir string) bool
}

// bounds computes them, nil where none holds, and reports on them.
func (m *measurement) bounds(e *env, r *report.Report, s *sides, dir string) (*bound.Result, error) {
	if r.Release.NoBounds != "" {
		return nil, nil
	}
	defer timed(r, "bounds")()
	res, err := m.search(e, s, dir)
	if err == nil {
		m.fill(r, res)
	}
	return res, err
}

func seconds(since time.Time) report.Number { return report.Number(time.Since(since).Seconds()) }

// timed returns what notes how long the work since has taken.
func timed(r *report.Report, what string) func() {
	started := time.Now()
	return func() { r.Timing[what] = seconds(started) }
}

// measure settles the noise and what it costs, reading all the data twice.
func (m *measurement) measure(e *env, r *report.Report, s *sides, dir string) error {
	passes, what := int64(2), "measuring accuracy"
	if !m.data.Labelled() {
		passes, what = 1, "measuring features"
	}
	bar := newMeter(e.stderr, what, passes*int64(m.data.Len()), false)
	defer bar.close()
	data := watch(m.data, bar)
	if err := m.strength(e.ctx, r, s.front, data, dir); err != nil {
		return err
	}
	if !m.data.Labelled() {
		r.Utility = unknownUtility()
		return nil
	}
	f := release.Features{Front: s.front, Head: s.head, Dither: m.experiment.Noise, Post: m.post}
	u, err := f.Utility(e.ctx, data, release.UtilityOptions{Draws: m.draws, Seed: m.seed})
	if err != nil {
		return err
	}
	if s.whole != nil { // what a projection loses is part of the price
		clean, err := release.CleanUtility(e.ctx, s.whole, m.data)
		if err != nil {
			return err
		}
		u.Clean = clean.Clean
	}
	r.Utility = utility(u)
	return nil
}

// strength settles σ, from the RMS of all features over the data where it is not
// given (A section 3), and says what is released.
func (m *measurement) strength(ctx context.Context, r *report.Report, front *nn.Net, data nn.Source, dir string) error {
	rms, err := m.rms(ctx, front, data)
	if err != nil {
		return err
	}
	if m.sigma == 0 {
		m.sigma = m.scale * rms
	}
	if err := m.settle(front, dir); err != nil {
		return err
	}
	m.describeRelease(r, rms)
	return nil
}

// describeRelease says what is released; rms is that of what the noise is added to.
func (m *measurement) describeRelease(r *report.Report, rms float64) {
	noise := m.experiment.Noise
	r.Release.Noise = m.describeNoise(noise, rms)
	m.describe(r)
	if ok, said := m.holds(noise); ok {
		r.Release.Note = said
	} else {
		r.Release.NoBounds = said
	}
}

func (m *measurement) rms(ctx context.Context, front *nn.Net, data nn.Source) (float64, error) {
	return release.FeatureRMS(ctx, front, data)
}

// settle makes the noise, of whose strength all is known.
func (m *measurement) settle(front *nn.Net, dir string) error {
	_, n := front.Dims()
	noise, err := m.dither(m.sigma, n, dir)
	if err != nil {
		return usage(fmt.Errorf("--noise, --sigma, --sigma-scale: %w", err), "")
	}
	m.experiment.Noise, m.experiment.Queries = noise, m.queries
	return nil
}

// search runs the experiment.
func (m *measurement) search(e *env, s *sides, dir string) (*bound.Result, error) {
	bar := newMeter(e.stderr, m.bar, int64(len(m.indices)), false)
	defer bar.close()
	res, err := bound.Run(e.ctx, s.front, m.data, m.indices, m.experiment, bound.RunOptions{
		Dir: dir, Resume: m.resume && begun(dir), // else the interruption came before
		Hashes:   m.hashes(s),
		Progress: func(done, total int) { bar.set(int64(done), int64(total)) },
		Pool:     e.pool, Serve: e.serve,
	})
	if err == nil && res != nil && res.Damaged != "" {
		e.say("%s: %s", dir, res.Damaged)
	}
	return res, err
}

// hashes are what a resumed run must share besides the experiment.
func (m *measurement) hashes(s *sides) map[string]string {
	h := map[string]string{"model": m.modelHash, "data": m.data.SHA256, "features": s.node, "release": m.released.String()}
	for _, f := range s.files {
		h[f.File] = f.SHA256
	}
	if m.rungs != nil {
		h["adversaries"] = m.rungs.String()
	}
	return h
}

// fill writes the result into the report.
func (m *measurement) fill(r *report.Report, res *bound.Result) {
	e := res.Experiment
	r.Experiment = &report.Experiment{
		Sizes: e.Sizes, Coordinates: e.Coordinates.Name(), Vectors: m.vectors, Band: e.Band, Domain: e.Domain.String(),
		Search: e.Search.Search, Reason: res.Reason, Iteration: e.Search.Iteration, Relinearize: e.Search.Relinearize,
		Restarts: e.Search.Restarts, Repeats: e.Search.Repeats, CramerRao: !e.SkipCramerRao,
		Rounding: e.Rounding, Probes: e.Spectrum.Probes, ProbeSteps: e.Spectrum.Steps,
		Runtime:  &e.Runtime,
		Barankin: e.Barankin.Witnesses, Far: e.Far.Starts, Twins: e.Twins.Examples,
	}
	if e.Far.Starts > 0 {
		r.Experiment.FarDomain = e.Far.Domain.String()
	} else if e.Twins.Examples > 0 {
		r.Experiment.FarDomain = e.Twins.Domain.String()
	}
	if m.vectors != nil {
		r.Experiment.Coordinates = "vectors"
	}
	r.Bounds = res.Summaries
	r.Arrays = []report.Arrays{{File: filepath.Base(res.Path), SHA256: res.SHA256}}
	if m.data != nil {
		r.Data.Range, r.Data.Stored = rangeOf(m.data), stored(m.data)
	}
	figures(r, res)
}

// newReport starts the report of a command.
func newReport(e *env, title string, seed uint64) *report.Report {
	return &report.Report{
		Schema: report.Schema, Version: report.ProgramVersion(), Title: title, Command: "tattle " + quoted(e.args), Seed: seed,
		Settings: map[string]string{"kernels": simd.Accelerated()}, Timing: map[string]report.Number{}, Warnings: []string{},
		Bounds: []bound.Summary{},
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
