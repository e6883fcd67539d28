package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"tattle/bound"
	"tattle/dataset"
	"tattle/nn"
	"tattle/release"
	"tattle/report"
	"tattle/run"
)

type verifyCmd struct {
	Run_        string `arg:"" name:"run" help:"Folder of the run, or its report.json."`
	Model       string `help:"The model, where it is no longer where the report says." placeholder:"FILE"`
	Data        string `help:"The data, where they are no longer where the report says." placeholder:"DIR"`
	Coordinates string `help:"The vectors to be reconstructed, where they are no longer where the report says." placeholder:"FILE"`
}

func (verifyCmd) Help() string {
	return "Example: tattle verify tattle-bound\n\nRecomputes every certificate from the model, the inputs and the stored witnesses, every figure of the report from the certificates, and the accuracies. Exit status 1 if one does not hold. What it cannot check, it says."
}

// listed is how many discrepancies are printed one by one.
const listed = 10

func (c *verifyCmd) Run(e *env) error {
	dir := c.Run_
	if info, err := os.Stat(dir); err == nil && !info.IsDir() {
		dir = filepath.Dir(dir)
	}
	r, err := readReport(dir)
	if err != nil {
		return err
	}
	if r.Experiment == nil || len(r.Arrays) == 0 {
		return usage(fmt.Errorf("%s: this run certified nothing, so there is nothing to verify", dir), "")
	}
	m, front, head, err := c.open(e, dir, r)
	if err != nil {
		return err
	}
	found, err := c.certificates(e, dir, r, m, front)
	if err != nil {
		return err
	}
	more, err := interruptible(e.ctx, func() ([]string, error) { return derived(r, dir, m) })
	if err != nil {
		return err
	}
	found = append(found, more...)
	if m.data != nil {
		if more, err = utilities(e, r, m, front, head); err != nil {
			return err
		}
		found = append(found, more...)
	}
	return conclude(e, r, m.data != nil, found)
}

// open finds the model and the data of a report; the data are nil where they are
// not there any more.
func (c *verifyCmd) open(e *env, dir string, r *report.Report) (m *measurement, front, head *nn.Net, err error) {
	m = &measurement{sigma: r.Release.Noise.Sigma, draws: r.Utility.Draws, seed: r.Seed}
	f, h, err := c.graphs(dir, r)
	if err != nil {
		return nil, nil, nil, err
	}
	if front, err = nn.NewNet(f); err != nil {
		return nil, nil, nil, err
	}
	if head, err = nn.NewNet(h); err != nil {
		return nil, nil, nil, err
	}
	if m.data, err = c.data(e, r); err != nil {
		return nil, nil, nil, err
	}
	p, n := front.Dims()
	if p != r.Model.Inputs || n != r.Model.Features {
		return nil, nil, nil, finding(fmt.Errorf("%s: the model has %d inputs and %d features, the report %d and %d", dir, p, n, r.Model.Inputs, r.Model.Features), "")
	}
	m.experiment, err = c.experiment(r, m.data, f.InputShape)
	return m, front, head, err
}

// finding is an error that says of a report that it does not hold.
func finding(err error, hint string) error { return &statusError{statusFinding, err, hint} }

func readReport(dir string) (*report.Report, error) {
	f, err := os.Open(filepath.Join(dir, reportJSON))
	if err != nil {
		return nil, usage(err, "give the folder of a finished run")
	}
	defer f.Close()
	r, err := report.ReadJSON(f)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", f.Name(), err)
	}
	return r, nil
}

