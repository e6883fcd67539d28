package main

import (
	"fmt"
	"os"
	"path/filepath"

	"tattle/bound"
	"tattle/dataset"
	"tattle/nn"
	"tattle/report"
	"tattle/run"
)

type verifyCmd struct {
	Run_  string `arg:"" name:"run" help:"Folder of the run, or its report.json."`
	Model string `help:"The model, where it is no longer where the report says." placeholder:"FILE"`
	Data  string `help:"The data, where they are no longer where the report says; inputs are then compared with them." placeholder:"DIR"`
}

func (verifyCmd) Help() string {
	return "Example: tattle verify tattle-bound\n\nRecomputes every certificate from the model, the inputs and the stored witnesses, and every figure of the report from the certificates. Exit status 1 if one does not hold."
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
	front, err := c.front(dir, r)
	if err != nil {
		return err
	}
	data, err := c.data(e, r)
	if err != nil {
		return err
	}
	found, err := c.verify(e, dir, r, front, data)
	if err != nil {
		return err
	}
	return verdict(e, r, found)
}

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

// front opens the model that the report names and cuts it at its features.
func (c *verifyCmd) front(dir string, r *report.Report) (*nn.Net, error) {
	path := c.Model
	if path == "" {
		path = r.Model.Path
		if !filepath.IsAbs(path) {
			path = filepath.Join(dir, path)
		}
	}
	g, hash, err := openModel(path)
	if err != nil {
		return nil, hinted(err, "name the model with --model")
	}
	if hash != r.Model.SHA256 {
		return nil, &statusError{statusFinding, fmt.Errorf("%s: sha256 %s, the report is about %s", path, hash, r.Model.SHA256), "name the right model with --model"}
	}
	f, _, err := g.Cut(r.Model.FeatureNode)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return nn.NewNet(f)
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
		return nil, &statusError{statusFinding, fmt.Errorf("%s: sha256 %s, the report is about %s", path, set.SHA256, r.Data.SHA256), "name the right data with --data"}
	}
	return set, nil
}

func (c *verifyCmd) verify(e *env, dir string, r *report.Report, front *nn.Net, data *dataset.Set) ([]string, error) {
	x, err := experimentOf(r, front, data)
	if err != nil {
		return nil, err
	}
	bar := newMeter(e.stderr, "verifying", int64(r.Data.Examples), false)
	defer bar.close()
	claims := bound.Claims{Arrays: filepath.Join(dir, filepath.Base(r.Arrays[0].File)), SHA256: r.Arrays[0].SHA256, Summaries: r.Bounds}
	var source bound.Source
	if data != nil {
		source = data
	}
	found, err := bound.Verify(e.ctx, front, source, x, claims, func(done, total int) { bar.set(int64(done), int64(total)) })
	if err != nil {
		return nil, err
	}
	var lines []string
	for _, d := range found {
		lines = append(lines, d.String())
	}
	return append(lines, derived(r, dir, x)...), nil
}

// derived checks the figures that the report draws from the arrays: rank,
// resolvable directions, histograms.
func derived(r *report.Report, dir string, x bound.Experiment) []string {
	res, err := bound.Load(filepath.Join(dir, filepath.Base(r.Arrays[0].File)), x)
	if err != nil {
		return []string{err.Error()}
	}
	fresh := &report.Report{Model: r.Model, Data: r.Data}
	figures(fresh, res)
	return report.Differences(r, fresh)
}

// experimentOf rebuilds the experiment from the report.
func experimentOf(r *report.Report, front *nn.Net, data *dataset.Set) (bound.Experiment, error) {
	x := r.Experiment
	e := bound.Experiment{
		Sigma: r.Release.Noise.Sigma, Sizes: x.Sizes, Band: x.Band, SkipCramerRao: !x.CramerRao,
		Search: bound.SearchOptions{Search: x.Search, Repeats: x.Repeats, Restarts: x.Restarts, Iteration: x.Iteration, Relinearize: x.Relinearize, Seed: r.Seed},
	}
	spec := x.Coordinates
	if x.Vectors != nil {
		spec = x.Vectors.File
		hash, err := run.Digest(spec)
		if err != nil {
			return e, err
		}
		if hash != x.Vectors.SHA256 {
			return e, &statusError{statusFinding, fmt.Errorf("%s: sha256 %s, the report is about %s", spec, hash, x.Vectors.SHA256), ""}
		}
	}
	var err error
	e.Coordinates, _, err = coordinates(spec, front.Graph().InputShape)
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

// verdict prints what was found.
func verdict(e *env, r *report.Report, found []string) error {
	if len(found) == 0 {
		_, err := fmt.Fprintf(e.stdout, "verified: every bound of %d examples follows from its witness, and every figure of the report from the bounds\n", r.Data.Examples)
		return err
	}
	for _, line := range found[:min(listed, len(found))] {
		fmt.Fprintln(e.stdout, line)
	}
	more := ""
	if len(found) > listed {
		more = fmt.Sprintf(" (the first %d are listed)", listed)
	}
	return &statusError{statusFinding, fmt.Errorf("%d figures do not hold%s", len(found), more), ""}
}
