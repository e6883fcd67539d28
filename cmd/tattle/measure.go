package main

import (
	"context"
	"fmt"
	"path/filepath"
	"time"

	"tattle/bound"
	"tattle/dataset"
	"tattle/internal/simd"
	"tattle/nn"
	"tattle/release"
	"tattle/report"
)

const (
	lowBand      = 8  // A's Figures 1 and 3
	lowBandLarge = 32 // A's Figures 5 and 6, for inputs of 64 pixels and more
)

// surface is what leaves the device.
const surface = "features"

// A measurement is one model, one data set and one release, to be bounded.
type measurement struct {
	title      string
	modelPath  string
	modelHash  string
	graph      *nn.Graph
	features   string // node; empty for the input of the last affine layer
	data       *dataset.Set
	dataPath   string
	split      string
	indices    []int
	sigma      float64 // zero: scale times the RMS of the features
	scale      float64
	draws      int // of the noise for each example's accuracy
	vectors    *report.Arrays
	experiment bound.Experiment
	seed       uint64
	resume     bool
	bar        string // what the progress bar says
}

// measured is what a measurement came to.
type measured struct {
	report *report.Report
	result *bound.Result
}

// run bounds the release, writing arrays into dir, and reports on it.
func (m *measurement) run(e *env, dir string) (*measured, error) {
	node := m.features
	if node == "" {
		var err error
		if node, err = m.graph.FeatureNode(); err != nil {
			return nil, usage(fmt.Errorf("%s: %w", m.modelPath, err), "name the node whose output is released with --features")
		}
	}
	front, head, err := m.nets(node)
	if err != nil {
		return nil, err
	}
	r := newReport(e, m.title, m.seed)
	started := time.Now()
	if err := m.measure(e, r, front, head); err != nil {
		return nil, err
	}
	lap(r, "accuracy", &started)
	res, err := m.search(e, front, node, dir)
	if err != nil {
		return nil, err
	}
	lap(r, "bounds", &started)
	p, n := front.Dims()
	r.Model = report.Model{Path: m.modelPath, SHA256: m.modelHash, Inputs: p, Features: n, FeatureNode: node}
	r.Data = describe(m.data, m.dataPath, m.split)
	r.Data.Examples = len(res.Indices)
	r.Release.Surface = surface
	m.fill(r, res)
	if err := m.gallery(r, res); err != nil {
		return nil, err
	}
	return &measured{r, res}, nil
}

func lap(r *report.Report, what string, since *time.Time) {
	r.Timing[what] = report.Number(time.Since(*since).Seconds())
	*since = time.Now()
}

// nets cuts the graph at the features.
func (m *measurement) nets(node string) (front, head *nn.Net, err error) {
	f, h, err := m.graph.Cut(node)
	if err != nil {
		return nil, nil, usage(fmt.Errorf("--features: %w", err), "")
	}
	if have, want := nn.Size(m.data.Shape), nn.Size(f.InputShape); have != want {
		return nil, nil, usage(fmt.Errorf("%s takes inputs of shape %v, %s has examples of shape %v", m.modelPath, f.InputShape, m.dataPath, m.data.Shape), "choose the data the model was trained on")
	}
	if front, err = nn.NewNet(f); err != nil {
		return nil, nil, fmt.Errorf("%s: %w", m.modelPath, err)
	}
	if head, err = nn.NewNet(h); err != nil {
		return nil, nil, fmt.Errorf("%s: %w", m.modelPath, err)
	}
	return front, head, nil
}

// measure settles the noise and what it costs, reading all the data twice.
func (m *measurement) measure(e *env, r *report.Report, front, head *nn.Net) error {
	bar := newMeter(e.stderr, "measuring accuracy", 2*int64(m.data.Len()), false)
	defer bar.close()
	data := watch(m.data, bar)
	if err := m.noise(e.ctx, r, front, data); err != nil {
		return err
	}
	f := release.Features{Front: front, Head: head, Dither: release.Gaussian{Sigma: m.sigma}}
	u, err := f.Utility(e.ctx, data, release.UtilityOptions{Draws: m.draws, Seed: m.seed})
	if err != nil {
		return err
	}
	r.Utility = utility(u)
	return nil
}

// noise settles σ, from the RMS of all features over the data where it is not
// given (A section 3).
func (m *measurement) noise(ctx context.Context, r *report.Report, front *nn.Net, data nn.Source) error {
	rms, err := interruptible(ctx, func() (float64, error) { return release.FeatureRMS(front, data) })
	if err != nil {
		return err
	}
	if m.sigma == 0 {
		m.sigma = m.scale * rms
	}
	dither, err := release.NewGaussian(m.sigma)
	if err != nil {
		return usage(fmt.Errorf("--sigma, --sigma-scale: %w", err), "")
	}
	m.experiment.Noise = dither
	r.Release.Noise = report.Noise{Family: "gaussian", Sigma: m.sigma, Scale: report.Number(m.sigma / rms)}
	return nil
}

// search runs the experiment.
func (m *measurement) search(e *env, front *nn.Net, node, dir string) (*bound.Result, error) {
	bar := newMeter(e.stderr, m.bar, int64(len(m.indices)), false)
	defer bar.close()
	if !m.resume && begun(dir) {
		return nil, usage(fmt.Errorf("--out %s: holds an interrupted run", dir), "go on with it by --resume, or choose another folder")
	}
	return bound.Run(e.ctx, front, m.data, m.indices, m.experiment, bound.RunOptions{
		Dir: dir, Resume: m.resume && begun(dir), // else the interruption came before
		Hashes:   map[string]string{"model": m.modelHash, "data": m.data.SHA256, "features": node},
		Progress: func(done, total int) { bar.set(int64(done), int64(total)) },
	})
}

// fill writes the result into the report.
func (m *measurement) fill(r *report.Report, res *bound.Result) {
	e := res.Experiment
	r.Experiment = &report.Experiment{
		Sizes: e.Sizes, Coordinates: e.Coordinates.Name(), Vectors: m.vectors, Band: e.Band, Domain: e.Domain.String(),
		Search: e.Search.Search, Reason: res.Reason, Iteration: e.Search.Iteration, Relinearize: e.Search.Relinearize,
		Restarts: e.Search.Restarts, Repeats: e.Search.Repeats, CramerRao: !e.SkipCramerRao,
	}
	if m.vectors != nil {
		r.Experiment.Coordinates = "vectors"
	}
	r.Bounds = res.Summaries
	r.Arrays = []report.Arrays{{File: filepath.Base(res.Path), SHA256: res.SHA256}}
	figures(r, res)
	m.warn(r, res)
}

// newReport starts the report of a command.
func newReport(e *env, title string, seed uint64) *report.Report {
	return &report.Report{
		Schema: report.Schema, Title: title, Command: "tattle " + quoted(e.args), Seed: seed,
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

// utility reports accuracies.
func utility(u release.Utility) report.Utility {
	return report.Utility{
		CleanAccuracy: report.Number(u.Clean.Fraction), CleanInterval: [2]float64{u.Clean.Interval.Low, u.Clean.Interval.High},
		ReleasedAccuracy: report.Number(u.Released.Fraction), ReleasedInterval: [2]float64{u.Released.Interval.Low, u.Released.Interval.High},
		Examples: u.Examples, Draws: u.Draws,
	}
}