// graphs opens the model that the report names and cuts it at its features.
func (c *verifyCmd) graphs(dir string, r *report.Report) (front, head *nn.Graph, err error) {
	path := c.Model
	if path == "" {
		path = r.Model.Path
		if !filepath.IsAbs(path) {
			path = filepath.Join(dir, path)
		}
	}
	g, hash, err := openModel(path)
	if err != nil {
		return nil, nil, hinted(err, "name the model with --model")
	}
	if hash != r.Model.SHA256 {
		return nil, nil, finding(fmt.Errorf("%s: sha256 %s, the report is about %s", path, hash, r.Model.SHA256), "name the right model with --model")
	}
	if front, head, err = g.Cut(r.Model.FeatureNode); err != nil {
		return nil, nil, finding(fmt.Errorf("%s: %w", path, err), "")
	}
	return front, head, nil
}

// data opens the data set to compare inputs with: nil, said aloud, where it is
// not there any more.
func (c *verifyCmd) data(e *env, r *report.Report) (*dataset.Set, error) {
	path := c.Data
	if path == "" {
		path = r.Data.Path
		if _, err := os.Stat(path); err != nil && path != glyphsName {
			fmt.Fprintf(e.stderr, "tattle: the data set is not at %s: inputs are taken from the run as they are\n", path)
			return nil, nil
		}
	}
	set, err := openData(path, r.Data.Split, r.Seed)
	if err != nil {
		return nil, err
	}
	if set.SHA256 != r.Data.SHA256 {
		return nil, finding(fmt.Errorf("%s: sha256 %s, the report is about %s", path, set.SHA256, r.Data.SHA256), "name the right data with --data")
	}
	return set, nil
}

// certificates computes them again.
func (c *verifyCmd) certificates(e *env, dir string, r *report.Report, m *measurement, front *nn.Net) ([]string, error) {
	bar := newMeter(e.stderr, "verifying", int64(r.Data.Examples), false)
	defer bar.close()
	claims := bound.Claims{Arrays: filepath.Join(dir, filepath.Base(r.Arrays[0].File)), SHA256: r.Arrays[0].SHA256, Summaries: r.Bounds}
	var source bound.Source
	if m.data != nil {
		source = m.data
	}
	found, err := bound.Verify(e.ctx, front, source, m.experiment, claims, func(done, total int) { bar.set(int64(done), int64(total)) })
	var lines []string
	for _, d := range found {
		lines = append(lines, d.String())
	}
	return lines, err
}

// derived checks what the report draws from the arrays: rank, resolvable
// directions, histograms, the verdict, the gallery where the data are there.
func derived(r *report.Report, dir string, m *measurement) ([]string, error) {
	res, err := bound.Load(filepath.Join(dir, filepath.Base(r.Arrays[0].File)), m.experiment)
	if err != nil {
		return []string{err.Error()}, nil
	}
	fresh := &report.Report{Model: r.Model, Data: r.Data, Bounds: res.Summaries}
	var lines []string
	if len(res.Indices) != r.Data.Examples {
		lines = append(lines, fmt.Sprintf("examples: recorded %d, in the arrays %d", r.Data.Examples, len(res.Indices)))
	}
	figures(fresh, res)
	if m.data != nil {
		fresh.Data.GreyLevels = describe(m.data, "", "").GreyLevels
		if err := m.gallery(fresh, res); err != nil {
			return nil, err
		}
	}
	fresh.Verdict = verdict(fresh)
	if len(r.Published) > 0 {
		if err := published(fresh, r, dir, res); err != nil {
			return nil, err
		}
	}
	return append(lines, report.Differences(r, fresh)...), nil
}

// published draws again what a reproduction sets beside the paper's figures.
func published(fresh, r *report.Report, dir string, ours *bound.Result) error {
	compareAccuracy(fresh)
	fresh.Published[0].Ours, fresh.Published[1].Ours = r.Utility.CleanAccuracy, r.Utility.ReleasedAccuracy
	if len(ours.Sizes) != len(publishedPeaks) || len(r.Published) == len(fresh.Published) {
		return nil
	}
	sub := filepath.Join(dir, publishedDir)
	if !exists(filepath.Join(sub, reportJSON)) {
		comparePeaks(fresh, ours, nil)
		return nil
	}
	x := ours.Experiment
	x.Search.Search = bound.Published
	theirs, err := bound.Load(filepath.Join(sub, arraysFile), x)
	if err != nil {
		return err
	}
	if len(theirs.Indices) > len(ours.Indices) {
		return finding(fmt.Errorf("%s: more examples than the run beside it", sub), "")
	}
	comparePeaks(fresh, ours, theirs)
	return nil
}

// utilities measures noise and accuracies again.
func utilities(e *env, r *report.Report, m *measurement, front, head *nn.Net) ([]string, error) {
	fresh := &report.Report{}
	if err := m.measure(e, fresh, front, head); err != nil {
		return nil, err
	}
	fresh.Release.Surface = surface
	was := &report.Report{Utility: r.Utility, Release: r.Release} // the rest is no business of these
	return report.Differences(was, fresh), nil
}

// experiment rebuilds the experiment from the report.
func (c *verifyCmd) experiment(r *report.Report, data *dataset.Set, shape []int) (bound.Experiment, error) {
	x := r.Experiment
	e := bound.Experiment{
		Noise: release.Gaussian{Sigma: r.Release.Noise.Sigma}, Sizes: x.Sizes, Band: x.Band, SkipCramerRao: !x.CramerRao,
		Search: bound.SearchOptions{Search: x.Search, Repeats: x.Repeats, Restarts: x.Restarts, Iteration: x.Iteration, Relinearize: x.Relinearize, Seed: r.Seed},
	}
	if s := r.Data.Shape; len(s) > 0 && len(s) <= 3 && slices.Min(s) > 0 && nn.Size(s) == nn.Size(shape) {
		shape = s // the model may take its inputs as a plain vector
	}
	var err error
	if x.Vectors != nil {
		e.Coordinates, err = c.vectors(x.Vectors, nn.Size(shape))
	} else {
		e.Coordinates, _, err = coordinates(x.Coordinates, shape)
	}
	if err != nil {
		return e, err
	}
	if x.Domain == "legal" {
		if data == nil {
			return e, usage(fmt.Errorf("the run's domain is the data's range, and the data are not there"), "name them with --data")
		}
		low, high := legalRange(data)
		e.Domain, err = bound.Legal(low, high)
	}
	return e, err
}

// vectors reads the run's own vectors, which must be those it had.
func (c *verifyCmd) vectors(recorded *report.Arrays, p int) (bound.Coordinates, error) {
	path := c.Coordinates
	if path == "" {
		path = recorded.File
	}
	hash, err := run.Digest(path)
	if err != nil {
		return nil, hinted(err, "name the vectors with --coordinates")
	}
	if hash != recorded.SHA256 {
		return nil, finding(fmt.Errorf("%s: sha256 %s, the report is about %s", path, hash, recorded.SHA256), "name the right vectors with --coordinates")
	}
	return ownVectors(path, filepath.Base(recorded.File), p)
}

// conclude prints what was found.
func conclude(e *env, r *report.Report, withData bool, found []string) error {
	for _, line := range found[:min(listed, len(found))] {
		fmt.Fprintln(e.stdout, line)
	}
	switch n := len(found); {
	case n > listed:
		return finding(fmt.Errorf("%d figures do not hold (the first %d are listed)", n, listed), "")
	case n > 1:
		return finding(fmt.Errorf("%d figures do not hold", n), "")
	case n == 1:
		return finding(errors.New("1 figure does not hold"), "")
	}
	also, not := ", its accuracies and its gallery", "timing"
	if !withData {
		also, not = "", "inputs, accuracies, gallery (they need --data), timing"
	}
	if r.Training != nil {
		not += ", training"
	}
	_, err := fmt.Fprintf(e.stdout, "verified: every bound of %s follows from its witness, and every figure of the report from the bounds%s\nnot checked: %s\n", report.Count(r.Data.Examples, "example"), also, not)
	return err
}
